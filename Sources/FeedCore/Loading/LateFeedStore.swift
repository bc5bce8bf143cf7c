import Synchronization

/// Feeds of a cache that is only read while their server is asked, so that nobody is kept from it meanwhile, and changed
/// in one that is opened when there is something to change.
package final class LateFeedStore: FeedStore {
    private let reading: any FeedStore
    private let openForChange: @Sendable () async throws(FeedError) -> any FeedStore
    /// From then on it is read from as well: the other is closed.
    private let opened = Mutex<(any FeedStore)?>(nil)
    /// When those that were read had been saved.
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

    /// What a server answered may hold for the copy alone that it was asked with. Where another run has saved one since
    /// then, that run has done the saving; where one has deleted it, nobody has.
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
