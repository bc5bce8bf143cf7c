/// Until when a server asked to be left alone.
package struct HostWait: Hashable, Sendable {
    /// One that is further ahead was noted by a clock that was wrong, or this one is.
    static let longest = Duration.seconds(24 * 60 * 60)

    package let origin: String
    package let until: Timestamp

    package init(origin: String, until: Timestamp) {
        self.origin = origin
        self.until = until
    }

    package func holds(at now: Timestamp) -> Bool { now < until && until <= now + Self.longest }

    /// As it stands in most URLs: with the port if it is not the usual one.
    var hostAndPort: String? {
        do { return try ResourceURL(origin).asFeed.hostAndPort } catch { return nil }
    }
}

/// Keeps them from one run to the next.
package protocol HostWaitStore: Sendable {
    /// By origin.
    func retrieve() async throws(FeedError) -> [HostWait]
    /// In place of all that are there, or of none if it throws.
    func replace(with waits: [HostWait]) async throws(FeedError)
}
