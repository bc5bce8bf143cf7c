import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Load feed from cache")
struct LoadFeedFromCacheUseCaseTests {
    private let store = InMemoryFeedStore()
    private let url: ResourceURL
    private let feed: Feed
    private static let savedAt = Timestamp(microseconds: 1_774_744_200_000_001)
    private static let week = Duration.seconds(7 * 86_400)

    init() throws {
        url = try Samples.url("https://feeds.example/feed.json")
        feed = try Samples.feed()
    }

    private func save() async throws -> SavedFeed {
        let saved = SavedFeed(url: url, feed: feed, savedAt: Self.savedAt, validators: Validators(etag: "\"a\""))
        try await store.change { change throws(FeedError) in try change.insert(saved) }
        return saved
    }

    private func load(at now: Timestamp, maxAge: MaxAge = .standard) async throws -> LocalFeedLoader.Loaded {
        try await LocalFeedLoader(store: store, now: { now }).load(url, maxAge: maxAge)
    }

    @Test("delivers the saved feed while it is fresh", arguments: [.zero, week - .seconds(1), .seconds(-3600)])
    func fresh(age: Duration) async throws {
        let saved = try await save()
        #expect(try await load(at: Self.savedAt + age) == .fresh(saved))
    }

    @Test("delivers no images once it is stale", arguments: [week, week + .seconds(1), .seconds(-3601)])
    func stale(age: Duration) async throws {
        _ = try await save()
        let now = Self.savedAt + age
        #expect(try await load(at: now) == .stale(Staleness(savedAt: Self.savedAt, now: now)))
    }

    @Test("knows a feed that was never saved from one that is stale")
    func neverSaved() async throws {
        #expect(try await load(at: Self.savedAt) == .neverSaved)
    }

    @Test("only reads, whatever it finds", arguments: [.zero, week, week * 52])
    func noSideEffects(age: Duration) async throws {
        _ = try await save()
        _ = try await load(at: Self.savedAt + age)
        #expect(store.messages == [.insert, .retrieve])
    }

    @Test("fails where the store can't be read, and leaves it alone")
    func retrievalError() async throws {
        let broken = FeedError.storage(.unreadable, "broken")
        store.fail(.retrieve, with: broken)
        await #expect(throws: broken) { try await load(at: Self.savedAt) }
        #expect(store.messages == [.retrieve])
    }

    @Test("cancelled, it delivers neither feed nor error of its own")
    func cancelled() async throws {
        _ = try await save()
        let loader = LocalFeedLoader(store: store, now: { Self.savedAt })
        let task = Task { [url] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await loader.load(url, maxAge: .standard)
        }
        let result = await task.result
        #expect(throws: FeedError.cancelled) { try result.get() }
    }
}
