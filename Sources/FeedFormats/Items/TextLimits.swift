internal import FeedCore

/// How much of a text is kept that an item hands to each of its images, or that is shown in one line.
enum TextLimits {
    /// In UTF-8. Alternative texts run to some paragraphs; what is longer is a whole article that went astray.
    private static let longest = 8192
    /// Ids are URLs, or made up.
    private static let longestID = 4096

    static func shortened(_ text: String) -> String { text.shortened(to: longest) }

    /// An id tells items apart, on this page of a feed and on others, today and tomorrow.
    static func shortenedID(_ id: String) -> String { id.shortenedDistinctly(to: longestID) }
}
