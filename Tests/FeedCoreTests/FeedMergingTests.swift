import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Merging feeds from elsewhere")
struct FeedMergingTests {
    private let cache = InMemoryCache()
    private var feeds: InMemoryFeedStore { InMemoryFeedStore(cache) }
    private var images: InMemoryImageStore { InMemoryImageStore(cache) }

    private struct Offer: ArchivedFeed {
        let head: FeedHead
        let images: [(ResourceURL, [UInt8]?)]

        func removed() -> RemovedImages { RemovedImages() }

        func forEachImage(_ visit: (FeedImage, ArchivedData) throws(FeedError) -> Void) throws(FeedError) {
            for (url, bytes) in images {
                let held = bytes.map { bytes in
                    ArchivedData.held(
                        OfferedImage(
                            url: url, digest: InMemoryImageStore.digest(of: bytes), size: Int64(bytes.count),
                            type: .png, validators: Validators(), fetchedAt: head.savedAt))
                }
                try visit(FeedImage(id: "new", url: url), held ?? .none)
            }
        }
    }

    private func offer(
        _ url: ResourceURL = .first, savedAt: Int64, _ images: [(ResourceURL, String?)]
    ) -> Offer {
        Offer(
            head: FeedHead(
                url: url, title: nil, format: .essential, savedAt: Timestamp(microseconds: savedAt)),
            images: images.map { ($0.0, $0.1.map { Samples.png($0) }) })
    }

    @discardableResult
    private func merge(
        _ offers: [Offer], isForced: Bool = false, now: Timestamp = Timestamp(microseconds: 100)
    ) async throws -> ImportReport {
        try await InMemoryTransfer(cache).takeIn { intake throws(FeedError) in
            var seen: Set<Digest> = []
            for case let bytes? in offers.flatMap({ $0.images.map(\.1) }) {
                let digest = InMemoryImageStore.digest(of: bytes)
                guard seen.insert(digest).inserted else { continue }
                try intake.blobs.add(bytes, as: digest)
            }
            return try intake.merge { merge throws(FeedError) in
                try FeedMerging(isForced: isForced, now: now).merge(offers, into: merge)
            }
        }
    }

    private func data(of url: ResourceURL) async throws -> String? {
        guard let image = try await images.find([url])[0] else { return nil }
        let bytes = try await images.data(of: image)
        return String(decoding: bytes.dropFirst(Samples.png.count), as: UTF8.self)
    }

    private func save(_ saved: SavedFeed) async throws {
        try await feeds.change { change throws(FeedError) in try change.insert(saved) }
    }

    @Test("adds a feed that isn't there, with its data") func adding() async throws {
        let report = try await merge([offer(savedAt: 5, [(.image(0), "a"), (.image(1), nil)])])
        #expect(report.feeds == [.init(url: .first, outcome: .added)] && report.images == 1)
        let saved = try #require(try await feeds.retrieve(.first))
        #expect(saved.feed.images.map(\.url) == [.image(0), .image(1)] && saved.savedAt == Timestamp(microseconds: 5))
        #expect(try await data(of: .image(0)) == "a")
    }

    @Test(
        "replaces a feed only by one saved later, unless it is told to",
        arguments: [(4, false, false), (5, false, false), (6, false, true), (4, true, true)] as [(Int64, Bool, Bool)])
    func replacing(savedAt: Int64, isForced: Bool, replaces: Bool) async throws {
        try await save(.sample(images: 1, savedAt: 5))
        let report = try await merge([offer(savedAt: savedAt, [(.image(7), nil)])], isForced: isForced)
        #expect(report.feeds.map(\.outcome) == [replaces ? .replaced : .kept])
        #expect(try await feeds.retrieve(.first)?.feed.images.map(\.url) == [replaces ? .image(7) : .image(0)])
    }

