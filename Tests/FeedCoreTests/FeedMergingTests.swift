import FeedCore
import TestDoubles
import TestSupport
import Testing

/// A cache in memory into which tests import feeds.
struct MergeFixture {
    let cache = InMemoryCache()
    var feeds: InMemoryFeedStore { InMemoryFeedStore(cache) }
    var images: InMemoryImageStore { InMemoryImageStore(cache) }
    var transfer: InMemoryTransfer { InMemoryTransfer(cache) }

    func save(_ saved: SavedFeed) async throws {
        try await feeds.change { change throws(FeedError) in try change.insert(saved) }
    }

    func saved(_ url: ResourceURL = .first) async throws -> SavedFeed {
        try #require(try await feeds.retrieve(url, withKept: true))
    }

    /// Returns the ids of the items, the current ones first.
    var ids: [String] { get async throws { try await items.map(\.id) } }

    var items: [FeedImage] {
        get async throws {
            let saved = try await saved()
            return saved.feed.images + saved.kept
        }
    }

    func stored(_ id: String) async throws -> StoredImage? {
        let image = try #require(try await items.first { $0.id == id })
        return try await images.find([image], of: .first)[0]
    }

    /// Returns the text in the bytes of an item; nil if the item has none.
    func text(_ id: String) async throws -> String? {
        guard let stored = try await stored(id) else { return nil }
        let bytes = try await images.data(of: stored)
        return String(decoding: bytes.dropFirst(Samples.png.count), as: UTF8.self)
    }
}

extension FeedImage {
    /// Returns an image; items of several days can have one URL.
    static func at(_ url: Int, _ id: String, lastSeen: Int64? = nil, or alternatives: [Int] = []) -> FeedImage {
        FeedImage(
            id: id, url: .image(url), post: FeedPost(lastSeen: lastSeen.map { Timestamp(microseconds: $0) }),
            alternatives: alternatives.map { .image($0) })
    }
}

@Suite("A plain import")
struct PlainImportTests {
    private let fixture = MergeFixture()

    private func take(_ feed: OfferedFeed) async throws -> ImportReport {
        try await fixture.transfer.takeIn(feed, restoring: false)
    }

    @Test("A plain import adds a feed with its images, and takes over no name, settings and removals")
    func adding() async throws {
        let images = [FeedImage.at(0, "a"), .at(1, "b"), .at(2, "c", lastSeen: 1)]
        var feed = OfferedFeed(savedAt: 5, keep: .forever, Array(zip(images, ["A", nil, "C"])), without: [images[0]])
        feed.head.settings = "{}"
        feed.head.nextPage = .known("https://feeds.example/first?page=2")
        let report = try await take(feed)
        #expect(report.feeds == [.init(url: .first, outcome: .added, hasSettings: true)])
        #expect(report.images == 2 && report.missing == 1)
        let saved = try await fixture.saved()
        #expect(try await fixture.ids == ["a", "b", "c"])
        #expect(saved.naming == .unnamed && saved.keep == nil && saved.walks.isEmpty && saved.rules == nil)
        #expect(try await fixture.text("a") == "A")
        #expect(try await fixture.stored("a")?.standing == .imported)
        #expect(try await fixture.feeds.removed(from: .first).isEmpty)
        #expect(try await fixture.feeds.keptWithoutData(of: .first).isEmpty)
    }

    @Test("A plain import leaves a feed of the cache exactly as it is, whatever the archive says about it")
    func strangers() async throws {
        let own = [FeedImage.at(0, "a"), .at(1, "b"), .at(2, "c", lastSeen: 1)]
        try await fixture.transfer.takeIn(
            OfferedFeed(savedAt: 5, keep: Keep("3"), Array(zip(own, ["A", nil, "C"]))))
        let before = try await fixture.saved()
        // The archive removes what is kept, has bytes for what is missing or still to come, invents newer items, and has
        // another image for a URL.
        let invented = (0..<9).map { (FeedImage.at(10 + $0, "new \($0)", lastSeen: 90), String?.some("\($0)")) }
        let hostile = OfferedFeed(
            savedAt: 50, keep: .forever,
            [(.at(0, "a"), "other"), (.at(1, "b"), "planted"), (.at(0, "d"), "same URL"), (.at(7, "e"), "future")]
                + invented,
            without: own)
        let report = try await take(hostile)
        #expect(report.feeds.map(\.outcome) == [.kept] && report.images == 0)
        #expect(try await fixture.saved() == before)
        #expect(try await fixture.text("a") == "A")
        #expect(try await fixture.text("b") == nil)
        #expect(try await fixture.text("c") == "C")
        #expect(try await fixture.images.find([.image(7)]) == [nil])
        #expect(try await fixture.feeds.removed(from: .first).isEmpty)
    }

