import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Load feed with fallback")
struct LoadFeedWithFallbackUseCaseTests {
    private let store = InMemoryFeedStore()
    private let url: ResourceURL
    private let feed: Feed
    private let savedFeed: Feed
    private static let now = Timestamp(microseconds: 1_774_744_200_000_000)
    private static let day = Duration.seconds(86_400)

    init() throws {
        url = try Samples.url("https://feeds.example/feed.json")
        feed = try Samples.feed(3)
        savedFeed = try Samples.feed(1)
    }

    private func save(daysAgo: Int) async throws {
        let saved = SavedFeed(url: url, feed: savedFeed, savedAt: Self.now + Self.day * -daysAgo)
        try await store.change { change throws(FeedError) in try change.insert(saved) }
    }

    private var local: LocalFeedLoader { LocalFeedLoader(store: store, now: { Self.now }) }

    private func loader(_ answer: ScriptedHTTPClient.Answer) -> FeedLoaderWithFallback {
        let client = ScriptedHTTPClient { _ in answer }
        let remote = RemoteFeedLoader(client: client, decoder: StubDecoder(feed), maxBytes: 1000)
        return FeedLoaderWithFallback(
            refresh: FeedRefresh(remote: remote, local: local), local: local, maxAge: .standard)
    }

    @Test("delivers the server's feed and saves it")
    func remote() async throws {
        try await save(daysAgo: 1)
        let loaded = try await loader(.ok([1])).load(url)
        #expect(loaded.feed == feed)
        #expect(loaded.source == .remote(saveFailure: nil))
        #expect(try await store.retrieve(url)?.feed == feed)
    }

    @Test("delivers the server's feed also when saving fails, and reports that")
    func saveFailure() async throws {
        store.fail(.delete)
        let loaded = try await loader(.ok([1])).load(url)
        #expect(loaded.feed == feed)
        #expect(loaded.source == .remote(saveFailure: .storage(.failed, "disk on fire")))
    }

    @Test("delivers the server's feed where the saved one can't be read, which is left alone and told of")
    func unreadable() async throws {
        try await save(daysAgo: 1)
        let broken = FeedError.storage(.unreadable, "broken")
        store.fail(.retrieve, with: broken)
        let loaded = try await loader(.ok([1])).load(url)
        #expect(loaded.feed == feed)
        #expect(loaded.source == .remote(saveFailure: broken))
        #expect(store.messages == [.insert, .retrieve])
    }

    @Test("names both causes when the saved feed can't be read, and the server's not be had")
    func unreadableAndUnreachable() async throws {
        store.fail(.retrieve, with: .storage(.unreadable, "broken"))
        let error = await #expect(throws: FeedError.self) { try await loader(.status(503)).load(url) }
        #expect(error?.kind == .connectivity)
        #expect(error?.message.contains("503") == true && error?.message.contains("broken") == true)
    }

    @Test("delivers the fresh saved feed for whatever reason the server fails", arguments: [404, 500])
    func fallback(status: Int) async throws {
        try await save(daysAgo: 6)
        let loaded = try await loader(.status(status)).load(url)
        #expect(loaded.feed == savedFeed)
        guard case .cache(let cause?) = loaded.source else {
            Issue.record("delivered from \(loaded.source)")
            return
        }
        #expect(cause.status == status)
    }

    @Test("names both causes when the saved feed is stale, and keeps it")
    func stale() async throws {
        try await save(daysAgo: 7)
        let error = await #expect(throws: FeedError.self) { try await loader(.status(503)).load(url) }
        #expect(error?.kind == .connectivity)
        #expect(error?.message.contains("503") == true)
        #expect(error?.message.contains("stale") == true)
        #expect(try await store.retrieve(url)?.feed == savedFeed)
    }

    @Test("names both causes when nothing was ever saved")
    func nothingSaved() async throws {
        let error = await #expect(throws: FeedError.self) { try await loader(.status(404)).load(url) }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.contains("404") == true)
        #expect(error?.message.contains("no saved feed") == true)
    }

    @Test("cancelled, it does not fall back")
    func cancelled() async throws {
        try await save(daysAgo: 1)
        let answer = ScriptedHTTPClient.Answer.ok([1]).after { withUnsafeCurrentTask { $0?.cancel() } }
        let result = await Task { [url] in try await loader(answer).load(url) }.result
        #expect(throws: FeedError.cancelled) { try result.get() }
        #expect(store.messages == [.insert, .retrieve])
    }

    @Test("offline, delivers what is fresh")
    func offline() async throws {
        try await save(daysAgo: 6)
        let loaded = try await local.loadOffline(url, maxAge: .standard)
        #expect(loaded.feed == savedFeed)
        #expect(loaded.source == .cache(instead: nil))
    }

    @Test("offline, a stale feed can't be reached and one never saved isn't found")
    func offlineFailures() async throws {
        let never = await #expect(throws: FeedError.self) { try await local.loadOffline(url, maxAge: .standard) }
        #expect(never?.kind == .notFound)
        try await save(daysAgo: 8)
        let stale = await #expect(throws: FeedError.self) { try await local.loadOffline(url, maxAge: .standard) }
        #expect(stale?.kind == .connectivity)
    }
}
