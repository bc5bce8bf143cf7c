import FeedCore
import TestDoubles
import TestSupport
import Testing

/// The rules for image data when an archive of the user's own is merged.
@Suite("Merging image data")
struct DataMergeTests {
    private let fixture = MergeFixture()

    private func take(_ savedAt: Int64, keep: Keep? = .forever, _ images: (FeedImage, String?)...) async throws
        -> ImportReport
    {
        try await fixture.transfer.takeIn(OfferedFeed(savedAt: savedAt, keep: keep, images))
    }

    @Test("An earlier archive completes the images that the cache lacks, and no URL that it does not reference")
    func parts() async throws {
        try await fixture.save(.sample(images: 2, savedAt: 5))
        let report = try await take(4, keep: nil, (.at(0, "image-0"), "A"), (.at(9, "other"), "B"))
        #expect(report.images == 1)
        #expect(try await fixture.text("image-0") == "A")
        #expect(try await fixture.images.find([.image(9)]) == [nil])
    }

    @Test("Intact data of a URL stays unless the archive's copy is the later one", arguments: [4, 6] as [Int64])
    func existing(savedAt: Int64) async throws {
        _ = try await take(5, (.at(0, "a"), "old"), (.at(1, "b"), "old too"))
        let (old, other) = (Samples.png("old too"), Samples.png("damaged"))
        try fixture.cache.swapData(old, other)
        let report = try await take(savedAt, (.at(0, "a"), "new"), (.at(1, "b"), "new too"))
        #expect(report.images == (savedAt == 6 ? 2 : 1))
        #expect(try await fixture.text("a") == (savedAt == 6 ? "new" : "old"))
        #expect(try await fixture.text("b") == "new too")
    }

    @Test("Items that share a URL keep the bytes of their own copy", arguments: [false, true])
    func ownBytes(isArchiveLater: Bool) async throws {
        let today: [(FeedImage, String?)] = [(.at(0, "c"), "C"), (.at(0, "b", lastSeen: 2), "B")]
        let before: [(FeedImage, String?)] = [(.at(0, "b"), "B"), (.at(0, "a", lastSeen: 1), "A")]
        let copies = [OfferedFeed(savedAt: 2, keep: .forever, before), OfferedFeed(savedAt: 3, keep: .forever, today)]
        for copy in isArchiveLater ? copies : copies.reversed() { try await fixture.transfer.takeIn(copy) }
        #expect(try await fixture.ids == ["c", "b", "a"])
        for (id, text) in [("a", "A"), ("b", "B"), ("c", "C")] {
            #expect(try await fixture.text(id) == text, "\(id)")
            #expect(try await fixture.stored(id)?.validators.etag == text, "\(id)")
        }
    }

    @Test("An item has the bytes of the later copy, else those of the earlier one", arguments: [false, true])
    func laterBytes(isArchiveLater: Bool) async throws {
        let earlier = OfferedFeed(savedAt: 1, [(.at(0, "a"), "A1"), (.at(1, "b"), "B1")])
        let later = OfferedFeed(savedAt: 2, [(.at(0, "a"), "A2"), (.at(1, "b"), nil)])
        for copy in isArchiveLater ? [earlier, later] : [later, earlier] { try await fixture.transfer.takeIn(copy) }
        #expect(try await fixture.text("a") == "A2")
        #expect(try await fixture.text("b") == "B1")
    }

    @Test("An item that had data of an alternative keeps it when a better URL gets data", arguments: [false, true])
    func alternatives(isArchiveLater: Bool) async throws {
        let image = FeedImage.at(0, "a", or: [1])
        var other = OfferedFeed(savedAt: isArchiveLater ? 1 : 2, keep: .forever, [(image, "alternative")])
        other.sources[ImageKey(image)] = .image(1)
        try await fixture.transfer.takeIn(other)
        _ = try await take(isArchiveLater ? 2 : 1, (.at(0, "b"), "B"))
        #expect(try await fixture.text("a") == "alternative")
        #expect(try await fixture.text("b") == "B")
        #expect(try await fixture.stored("a")?.from == .image(1))
    }

    @Test("Equal bytes have the earliest moment, and the validators of the later copy", arguments: [false, true])
    func equalBytes(isArchiveLater: Bool) async throws {
        for moment in isArchiveLater ? [1, 2] : [2, 1] as [Int64] {
            let stored = LeftOutImage(
                url: .image(0), digest: InMemoryImageStore.digest(of: Samples.png("A")),
                validators: Validators(etag: "\(moment)"), fetchedAt: Timestamp(microseconds: moment)
            ).found(size: Int64(Samples.png("A").count), type: .png)
            let feed = HeldFeed(head: OfferedFeed(savedAt: moment).head, image: .at(0, "a"), data: stored)
            try await fixture.transfer.takeIn { intake throws(FeedError) in
                try intake.blobs.add(Samples.png("A"), as: stored.digest)
                try intake.merge { merge throws(FeedError) in
                    let merging = FeedMerging(isForced: false, restores: true, now: Timestamp(microseconds: 100))
                    _ = try merging.merge([feed], into: merge)
                }
            }
        }
        let stored = try await fixture.stored("a")
        #expect(stored?.fetchedAt == Timestamp(microseconds: 1) && stored?.validators.etag == "2")
    }

