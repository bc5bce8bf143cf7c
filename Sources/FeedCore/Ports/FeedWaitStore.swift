/// The pause that a server asked for in the response to a feed's own request.
package struct FeedWait: Hashable, Sendable {
    /// The longest pause that is respected. A moment further ahead comes from a wrong clock.
    static let longest = Duration.seconds(24 * 60 * 60)

    package let feed: ResourceURL
    package let until: Timestamp

    package init(feed: ResourceURL, until: Timestamp) {
        self.feed = feed
        self.until = until
    }

    package func holds(at now: Timestamp) -> Bool { now < until && until <= now + Self.longest }
}

/// Stores the pauses from one run to the next.
package protocol FeedWaitStore: Sendable {
    /// Returns the pauses by URL.
    func retrieve() async throws(FeedError) -> [FeedWait]
    /// Replaces all pauses, or none if it throws.
    func replace(with waits: [FeedWait]) async throws(FeedError)
}
