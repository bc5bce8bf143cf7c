/// Use case: delete the saved feeds that are no longer fresh, and those that can't be read.
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
    }

    /// Why the feed was deleted, nil if it wasn't; `dryRun` leaves it there.
    package func validate(_ url: ResourceURL, maxAge: MaxAge, dryRun: Bool = false) async throws(FeedError) -> Fault? {
        guard let fault = try await fault(of: url, maxAge) else { return nil }
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
            return .stale(Staleness(savedAt: saved.savedAt, now: now))
        } catch let error where error.kind == .storage(.unreadable) {
            return .unreadable(error)
        }
    }
}
