package import FeedCore
internal import Synchronization

/// A feed store that keeps nothing on disk, records what it is asked, and fails on demand.
package final class InMemoryFeedStore: FeedStore {
    package enum Message: Hashable, Sendable { case retrieve, delete, insert, confirm, summaries }

    private let cache: InMemoryCache
    private let received = Mutex<[Message]>([])
    private let failures = Mutex<[Message: FeedError]>([:])

    package init(_ cache: InMemoryCache = InMemoryCache()) { self.cache = cache }

    /// Everything asked so far, in order; of changes, what was asked within them.
    package var messages: [Message] { received.withLock { $0 } }

    /// From now on this throws; with nil, it works again.
    package func fail(_ message: Message, with failure: FeedError? = .storage(.failed, "disk on fire")) {
        failures.withLock { $0[message] = failure }
    }

    package func retrieve(_ url: ResourceURL) async throws(FeedError) -> SavedFeed? {
        try receive(.retrieve)
        return try cache.withContents { contents throws(FeedError) in contents.feeds[url.text] }
    }

    package func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        try cache.withContents { contents throws(FeedError) in
            let change = Change(of: self, contents.feeds)
            let outcome = try work(change)
            contents.feeds = change.feeds
            return outcome
        }
    }

    package func summaries() async throws(FeedError) -> [FeedSummary] {
        try receive(.summaries)
        return try cache.withContents { contents throws(FeedError) in
            contents.feeds.values.sorted { $0.url.text < $1.url.text }.map { saved in
                FeedSummary(
                    url: saved.url, title: saved.feed.title, format: saved.feed.format, savedAt: saved.savedAt,
                    images: saved.feed.images.count, isNamed: saved.isNamed, movedTo: saved.movedTo)
            }
        }
    }

    private func receive(_ message: Message) throws(FeedError) {
        received.withLock { $0.append(message) }
        if let failure = failures.withLock({ $0[message] }) { throw failure }
    }

    private final class Change: FeedStoreChange {
        private let store: InMemoryFeedStore
        private(set) var feeds: [String: SavedFeed]

        init(of store: InMemoryFeedStore, _ feeds: [String: SavedFeed]) {
            self.store = store
            self.feeds = feeds
        }

        func delete(_ url: ResourceURL) throws(FeedError) {
            try store.receive(.delete)
            feeds[url.text] = nil
        }

        func insert(_ saved: SavedFeed) throws(FeedError) {
            try store.receive(.insert)
            feeds[saved.url.text] = saved
        }

        func confirm(_ saved: SavedFeed) throws(FeedError) {
            try store.receive(.confirm)
            guard let old = feeds[saved.url.text] else { throw .notFound("\(saved.url): was never saved") }
            feeds[saved.url.text] = SavedFeed(
                url: saved.url, feed: old.feed, savedAt: saved.savedAt, validators: saved.validators,
                pages: saved.pages, isNamed: old.isNamed || saved.isNamed, movedTo: saved.movedTo,
                rules: saved.rules)
        }
    }
}
