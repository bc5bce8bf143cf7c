import Synchronization

/// Reads feeds without a lock while their server is asked, so that other runs can use the cache meanwhile, and opens
/// the cache for writing when there is something to change.
package final class LateFeedStore: FeedStore {
    private let reading: any FeedStore
    private let openForChange: @Sendable () async throws(FeedError) -> any FeedStore
    /// The store for writing, which also serves later reads: the first store is closed then.
    private let opened = Mutex<(any FeedStore)?>(nil)
    /// The moments at which the feeds that were read had been saved.
    private let found = Mutex<[(url: ResourceURL, savedAt: Timestamp)]>([])

    package init(
        _ reading: any FeedStore,
        openForChange: @escaping @Sendable () async throws(FeedError) -> any FeedStore
    ) {
        self.reading = reading
        self.openForChange = openForChange
    }

    package func keptWithoutData(of url: ResourceURL) async throws(FeedError) -> [FeedImage] {
        try await store.keptWithoutData(of: url)
    }

    package func retrieve(_ url: ResourceURL, withKept: Bool) async throws(FeedError) -> SavedFeed? {
        let saved = try await store.retrieve(url, withKept: withKept)
        if let saved { found.withLock { $0.append((url, saved.savedAt)) } }
        return saved
    }

    /// Changes a feed only if it is still the copy that was read. If another run saved the feed since then, that run
    /// did the work; if another run deleted it, the change fails.
    package func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        let store = try await openForChange()
        opened.withLock { $0 = store }
        for (url, savedAt) in found.withLock({ $0 }) {
            guard let copy = try await store.retrieve(url), copy.savedAt != savedAt else { continue }
            throw .storage(.locked, "another feedsync run has saved \(url) meanwhile")
        }
        return try await store.change(work)
    }

    package func summaries() async throws(FeedError) -> [FeedSummary] { try await store.summaries() }

    private var store: any FeedStore { opened.withLock { $0 } ?? reading }
}
