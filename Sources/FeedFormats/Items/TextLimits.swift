internal import FeedCore

/// How much of a text is kept.
enum TextLimits {
    static func shortened(_ text: String) -> String { text.shortened(to: LongestText.words) }

    /// An id tells items apart, on this page of a feed and on others, today and tomorrow.
    static func shortenedID(_ id: String) -> String { id.shortenedDistinctly(to: LongestText.id) }
}
