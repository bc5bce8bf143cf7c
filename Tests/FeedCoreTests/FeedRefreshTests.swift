import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Refresh feed")
struct FeedRefreshTests {
    private let store = InMemoryFeedStore()
    private let url: ResourceURL
    private let feed: Feed
    private static let saved = Timestamp(microseconds: 1_000_000)
    private static let now = Timestamp(microseconds: 2_000_000)

    init() throws {
        url = try Samples.url("https://feeds.example/feed.json")
        feed = try Samples.feed()
    }

    private func save(
        _ feed: Feed, at url: ResourceURL? = nil, etag: String? = nil, pages: Int = 1, naming: FeedNaming = .byCommand
    ) async throws {
        let saved = SavedFeed(
            url: url ?? self.url, feed: feed, savedAt: Self.saved, validators: Validators(etag: etag), pages: pages,
            naming: naming, rules: ImageSelection().rules)
        try await store.change { change throws(FeedError) in try change.insert(saved) }
    }

    private func refresh(
        _ client: ScriptedHTTPClient, serving feed: Feed? = nil, pages: Int = 1, saves: Bool = true,
        givenBy giver: FeedGiver = .person, every: MaxAge? = nil
    ) async throws -> FeedRefresh.Refreshed {
        let remote = RemoteFeedLoader(
            client: client, decoder: StubDecoder(feed ?? self.feed), maxBytes: 1000, maxPages: pages)
        let local = LocalFeedLoader(store: store, now: { Self.now })
        let refresh = FeedRefresh(
            remote: remote, local: local, saves: saves, givenBy: giver,
            interval: every.map { .init(every: .age($0), maxAge: .forever, images: InMemoryImageStore()) })
        return try await refresh.refresh(url)
    }

    @Test("a command or the config file names a feed, and a list does not", arguments: [1, 2])
    func names(answer: Int) async throws {
        let client = ScriptedHTTPClient { _ in .ok([1]) }
        let givers: [(FeedGiver, FeedNaming)] = [
            (.list, .unnamed), (.config, .byConfig), (.list, .byConfig), (.person, .byCommand), (.config, .byCommand),
        ]
        try await save(try Samples.feed(answer == 1 ? 5 : 0), naming: .unnamed)
        for (giver, naming) in givers {
            _ = try await refresh(client, serving: try Samples.feed(0), givenBy: giver)
            #expect(try await store.retrieve(url)?.naming == naming)
        }
    }

