/// An open cache directory.
package struct Cache: Sendable {
    package let feeds: any FeedStore
    package let images: any ImageStore
    package let transfer: any CacheTransfer
    package let waits: any FeedWaitStore
    package let reportedFailures: any ReportedFailureStore
    package let search: any ImageSearch
    /// Messages to the user about what was repaired when the cache was opened.
    package let notices: [String]
    /// Closes the cache.
    ///
    /// The run calls it at its end, because a task may hold the stores until after the program's end.
    package let close: @Sendable () async -> Void

    package init(
        feeds: any FeedStore, images: any ImageStore, transfer: any CacheTransfer, waits: any FeedWaitStore,
        reportedFailures: any ReportedFailureStore, search: any ImageSearch, notices: [String] = [],
        close: @escaping @Sendable () async -> Void = {}
    ) {
        self.feeds = feeds
        self.images = images
        self.transfer = transfer
        self.waits = waits
        self.reportedFailures = reportedFailures
        self.search = search
        self.notices = notices
        self.close = close
    }
}

/// How a command opens a cache.
package enum CacheAccess: Hashable, Sendable {
    /// Reads only, and waits for no lock. A missing cache reads as empty, and is not created. Throws `notFound` for a
    /// directory that contains other things.
    case read
    /// Reads only, as `read` does. A directory that contains other things reads as empty, because saving would make it a
    /// cache.
    case readOrEmpty
    /// Creates the cache if it is missing, and locks it against other writers. Waits up to `lockWait` for the lock.
    case write(lockWait: Duration)
    /// Opens as `write` does, and replaces an unreadable database by a new one. Other directories are refused as by
    /// `read`.
    case repair(lockWait: Duration)
    /// Reads as if `repair` had replaced an unreadable database. The notices say what `repair` would do.
    case rehearseRepair
}

/// Waits for a lock that another run holds.
package struct LockWait: Sendable {
    package let limit: Duration
    package let sleeping: @Sendable (Duration) async throws -> Void

    private static let step = Duration.milliseconds(50)

    package init(limit: Duration, sleeping: @escaping @Sendable (Duration) async throws -> Void) {
        self.limit = limit
        self.sleeping = sleeping
    }

    /// Repeats the attempt while another run holds the lock, up to the limit.
    package func retrying<Outcome>(
        _ attempt: () async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        var waited = Duration.zero
        while true {
            do {
                return try await attempt()
            } catch {
                guard error.kind == .storage(.locked) else { throw error }
                guard waited < limit else {
                    throw limit > .zero
                        ? error.adding(", and was waited for") : error.hinting("wait for it with --lock-wait")
                }
                let pause = min(Self.step, limit - waited)
                do { try await sleeping(pause) } catch { throw FeedError.cancelled }
                waited += pause
            }
        }
    }
}
