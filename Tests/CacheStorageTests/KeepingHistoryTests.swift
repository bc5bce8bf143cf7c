import CacheStorage
import FeedCore
import TestDoubles
import TestSupport
import Testing

/// Items appear, disappear, return and change; servers fail; saving fails; the value of `--keep` changes.
///
/// After each step the cache has the same items as a simple model.
@Suite("A mirror's history")
struct KeepingHistoryTests {
    @Test("a mirror in memory keeps exactly the items that --keep covers", .timeLimit(.minutes(15)), arguments: 0..<250)
    func inMemory(seed: UInt64) async throws {
        let cache = InMemoryCache()
        var history = History(
            seed, InMemoryFeedStore(cache), InMemoryImageStore(cache),
            failing: { store, fails in
                (store as? InMemoryFeedStore)?.fail(.insert, with: fails ? .storage(.failed, "full") : nil)
            })
        for _ in 0..<16 { try await history.step() }
    }

    @Test(
        "a mirror on disk keeps exactly the items that --keep covers", .timeLimit(.minutes(15)), arguments: 1000..<1250)
    func onDisk(seed: UInt64) async throws {
        let scratch = try ScratchCache()
        let cache = try await scratch.open()
        var history = History(
            seed, cache.feeds, cache.images,
            failing: { _, fails in
                let trigger = "CREATE TRIGGER fault BEFORE INSERT ON items BEGIN SELECT raise(ABORT, 'full'); END"
                try scratch.execute(fails ? trigger : "DROP TRIGGER fault")
            })
        for _ in 0..<16 { try await history.step() }
        await cache.close()
    }
}

private struct History {
    private struct Model {
        var current: [FeedImage] = []
        var kept: [FeedImage] = []
        var savedAt = Timestamp(microseconds: 0)
        var keep: Keep?
        var isThere = false
    }

    private static let url = ResourceURL.first
    private static let keeps = ["none", "forever", "40s", "3", "6"].map { Keep($0) }

    private var random: SeededGenerator
    private let feeds: any FeedStore
    private let images: any ImageStore
    private let fail: (any FeedStore, Bool) throws -> Void
    private var now = Timestamp(microseconds: 1_000_000_000)
    private var served: [FeedImage] = []
    private var model = Model()

    init(
        _ seed: UInt64, _ feeds: any FeedStore, _ images: any ImageStore,
        failing fail: @escaping (any FeedStore, Bool) throws -> Void
    ) {
        random = SeededGenerator(seed: seed)
        (self.feeds, self.images, self.fail) = (feeds, images, fail)
    }

