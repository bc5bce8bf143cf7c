/// The progress of a piece of work.
package struct Progress: Hashable, Sendable {
    package var done = 0
    /// The part of `done` that took no work.
    package var given = 0
    /// The amount of work; nil while it is unknown.
    package var total: Int?
    /// The number of feeds that may still add work.
    package var awaitedFeeds = 0
    /// The bytes that were read, written or received so far.
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

/// Receives the progress of work.
///
/// Only the latest value is kept, so that reporting is cheap.
package typealias ProgressStream = AsyncStream<Progress>.Continuation