    @Test("A plain import shares the data of a URL among current images, because the next sync replaces that data")
    func sharing() async throws {
        let images = [FeedImage.at(0, "a"), .at(0, "b"), .at(0, "c", lastSeen: 1), .at(0, "d", lastSeen: 1)]
        let report = try await take(OfferedFeed(savedAt: 5, Array(zip(images, ["A", "B", "C", "A"]))))
        #expect(report.images == 2 && report.missing == 0)
        var texts: [String?] = []
        for image in images { texts.append(try await fixture.text(image.id)) }
        #expect(texts == ["A", "A", "C", "A"])
    }
}

@Suite("Restoring the user's own archive")
struct RestoreTests {
    private let fixture = MergeFixture()

    @Test("A restored feed is added with everything that the archive says")
    func adding() async throws {
        var feed = OfferedFeed(savedAt: 5, keep: .forever, [(.at(0, "a"), "A"), (.at(1, "b", lastSeen: 3), nil)])
        (feed.head.naming, feed.head.settings, feed.head.gaps) = (.byConfig, #"{"pages":"all"}"#, "[1]")
        feed.head.nextPage = .known("https://feeds.example/first?page=7")
        let report = try await fixture.transfer.takeIn(feed)
        #expect(report.feeds.map(\.outcome) == [.added] && report.images == 1 && report.missing == 1)
        let saved = try await fixture.saved()
        #expect(saved.naming == .byConfig && saved.keep == .forever && saved.rules == "")
        #expect(saved.walks.map(\.page.url) == [feed.head.nextPage])
        #expect(try await fixture.feeds.keptWithoutData(of: .first).map(\.id) == ["b"])
        let snapshot = try fixture.transfer.snapshot()
        #expect(try snapshot.feeds() == [feed.head])
    }

    @Test("A walk of WordPress goes on at the page in its URL, and its items follow the oldest one")
    func walking() {
        let moment = Timestamp(microseconds: 5_000_000)
        let walk = OpenWalk(resumingAt: .known("https://feeds.example/feed?paged=17"), after: moment)
        #expect(walk.page.number == 17 && walk.page.isGuessed)
        #expect(walk.begun.microseconds - 17_000 == moment.microseconds - 1000)
        let other = OpenWalk(resumingAt: .known("https://feeds.example/feed?page=17"), after: moment)
        #expect(other.page.number == 2 && !other.page.isGuessed)
    }

    @Test(
        "A feed is replaced only by one that was saved later, unless the archive counts as the later one",
        arguments: [(4, false, false), (5, false, false), (6, false, true), (4, true, true)] as [(Int64, Bool, Bool)])
    func replacing(savedAt: Int64, isForced: Bool, replaces: Bool) async throws {
        try await fixture.save(.sample(images: 1, savedAt: 5))
        let report = try await fixture.transfer.takeIn(
            OfferedFeed(savedAt: savedAt, [(.at(7, "7"), nil)]), isForced: isForced)
        #expect(report.feeds.map(\.outcome) == [replaces ? .replaced : .kept])
        #expect(try await fixture.saved().feed.images.map(\.url) == [replaces ? .image(7) : .image(0)])
    }

    @Test("A moment ahead of the clock counts as the moment of the import")
    func futureDates() async throws {
        let (past, ahead, further) = (Int64(5), Int64(7_200_000_000), Int64(9_000_000_000))
        let cases = [(past, ahead, true), (ahead, past, false), (ahead, further, false), (further, ahead, false)]
        for (there, offered, replaces) in cases {
            try await fixture.save(.sample(images: 1, savedAt: there))
            let report = try await fixture.transfer.takeIn(OfferedFeed(savedAt: offered, [(.at(7, "7"), nil)]))
            #expect(report.feeds.map(\.outcome) == [replaces ? .replaced : .kept], "\(there), \(offered)")
        }
    }

    @Test("A replaced feed keeps its credentials, and a feed that was named stays named")
    func credentials() async throws {
        let url = ResourceURL.known("https://me:pw@feeds.example/first")
        try await fixture.save(.sample(url, savedAt: 1))
        var feed = OfferedFeed(savedAt: 2)
        feed.head.naming = .unnamed
        try await fixture.transfer.takeIn(feed)
        #expect(try await fixture.saved().url.credentials == "me:pw")
        #expect(try await fixture.saved().naming == .byCommand)
    }

    @Test("Only the later copy decides the settings")
    func settings() async throws {
        for (moment, keep) in [(Int64(5), "9"), (4, "8"), (6, "7")] {
            try await fixture.transfer.takeIn(OfferedFeed(savedAt: moment, keep: Keep(keep)))
        }
        #expect(try await fixture.saved().keep == Keep("7"))
        try await fixture.transfer.takeIn(OfferedFeed(savedAt: 9))
        #expect(try await fixture.saved().keep == Keep("7"))
    }

    @Test(
        "What either of two copies removed is gone from both, whichever was saved later and in whatever order they come",
        arguments: [false, true], [false, true])
    func removals(isRemovedFirst: Bool, isRemovalLater: Bool) async throws {
        let images = (0..<3).map { FeedImage.at($0, "\($0)") }
        let left = FeedImage.at(7, "left", lastSeen: 1)
        let whole = OfferedFeed(
            savedAt: isRemovalLater ? 1 : 2, keep: .forever, (images + [left]).map { ($0, nil) })
        let removing = OfferedFeed(
            savedAt: isRemovalLater ? 2 : 1, keep: .forever, images[..<2].map { ($0, nil) }, without: [images[1], left])
        for archive in isRemovedFirst ? [removing, whole] : [whole, removing] {
            try await fixture.transfer.takeIn(archive)
        }
        #expect(try await fixture.ids.sorted() == ["0", "2"])
        #expect(try await fixture.feeds.removed(from: .first).entries.map(\.id) == ["1", "left"])
    }

    @Test("The removals of several archives add up, up to a limit")
    func limit() async throws {
        for number in 0..<2 {
            try await fixture.transfer.takeIn(OfferedFeed(savedAt: 1, without: [.at(number, "\(number)")]))
        }
        #expect(try await fixture.feeds.removed(from: .first).count == 2)
        var many = OfferedFeed(savedAt: 1)
        many.removals = (0..<RemovedImages.most).map { .at(0, "many \($0)") }
        let error = await #expect(throws: FeedError.self) { try await fixture.transfer.takeIn(many) }
        #expect(error?.kind == .invalidData)
        #expect(try await fixture.feeds.removed(from: .first).count == 2)
    }

    @Test("An item of the earlier copy stays if either copy has a --keep", arguments: [false, true], [false, true])
    func keeping(isKeptByCache: Bool, isArchiveLater: Bool) async throws {
        var saved = SavedFeed.sample(images: 1, savedAt: 5)
        if isKeptByCache { saved.keep = .forever }
        try await fixture.save(saved)
        let keep: Keep? = isKeptByCache ? nil : .forever
        try await fixture.transfer.takeIn(
            OfferedFeed(savedAt: isArchiveLater ? 6 : 4, keep: keep, [(.at(7, "7"), "7")]))
        #expect(try await fixture.ids == (isArchiveLater ? ["7", "image-0"] : ["image-0", "7"]))
        #expect(try await fixture.text("7") == "7")
        try await fixture.transfer.takeIn(OfferedFeed(.second, savedAt: 1, [(.at(0, "a"), nil)]))
        try await fixture.transfer.takeIn(OfferedFeed(.second, savedAt: 2, [(.at(1, "b"), nil)]))
        #expect(try await fixture.saved(.second).kept.isEmpty)
    }

    @Test("An item that is current under another id is not kept", arguments: [4, 6] as [Int64])
    func changedID(savedAt: Int64) async throws {
        try await fixture.transfer.takeIn(OfferedFeed(savedAt: 5, keep: .forever, [(.at(0, "a"), nil)]))
        try await fixture.transfer.takeIn(OfferedFeed(savedAt: savedAt, keep: .forever, [(.at(0, "b"), nil)]))
        #expect(try await fixture.ids == [savedAt == 6 ? "b" : "a"])
    }

    @Test("Kept items that share an id in one copy all stay, and of two copies the one that was in the feed last")
    func sharedIDs() async throws {
        let images = [FeedImage.at(0, "a", lastSeen: 3), .at(1, "a", lastSeen: 3)]
        try await fixture.transfer.takeIn(OfferedFeed(savedAt: 5, images.map { ($0, nil) }))
        try await fixture.transfer.takeIn(OfferedFeed(savedAt: 6, [(.at(2, "a", lastSeen: 2), nil)]))
        #expect(try await fixture.items == images)
        try await fixture.transfer.takeIn(OfferedFeed(savedAt: 1, [(.at(3, "a", lastSeen: 4), nil)]))
        #expect(try await fixture.items == [.at(3, "a", lastSeen: 4)])
    }

    @Test("Mirrors of one feed become one that has all that any has, in whatever order they come", arguments: 0..<40)
    func mirrors(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let mirrors = (1...5).map { moment -> OfferedFeed in
            func images(_ lastSeen: Int64?) -> [FeedImage] {
                (0..<8).shuffled(using: &random).prefix(3).map { .at($0, "\($0)", lastSeen: lastSeen) }
            }
            let current = images(nil)
            let left = images(Int64.random(in: 1...4, using: &random)).filter { old in
                !current.contains { $0.id == old.id }
            }
            return OfferedFeed(savedAt: Int64(moment) * 10, keep: .forever, (current + left).map { ($0, $0.id) })
        }
        var results: Set<[FeedImage]> = []
        for _ in 0..<10 {
            let fixture = MergeFixture()
            for mirror in mirrors.shuffled(using: &random) { try await fixture.transfer.takeIn(mirror) }
            let saved = try await fixture.saved()
            #expect(saved.feed.images == mirrors[4].images.filter { $0.lastSeen == nil })
            #expect(Set(try await fixture.ids) == Set(mirrors.flatMap { $0.images.map(\.id) }))
            for id in try await fixture.ids { #expect(try await fixture.text(id) == id) }
            results.insert(saved.kept.sorted { $0.id < $1.id })
        }
        #expect(results.count == 1)
    }
}