    mutating func step() async throws {
        now = now + .seconds(Int.random(in: 1...20, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            serveOthers()
            try await sync()
        case 4: try await sync()
        case 5: try await sync(told: Self.keeps.randomElement(using: &random) ?? nil)
        case 6:
            served = []
            try await sync()
        case 7: try await failToSync()
        case 8: try await dieOrMove()
        default: try await validate()
        }
        try await compare()
    }

    private mutating func serveOthers() {
        let ids = (0..<12).shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))
        served = ids.map { id in
            let revision = Int.random(in: 0..<8, using: &random) / 7
            let age = Int64.random(in: 1...60, using: &random)
            let published =
                Bool.random(using: &random) ? Timestamp(microseconds: now.microseconds - age * 1_000_000) : nil
            return FeedImage(
                id: "\(id)", url: .known("https://images.example/\(id)-\(revision).png"),
                post: FeedPost(title: "Post \(id)", published: published))
        }
    }

    private func refresh(_ client: ScriptedHTTPClient, told: Keep? = nil) async throws -> FeedRefresh.Refreshed {
        let remote = RemoteFeedLoader(
            client: client, decoder: StubDecoder(Feed(format: .rss, images: served)), maxBytes: 1000)
        let local = LocalFeedLoader(store: feeds, now: { [now] in now })
        return try await FeedRefresh(remote: remote, local: local, keep: told).refresh(Self.url)
    }

    private mutating func sync(told: Keep? = nil) async throws {
        let refreshed = try await refresh(ScriptedHTTPClient { _ in .ok([1]) }, told: told)
        let hadImages = model.isThere && !model.current.isEmpty
        #expect(refreshed.hasEmptied == (hadImages && served.isEmpty))
        let keep = told ?? model.keep
        let ids = Set(served.map(\.id))
        if keep == nil || keep?.limit == Keep.Limit.none {
            model.kept = []
        } else {
            let gone = model.current.filter { !ids.contains($0.id) }.map { $0.leaving(model.savedAt) }
            model.kept = model.kept.filter { !ids.contains($0.id) } + gone
        }
        (model.current, model.savedAt, model.keep, model.isThere) = (served, now, keep, true)
        letGo()
        #expect(refreshed.keptCount == model.kept.count)
        try await publish(served.map(\.url))
    }

    /// A step that changes nothing, because the server is unavailable or the disk is full.
    private mutating func failToSync() async throws {
        let before = served
        serveOthers()
        if Bool.random(using: &random) {
            await #expect(throws: FeedError.self) { try await refresh(ScriptedHTTPClient { _ in .status(500) }) }
        } else if !served.isEmpty, served != model.current {
            try fail(feeds, true)
            #expect(try await refresh(ScriptedHTTPClient { _ in .ok([1]) }).saveFailure != nil)
            try fail(feeds, false)
        }
        served = before
    }

    private mutating func dieOrMove() async throws {
        await #expect(throws: FeedError.self) { try await refresh(ScriptedHTTPClient { _ in .status(404) }) }
    }

    private mutating func validate() async throws {
        let validation = ValidateFeedCache(store: feeds, now: { [now] in now })
        let maxAge = MaxAge.span(.seconds(15))
        _ = try await validation.validate(Self.url, maxAge: maxAge)
        let isKept = model.keep.map { $0.limit != Keep.Limit.none } == true
        if !isKept, !FeedCachePolicy.isFresh(savedAt: model.savedAt, now: now, maxAge: maxAge) { model = Model() }
        letGo()
        _ = try await images.removeUnreferenced(.forReal)
        let covered = (model.current + model.kept).map(\.url)
        #expect(try await images.find(covered).allSatisfy { $0 != nil })
        #expect(try await images.totals().count == Set(covered.map(\.text)).count)
    }

    /// Applies the rules of `--keep` to the list of the model.
    private mutating func letGo() {
        switch model.keep?.limit {
        case nil, .forever: return
        case Keep.Limit.none?: model.kept = []
        case .age(let age): model.kept.removeAll { ($0.lastSeen.map { now - $0 } ?? .zero) >= age }
        case .count(let count):
            var all = (model.current + model.kept).map { ($0, $0.published ?? $0.lastSeen ?? model.savedAt) }
            all.sort { $0.1 > $1.1 }
            let newest = Set(all.prefix(count).map(\.0.id))
            model.kept.removeAll { !newest.contains($0.id) }
        }
    }

    private func publish(_ urls: [ResourceURL]) async throws {
        var received: [ReceivedImage] = []
        for url in urls {
            let bytes = try images.stage()
            try bytes.append(Samples.png(url.text))
            received.append(
                ReceivedImage(
                    url: url, feeds: [.first], bytes: bytes, size: 1, type: .png,
                    validators: Validators(), fetchedAt: now))
        }
        _ = try await images.publish(received)
    }

    private func compare() async throws {
        let saved = try await feeds.retrieve(Self.url, withKept: true)
        #expect((saved != nil) == model.isThere)
        guard let saved else { return }
        #expect(saved.feed.images == model.current)
        #expect(saved.kept.map(\.newness) == model.kept.map(\.newness).sorted(by: >))
        #expect(Set(saved.kept) == Set(model.kept))
        #expect(saved.keptCount == model.kept.count)
    }
}
