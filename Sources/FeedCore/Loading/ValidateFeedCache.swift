/// Use case: delete the saved feeds that are no longer fresh, and those that can't be read.
package struct ValidateFeedCache: Sendable {
    private let store: any FeedStore
    private let now: @Sendable () -> Timestamp

    package init(store: any FeedStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    /// True if there is something to delete; `dryRun` leaves it there.
    package func validate(_ url: ResourceURL, maxAge: MaxAge, dryRun: Bool = false) async throws(FeedError) -> Bool {
        guard try await isToBeDeleted(url, maxAge) else { return false }
        if !dryRun {
            try await store.change { change throws(FeedError) in try change.delete(url) }
        }
        return true
    }

    private func isToBeDeleted(_ url: ResourceURL, _ maxAge: MaxAge) async throws(FeedError) -> Bool {
        do {
            guard let saved = try await store.retrieve(url) else { return false }
            return !FeedCachePolicy.isFresh(savedAt: saved.savedAt, now: now(), maxAge: maxAge)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            return true
        }
    }
}