    @Test("takes no date for later that lies ahead of the clock, where the other can be true")
    func futureDates() async throws {
        let now = Timestamp(microseconds: 100)
        let (past, ahead, further) = (Int64(5), Int64(7_200_000_000), Int64(9_000_000_000))
        let cases = [(past, ahead, false), (ahead, past, true), (ahead, further, true), (further, ahead, false)]
        for (there, offered, replaces) in cases {
            try await save(.sample(images: 1, savedAt: there))
            let report = try await merge([offer(savedAt: offered, [(.image(7), nil)])], now: now)
            #expect(report.feeds.map(\.outcome) == [replaces ? .replaced : .kept], "\(there), \(offered)")
        }
    }

    @Test("takes data for a feed that it keeps, where the feed names the image") func partsOfAFeed() async throws {
        try await save(.sample(images: 2, savedAt: 5))
        try await merge([offer(savedAt: 4, [(.image(0), "a"), (.image(9), "b")])])
        #expect(try await data(of: .image(0)) == "a")
        #expect(try await data(of: .image(9)) == nil)
    }

    @Test("keeps data that is there, unless it is damaged") func existingData() async throws {
        try await merge([offer(savedAt: 1, [(.image(0), "old"), (.image(1), "old too")])])
        try images.damage(.image(1))
        let report = try await merge([offer(savedAt: 2, [(.image(0), "new"), (.image(1), "new too")])])
        #expect(report.images == 1)
        #expect(try await data(of: .image(0)) == "old")
        #expect(try await data(of: .image(1)) == "new too")
    }

    @Test("Two feeds of an archive with data of one URL each get their own") func twoFeeds() async throws {
        try await merge([
            offer(.first, savedAt: 1, [(.image(0), "one")]), offer(.second, savedAt: 2, [(.image(0), "other")]),
        ])
        let image = FeedImage(id: "", url: .image(0))
        for (feed, text) in [(ResourceURL.first, "one"), (.second, "other")] {
            let stored = try #require(try await images.find([image], of: feed)[0])
            #expect(try await images.data(of: stored) == Samples.png(text))
        }
    }

    @Test("keeps the credentials of a feed that it replaces") func credentials() async throws {
        let url = ResourceURL.known("https://me:pw@feeds.example/first")
        try await save(.sample(url, savedAt: 1))
        try await merge([offer(savedAt: 2, [])])
        #expect(try await feeds.retrieve(.first)?.url.credentials == "me:pw")
    }

    private struct Mirror: ArchivedFeed {
        let head: FeedHead
        let images: [FeedImage]
        var removals = RemovedImages()

        func removed() -> RemovedImages { removals }

        func forEachImage(_ visit: (FeedImage, ArchivedData) throws(FeedError) -> Void) throws(FeedError) {
            for image in images { try visit(image, .none) }
        }
    }

    @Test("an item that one archive brings and the next lacks is kept and never requested", arguments: [false, true])
    func archivesInARow(restores: Bool) async throws {
        try await save(.sample(images: 1, savedAt: 1))
        try await feeds.change { change throws(FeedError) in try change.setKeep(.forever, of: .first) }
        for (moment, number) in [(Int64(2), 7), (3, 8)] {
            let head = FeedHead(
                url: .first, title: nil, format: .rss, savedAt: Timestamp(microseconds: moment), keep: .forever)
            let archive = Mirror(head: head, images: [FeedImage(id: "\(number)", url: .image(number))])
            try await InMemoryTransfer(cache).takeIn { intake throws(FeedError) in
                try intake.merge { merge throws(FeedError) in
                    _ = try FeedMerging(isForced: false, restores: restores, now: Timestamp(microseconds: 100)).merge(
                        [archive], into: merge)
                }
            }
        }
        #expect(try await feeds.retrieve(.first, withKept: true)?.kept.contains { $0.id == "7" } == true)
        let wanted = try await feeds.keptWithoutData(of: .first)
        #expect(wanted.contains { $0.id == "7" } == restores)
    }

    private func mirror(savedAt: Int64, _ images: [FeedImage], without removed: [FeedImage] = []) -> Mirror {
        let head = FeedHead(
            url: .first, title: nil, format: .rss, savedAt: Timestamp(microseconds: savedAt), keep: .forever)
        return Mirror(head: head, images: images, removals: RemovedImages(removed.map(RemovedImages.Removal.init)))
    }

