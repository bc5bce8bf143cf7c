extension FeedImage {
    /// The text that a person reads first.
    package var heading: String { description ?? title ?? id }

    /// The title of the post, unless it is the heading.
    package var subheading: String? { title == heading ? nil : title }
}

extension Timestamp {
    /// The date in UTC: `2026-03-29`.
    package var day: String { String(rfc3339.prefix(10)) }
}
