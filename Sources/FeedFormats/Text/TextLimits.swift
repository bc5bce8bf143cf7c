internal import FeedCore

/// Cuts texts to the length that is kept.
enum TextLimits {
    static func shortened(_ text: String) -> String { text.shortened(to: LongestText.words) }

    /// A cut id still tells its item apart from all others, on every page of the feed and in every run.
    static func shortenedID(_ id: String) -> String { id.shortenedDistinctly(to: LongestText.id) }
}
