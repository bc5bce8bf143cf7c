import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Save feed")
struct SaveFeedUseCaseTests {
    private let store = InMemoryFeedStore()
    private let url: ResourceURL
    private static let now = Timestamp(microseconds: 1_774_744_200_123_456)

    init() throws { url = try Samples.url("https://feeds.example/feed.json") }

    private var loader: LocalFeedLoader { LocalFeedLoader(store: store, now: { Self.now }) }

    private func save(
        _ feed: Feed, _ validators: Validators = Validators()
    ) async throws(FeedError) -> LocalFeedLoader.Saved {
        try await loader.save(new(feed, validators), over: nil)
    }

    private func new(_ feed: Feed, _ validators: Validators = Validators(), pages: Int = 1) -> SavedFeed {
        SavedFeed(url: url, feed: feed, savedAt: Timestamp(microseconds: 0), validators: validators, pages: pages)
    }

    @Test("deletes the old cache, then inserts the new one with the time of saving")
    func order() async throws {
        let feed = try Samples.feed()
        let validators = Validators(etag: "\"a\"")
        #expect(try await save(feed, validators).moment == Self.now)
        #expect(store.messages == [.delete, .insert])
        let saved = SavedFeed(url: url, feed: feed, savedAt: Self.now, validators: validators)
        #expect(try await store.retrieve(url) == saved)
    }

    @Test("tells the time only once the old cache is deleted")
    func timestamp() async throws {
        let loader = LocalFeedLoader(store: store) { [store] in
            #expect(store.messages == [.delete])
            return Self.now
        }
        _ = try await loader.save(new(try Samples.feed()), over: nil)
    }

    @Test("a failed save leaves the old cache unchanged", arguments: [InMemoryFeedStore.Message.delete, .insert])
    func failure(of message: InMemoryFeedStore.Message) async throws {
        _ = try await save(try Samples.feed(1))
        let old = try await store.retrieve(url)
        let full = FeedError.storage(.failed, "disk full")
        store.fail(message, with: full)
        await #expect(throws: full) {
            try await save(try Samples.feed(3))
        }
        #expect(try await store.retrieve(url) == old)
    }

    @Test("does not insert where deleting fails")
    func noInsertAfterFailedDelete() async throws {
        store.fail(.delete)
        await #expect(throws: FeedError.self) {
            try await save(try Samples.feed())
        }
        #expect(store.messages == [.delete])
    }

    @Test("confirming the saved feed renews its time and validators alone")
    func confirm() async throws {
        let feed = try Samples.feed()
        _ = try await save(feed, Validators(etag: "\"old\""))
        let later = Self.now + .seconds(60)
        let renewed = Validators(etag: "\"new\"")
        let confirming = LocalFeedLoader(store: store, now: { later })
        let old = try #require(try await store.retrieve(url))
        #expect(try await confirming.confirm(new(feed, renewed), over: old).moment == later)
        #expect(store.messages == [.delete, .insert, .retrieve, .confirm])
        #expect(
            try await store.retrieve(url)
                == SavedFeed(url: url, feed: feed, savedAt: later, validators: renewed))
    }

    @Test("saving and confirming a feed leave it to another run that has saved it meanwhile")
    func savedMeanwhile() async throws {
        _ = try await save(try Samples.feed(1))
        let saved = try await store.retrieve(url)
        let earlier = SavedFeed(url: url, feed: try Samples.feed(2), savedAt: Timestamp(microseconds: 1))
        for confirms in [true, false] {
            let error = await #expect(throws: FeedError.self) {
                confirms
                    ? try await loader.confirm(earlier, over: earlier)
                    : try await loader.save(new(try Samples.feed(3)), over: earlier)
            }
            #expect(error?.kind == .storage(.locked))
        }
        #expect(try await store.retrieve(url) == saved)
    }

    @Test("confirming a feed that was deleted meanwhile saves it again")
    func confirmDeleted() async throws {
        let feed = try Samples.feed()
        let validators = Validators(etag: "\"a\"")
        let old = SavedFeed(url: url, feed: feed, savedAt: Timestamp(microseconds: 1))
        let new = new(feed, validators, pages: 2)
        #expect(try await loader.confirm(new, over: old).moment == Self.now)
        #expect(store.messages == [.confirm, .insert])
        #expect(
            try await store.retrieve(url)
                == SavedFeed(url: url, feed: feed, savedAt: Self.now, validators: validators, pages: 2))
    }
}
