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

    @Test("deletes the old cache, then inserts the new one with the time of saving")
    func order() async throws {
        let feed = try Samples.feed()
        let validators = Validators(etag: "\"a\"")
        #expect(try await loader.save(feed, from: url, validators: validators) == Self.now)
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
        _ = try await loader.save(try Samples.feed(), from: url, validators: Validators())
    }

    @Test("where it fails the old cache stands as it was", arguments: [InMemoryFeedStore.Message.delete, .insert])
    func failure(of message: InMemoryFeedStore.Message) async throws {
        _ = try await loader.save(try Samples.feed(1), from: url, validators: Validators())
        let old = try await store.retrieve(url)
        let full = FeedError.storage(.failed, "disk full")
        store.fail(message, with: full)
        await #expect(throws: full) {
            try await loader.save(try Samples.feed(3), from: url, validators: Validators())
        }
        #expect(try await store.retrieve(url) == old)
    }

    @Test("does not insert where deleting fails")
    func noInsertAfterFailedDelete() async throws {
        store.fail(.delete)
        await #expect(throws: FeedError.self) {
            try await loader.save(try Samples.feed(), from: url, validators: Validators())
        }
        #expect(store.messages == [.delete])
    }

    @Test("confirming the saved feed renews its time and validators alone")
    func confirm() async throws {
        let feed = try Samples.feed()
        _ = try await loader.save(feed, from: url, validators: Validators(etag: "\"old\""))
        let later = Self.now + .seconds(60)
        let renewed = Validators(etag: "\"new\"")
        let confirming = LocalFeedLoader(store: store, now: { later })
        #expect(try await confirming.confirm(feed, from: url, validators: renewed) == later)
        #expect(store.messages == [.delete, .insert, .confirm])
        #expect(
            try await store.retrieve(url)
                == SavedFeed(url: url, feed: feed, savedAt: later, validators: renewed))
    }

    @Test("confirming a feed that was deleted meanwhile saves it again")
    func confirmDeleted() async throws {
        let feed = try Samples.feed()
        let validators = Validators(etag: "\"a\"")
        #expect(try await loader.confirm(feed, from: url, validators: validators, pages: 2) == Self.now)
        #expect(store.messages == [.confirm, .insert])
        #expect(
            try await store.retrieve(url)
                == SavedFeed(url: url, feed: feed, savedAt: Self.now, validators: validators, pages: 2))
    }
}