    private func merge(_ archive: Mirror, into cache: InMemoryCache) async throws {
        try await InMemoryTransfer(cache).takeIn { intake throws(FeedError) in
            try intake.merge { merge throws(FeedError) in
                _ = try FeedMerging(isForced: false, restores: true, now: Timestamp(microseconds: 100)).merge(
                    [archive], into: merge)
            }
        }
    }

    @Test(
        "what either of two copies removed is gone from both, whichever was saved later and in whatever order they come",
        arguments: [false, true], [false, true])
    func removals(isRemovedFirst: Bool, isRemovalLater: Bool) async throws {
        let images = (0..<3).map { FeedImage(id: "\($0)", url: .image($0)) }
        let left = FeedImage(id: "left", url: .image(7)).leaving(Timestamp(microseconds: 1))
        let whole = mirror(savedAt: isRemovalLater ? 1 : 2, images + [left])
        let removing = mirror(savedAt: isRemovalLater ? 2 : 1, [images[0], images[1]], without: [images[1], left])
        for archive in isRemovedFirst ? [removing, whole] : [whole, removing] { try await merge(archive, into: cache) }
        let saved = try await feeds.retrieve(.first, withKept: true)
        let ids = (saved?.feed.images ?? []).map(\.id) + (saved?.kept ?? []).map(\.id)
        #expect(ids.sorted() == ["0", "2"])
        #expect(try await feeds.removed(from: .first).entries.map(\.id) == ["1", "left"])
    }

    @Test("removals of several archives add up, up to a limit")
    func limit() async throws {
        let images = (0..<2).map { FeedImage(id: "\($0)", url: .image($0)) }
        for image in images { try await merge(mirror(savedAt: 1, [], without: [image]), into: cache) }
        #expect(try await feeds.removed(from: .first).count == 2)
        var many = mirror(savedAt: 1, [])
        many.removals = RemovedImages(
            (0..<RemovedImages.most).map { RemovedImages.Removal(id: "many \($0)", urls: [.image(0)]) })
        let error = await #expect(throws: FeedError.self) { try await merge(many, into: cache) }
        #expect(error?.kind == .invalidData)
        #expect(try await feeds.removed(from: .first).count == 2)
    }

    @Test("mirrors of one feed become one that has all that any has, in whatever order they come", arguments: 0..<40)
    func mirrors(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let mirrors = (1...5).map { moment -> Mirror in
            func images(_ lastSeen: Int64?) -> [FeedImage] {
                (0..<8).shuffled(using: &random).prefix(3).map { number in
                    let image = FeedImage(id: "\(number)", url: .image(number))
                    return lastSeen.map { image.leaving(Timestamp(microseconds: $0)) } ?? image
                }
            }
            let current = images(nil)
            let left = images(Int64.random(in: 1...4, using: &random)).filter { old in
                !current.contains { $0.id == old.id }
            }
            let head = FeedHead(
                url: .first, title: nil, format: .rss, savedAt: Timestamp(microseconds: Int64(moment) * 10),
                keep: .forever)
            return Mirror(head: head, images: current + left)
        }
        let all = Set(mirrors.flatMap { $0.images.map(\.id) })
        var results: Set<[FeedImage]> = []
        for _ in 0..<10 {
            let cache = InMemoryCache()
            for mirror in mirrors.shuffled(using: &random) {
                try await InMemoryTransfer(cache).takeIn { intake throws(FeedError) in
                    try intake.merge { merge throws(FeedError) in
                        _ = try FeedMerging(isForced: false, restores: true, now: Timestamp(microseconds: 100)).merge(
                            [mirror], into: merge)
                    }
                }
            }
            let saved = try #require(try await InMemoryFeedStore(cache).retrieve(.first, withKept: true))
            #expect(saved.feed.images == mirrors[4].images.filter { $0.lastSeen == nil })
            #expect(Set((saved.feed.images + saved.kept).map(\.id)) == all)
            #expect(saved.keep == .forever)
            results.insert(saved.kept.sorted { $0.id < $1.id })
        }
        #expect(results.count == 1)
    }
}
