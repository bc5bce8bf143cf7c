/// How far a piece of work has come, for those who watch.
package struct Progress: Hashable, Sendable {
    package var done = 0
    /// Of those, what took no work.
    package var given = 0
    /// Nil while it isn't known how much there is to do.
    package var total: Int?
    /// So many feeds are still to come, and to bring more to do.
    package var awaitedFeeds = 0
    /// Read, written or received so far.
    package var bytes: Int64 = 0
    package var failed = 0

    package init(
        done: Int = 0, given: Int = 0, total: Int? = nil, awaitedFeeds: Int = 0, bytes: Int64 = 0, failed: Int = 0
    ) {
        self.done = done
        self.given = given
        self.total = total
        self.awaitedFeeds = awaitedFeeds
        self.bytes = bytes
        self.failed = failed
    }
}

/// Where work tells how far it has come. Only the latest matters, so that telling costs next to nothing.
package typealias ProgressStream = AsyncStream<Progress>.Continuation