    private struct HeldFeed: ArchivedFeed {
        let head: FeedHead
        let image: FeedImage
        let data: OfferedImage

        func removed() -> RemovedImages { RemovedImages() }

        func forEachImage(_ visit: (FeedImage, ArchivedData) throws(FeedError) -> Void) throws(FeedError) {
            try visit(image, .held(data))
        }
    }

    @Test("A new item without data does not pass for the earlier item that has its URL")
    func withoutData() async throws {
        let report = try await take(
            5, (.at(0, "new"), nil), (.at(0, "old"), "old"), (.at(0, "lost", lastSeen: 1), nil))
        #expect(report.missing == 2)
        #expect(try await fixture.stored("new")?.standing == .awaited)
        #expect(try await fixture.text("old") == "old")
        #expect(try await fixture.text("lost") == nil)
        let snapshot = try fixture.transfer.snapshot()
        var withData: [String] = []
        try snapshot.forEachImage(of: .first, at: 0...9) { if $0.stored != nil { withData.append($0.image.id) } }
        #expect(withData == ["old"])
        // An archive that has the data brings it.
        _ = try await take(4, (.at(0, "new"), "new"), (.at(0, "lost", lastSeen: 1), "lost"))
        #expect(try await fixture.text("new") == "new")
        #expect(try await fixture.text("lost") == "lost")
        #expect(try await fixture.text("old") == "old")
    }

    @Test("An image that the cache lacks does not pass for another image that an earlier archive has under its URL")
    func earlierArchive() async throws {
        _ = try await take(5, (.at(0, "new"), nil))
        _ = try await take(4, (FeedImage(id: "old", description: "Another image", url: .image(0)), "old"))
        #expect(try await fixture.stored("new")?.standing == .awaited)
        #expect(try await fixture.text("old") == "old")
    }

    @Test("A thin archive takes what it leaves out from any feed of the cache, and says what is missing")
    func leftOut() async throws {
        try await fixture.transfer.takeIn(OfferedFeed(.second, savedAt: 1, [(.at(5, "x"), "A")]))
        var thin = OfferedFeed(savedAt: 2, [(.at(0, "a"), "A"), (.at(1, "b"), "B"), (.at(2, "c"), "C")])
        thin.leftOut = ["A", "B"]
        let report = try await fixture.transfer.takeIn(thin)
        #expect(report.images == 2 && report.missing == 1 && report.leftOut == 1)
        #expect(try await fixture.text("a") == "A")
        #expect(try await fixture.text("b") == nil)
        #expect(try await fixture.text("c") == "C")
        #expect(try await fixture.stored("a")?.validators.etag == "A")
        _ = try await take(1, (.at(1, "b"), "B"))
        let again = try await fixture.transfer.takeIn(thin)
        #expect(again.images == 0 && again.leftOut == 0)
        #expect(try await fixture.text("b") == "B")
    }

    @Test("Data that only a plain import vouched for is the user's own once an archive of the user's own has it")
    func vouching() async throws {
        try await fixture.transfer.takeIn(OfferedFeed(savedAt: 5, [(.at(0, "a"), "A")]), restoring: false)
        #expect(try await fixture.stored("a")?.standing == .imported)
        _ = try await take(1, (.at(0, "a"), "A"))
        #expect(try await fixture.stored("a")?.standing == .obtained)
    }

    @Test("Restoring an archive twice changes nothing and brings nothing")
    func again() async throws {
        let images: [(FeedImage, String?)] = [
            (.at(0, "c"), "C"), (.at(0, "b"), "B"), (.at(1, "d"), nil), (.at(0, "a", lastSeen: 1), "A"),
        ]
        let feed = OfferedFeed(savedAt: 5, keep: .forever, images)
        try await fixture.transfer.takeIn(feed)
        let before = try await fixture.saved()
        let report = try await fixture.transfer.takeIn(feed)
        #expect(report.images == 0 && report.missing == 0)
        #expect(try await fixture.saved() == before)
        for (id, text) in [("a", "A"), ("b", "B"), ("c", "C")] { #expect(try await fixture.text(id) == text) }
    }
}