    @Test("says what to do where a feed that nobody named is refused", arguments: [FeedGiver.list, .person])
    func refused(giver: FeedGiver) async throws {
        try await save(feed, naming: .unnamed)
        let error = await #expect(throws: FeedError.self) {
            try await refresh(ScriptedHTTPClient { _ in .status(401) }, givenBy: giver)
        }
        #expect(error?.message.contains("name it with") == (giver == .list))
    }

    @Test("saves a feed that was never saved")
    func first() async throws {
        let refreshed = try await refresh(ScriptedHTTPClient { _ in .ok([1]) })
        #expect(refreshed.feed == feed)
        #expect(refreshed.outcome == .updated)
        #expect(refreshed.savedAt == Self.now)
        #expect(store.messages == [.retrieve, .delete, .insert])
    }

    @Test("replaces a saved feed by one that differs")
    func updated() async throws {
        try await save(try Samples.feed(5))
        #expect(try await refresh(ScriptedHTTPClient { _ in .ok([1]) }).outcome == .updated)
        #expect(try await store.retrieve(url)?.feed == feed)
    }

    @Test("a 304 leaves the rows unchanged and renews the time")
    func notModified() async throws {
        try await save(feed, etag: "\"a\"")
        let client = ScriptedHTTPClient { _ in .status(304) }
        let refreshed = try await refresh(client)
        #expect(client.requests.map(\.validators) == [Validators(etag: "\"a\"")])
        #expect(refreshed.outcome == .unchanged)
        #expect(refreshed.feed == feed)
        #expect(refreshed.savedAt == Self.now)
        #expect(store.messages == [.insert, .retrieve, .confirm])
    }

    @Test(
        "asks conditionally if no more pages are wanted than the last time",
        arguments: [(1, 2, false), (2, 2, true), (3, 2, true)])
    func pages(saved: Int, wanted: Int, isConditional: Bool) async throws {
        try await save(feed, etag: "\"a\"", pages: saved)
        let client = ScriptedHTTPClient { $0.validators.isEmpty ? .ok([1]) : .status(304) }
        #expect(try await refresh(client, pages: wanted).outcome == .unchanged)
        #expect(client.requests.map { !$0.validators.isEmpty } == [isConditional])
        #expect(try await store.retrieve(url)?.pages == max(saved, wanted))
    }

    @Test(
        "asks nobody while the saved feed was confirmed less than an age ago",
        arguments: [
            (MaxAge.span(.seconds(1)), 1, true), (.span(.microseconds(1_000_001)), 1, false),
            (.span(.microseconds(1_000_001)), 2, true), (.forever, 1, false),
        ])
    func every(age: MaxAge, pages: Int, isAsked: Bool) async throws {
        let empty = try Samples.feed(0)
        try await save(empty, etag: "\"a\"")
        let client = ScriptedHTTPClient { _ in .ok([1]) }
        let refreshed = try await refresh(client, serving: empty, pages: pages, every: age)
        #expect(client.requests.count == (isAsked ? 1 : 0))
        #expect(refreshed.outcome == (isAsked ? .unchanged : .waiting))
        #expect(refreshed.savedAt == (isAsked ? Self.now : Self.saved))
        #expect((refreshed.imageTerms == nil) == !isAsked)
    }

    @Test("asks all the same while an image of the saved feed is still to be had")
    func unfinished() async throws {
        try await save(feed)
        #expect(try await refresh(ScriptedHTTPClient { _ in .ok([1]) }, every: .forever).outcome == .unchanged)
    }

    @Test("a feed that equals the saved one leaves the rows unchanged and renews the time")
    func equal() async throws {
        try await save(feed)
        let client = ScriptedHTTPClient { _ in .ok([1], validators: Validators(etag: "\"new\"")) }
        #expect(try await refresh(client).outcome == .unchanged)
        #expect(store.messages == [.insert, .retrieve, .confirm])
        #expect(try await store.retrieve(url)?.validators.etag == "\"new\"")
    }

    @Test("delivers the feed although it can't be saved, and says why it couldn't")
    func saveFailure() async throws {
        let full = FeedError.storage(.failed, "disk full")
        store.fail(.insert, with: full)
        let refreshed = try await refresh(ScriptedHTTPClient { _ in .ok([1]) })
        #expect(refreshed.feed == feed)
        #expect(refreshed.saveFailure == full)
        #expect(refreshed.savedAt == nil)
    }

    @Test("saves nothing when told not to", arguments: [200, 304])
    func dryRun(status: Int) async throws {
        try await save(feed, etag: "\"a\"")
        let client = ScriptedHTTPClient { _ in status == 304 ? .status(304) : .ok([1]) }
        let refreshed = try await refresh(client, serving: status == 200 ? try Samples.feed(9) : nil, saves: false)
        #expect(refreshed.outcome == (status == 304 ? .unchanged : .updated))
        #expect(store.messages == [.insert, .retrieve])
    }

    @Test("keeps the saved feed when the server fails", arguments: [404, 503])
    func remoteFailure(status: Int) async throws {
        try await save(feed)
        await #expect(throws: FeedError.self) { try await refresh(ScriptedHTTPClient { _ in .status(status) }) }
        #expect(store.messages == [.insert, .retrieve])
    }

    @Test("asks with the user name and password that the feed was saved with, unless others are given")
    func credentials() async throws {
        try await save(feed, at: try Samples.url("https://me:secret@feeds.example/feed.json"))
        let client = ScriptedHTTPClient { _ in .ok([1]) }
        _ = try await refresh(client)
        #expect(client.requests.map(\.url.credentials) == ["me:secret"])
        #expect(try await store.retrieve(url)?.url.credentials == "me:secret")
    }

    @Test("takes a 304 that nobody asked for as invalid")
    func unaskedNotModified() async throws {
        let error = await #expect(throws: FeedError.self) {
            try await refresh(ScriptedHTTPClient { _ in .status(304) })
        }
        #expect(error?.kind == .invalidData)
    }
}
