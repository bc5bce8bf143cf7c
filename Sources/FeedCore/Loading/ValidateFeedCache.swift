/// Use case: delete the saved feeds that are stale, and those that can't be read.
package struct ValidateFeedCache: Sendable {
    private let store: any FeedStore
    private let now: @Sendable () -> Timestamp

    package init(store: any FeedStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    package enum Fault: Hashable, Sendable {
        case stale(Staleness)
        case unreadable(FeedError)
        /// It was saved ahead of the clock, and is kept: the clock may be what is wrong.
        case ahead(Staleness)
    }

    /// What is wrong with the feed, for which it was deleted, unless it is ahead of the clock; `dryRun` leaves it there.
    package func validate(_ url: ResourceURL, maxAge: MaxAge, dryRun: Bool = false) async throws(FeedError) -> Fault? {
        guard let fault = try await fault(of: url, maxAge) else { return nil }
        if case .ahead = fault { return fault }
        guard !Task.isCancelled else { throw .cancelled }
        if !dryRun {
            try await store.change { change throws(FeedError) in try change.delete(url) }
        }
        return fault
    }

    /// Of a disk that fails to be read just now, nothing is known of the feed: that is no fault of its own.
    private func fault(of url: ResourceURL, _ maxAge: MaxAge) async throws(FeedError) -> Fault? {
        do {
            guard let saved = try await store.retrieve(url) else { return nil }
            let now = now()
            if FeedCachePolicy.isFresh(savedAt: saved.savedAt, now: now, maxAge: maxAge) { return nil }
            let staleness = Staleness(savedAt: saved.savedAt, now: now)
            return staleness.isAhead ? .ahead(staleness) : .stale(staleness)
        } catch let error where error.kind == .storage(.unreadable) {
            return .unreadable(error)
        }
    }
}
