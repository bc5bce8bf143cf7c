/// An open cache directory.
package struct Cache: Sendable {
    package let feeds: any FeedStore
    package let images: any ImageStore
    package let transfer: any CacheTransfer
    package let waits: any FeedWaitStore
    /// What opening it had to mend, for the person who runs it.
    package let notices: [String]
    /// Lets go of it in good order. To be called when the run ends: something may hold on to the stores a moment longer
    /// than the program lasts.
    package let close: @Sendable () async -> Void

    package init(
        feeds: any FeedStore, images: any ImageStore, transfer: any CacheTransfer, waits: any FeedWaitStore,
        notices: [String] = [],
        close: @escaping @Sendable () async -> Void = {}
    ) {
        self.feeds = feeds
        self.images = images
        self.transfer = transfer
        self.waits = waits
        self.notices = notices
        self.close = close
    }
}

/// What a command wants of a cache.
package enum CacheAccess: Hashable, Sendable {
    /// Changes nothing and waits for nobody. A cache that isn't there reads as empty, and is not created. `notFound` of a
    /// directory with other things in it.
    case read
    /// As `read` of one that isn't there: for whom it can't be opened, and who delivers all the same.
    case none
    /// Creates it if need be and keeps every other writer out, waiting at most this long for one that is there.
    case write(lockWait: Duration)
    /// As `write`, but of other directories as `read`, and a database that can't be read is set aside for a new one.
    case repair(lockWait: Duration)
    /// As `read`, and a database that can't be read reads as the new one that `repair` would begin. What it would do is
    /// among the notices.
    case rehearseRepair
}
