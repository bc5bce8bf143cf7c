import CacheStorage
import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Rows that other programs have changed")
struct DatabaseRowTests {
    private let scratch: ScratchCache

    init() throws { scratch = try ScratchCache() }

    /// Opens a cache with one saved feed after `change` has modified its rows.
    ///
    /// The database itself is intact.
    private func cache(after change: String) async throws -> Cache {
        try await scratch.fill()
        try scratch.execute(change)
        let cache = try await scratch.open(.repair(lockWait: .zero))
        #expect(cache.notices == [])
        return cache
    }

    private func expectUnreadable(_ reason: String, in cache: Cache) async {
        let message = await expect(.unreadable) { () throws(FeedError) in _ = try await cache.feeds.retrieve(.first) }
        #expect(message.contains("https://feeds.example/first: \(reason)"))
    }

    private func expectDeletable(in cache: Cache) async throws {
        try await cache.feeds.change { change throws(FeedError) in try change.delete(.first) }
        #expect(try await cache.feeds.retrieve(.first) == nil)
    }

    @Test(
        "a feed with an invalid image is reported as unreadable by its name and can be deleted",
        arguments: ["file:relative", "file:///etc/hostname", "", "ftp://a/b"])
    func badItem(url: String) async throws {
        let cache = try await cache(after: "UPDATE items SET url = '\(url)' WHERE position = 1")
        await expectUnreadable("image 2", in: cache)
        await expect(.unreadable) { () throws(FeedError) in
            try await cache.transfer.read(lockWait: .zero) { snapshot throws(FeedError) in
                try snapshot.forEachImage(of: .first, at: .min ... .max) { _ in }
            }
        }
        try await expectDeletable(in: cache)
    }

    @Test(
        "an invalid link or alternative of an image is skipped",
        arguments: ["", "x", "file:///etc/hostname", "ftp://a/b", "https://", "https://a/\u{1}"])
    func badPlace(url: String) async throws {
        let places = "https://a.example/1 \(url)  https://a.example/2 \(url)"
        let cache = try await cache(after: "UPDATE items SET link = '\(url)', alternatives = '\(places)'")
        @Sendable func expectSensible(_ image: FeedImage) {
            #expect(image.link == nil)
            #expect(image.alternatives.map(\.text) == ["https://a.example/1", "https://a.example/2"])
        }
        try await cache.feeds.retrieve(.first)?.feed.images.forEach(expectSensible)
        try await cache.transfer.read(lockWait: .zero) { snapshot throws(FeedError) in
            try snapshot.forEachImage(of: .first, at: .min ... .max) { expectSensible($0.image) }
        }
    }

    @Test("a link or an alternative of an image has no password") func passwordInPlace() async throws {
        let place = "https://me:pw@a.example/1"
        let cache = try await cache(after: "UPDATE items SET link = '\(place)', alternatives = '\(place)'")
        let image = try #require(try await cache.feeds.retrieve(.first)?.feed.images.first)
        #expect(image.link == .known("https://a.example/1") && image.alternatives == [.known("https://a.example/1")])
    }

    @Test("an alternative that is a file must be beside its feed") func placesOfFile() async throws {
        let feed = ResourceURL.known("file:///srv/feed.json")
        let image = FeedImage(
            id: "1", url: .known("file:///srv/1.png"),
            alternatives: [.known("file:///srv/a/2.png"), .known("file:///etc/x"), .image(3)])
        let cache = try await scratch.open()
        try await cache.feeds.save(
            SavedFeed(url: feed, feed: Feed(format: .rss, images: [image]), savedAt: Timestamp(microseconds: 1)))
        let saved = try await cache.feeds.retrieve(feed)?.feed.images[0]
        #expect(saved?.alternatives == [.known("file:///srv/a/2.png"), .image(3)])
    }

    @Test(
        "a publishing date outside the valid range becomes the nearest valid one",
        arguments: [Int64.min, .max])
    func badPublished(_ microseconds: Int64) async throws {
        let cache = try await cache(after: "UPDATE items SET published = \(microseconds)")
        let nearest = microseconds < 0 ? Timestamp.writable.lowerBound : Timestamp.writable.upperBound
        #expect(try await cache.feeds.retrieve(.first)?.feed.images.map(\.published) == [nearest, nearest])
    }

    @Test(
        "a save date outside the valid range becomes the nearest valid one, and the feed can be deleted",
        arguments: [Int64.min, -62_167_219_200_000_001, 253_402_300_800_000_000, .max])
    func badMoment(_ microseconds: Int64) async throws {
        let cache = try await cache(after: "UPDATE feeds SET saved_at = \(microseconds)")
        let nearest = microseconds < 0 ? Timestamp.writable.lowerBound : Timestamp.writable.upperBound
        #expect(try await cache.feeds.summaries().map(\.head.savedAt) == [nearest])
        #expect(try await cache.feeds.retrieve(.first)?.savedAt == nearest)
        try await expectDeletable(in: cache)
    }

    @Test("invalid image rows are read as missing")
    func badImageRow() async throws {
        try await scratch.fill()
        try scratch.execute("UPDATE data SET media_type = 'text/html'")
        let cache = try await scratch.open()
        #expect(try await cache.images.find([.image(0)]) == [nil])
        try await cache.images.publish("picture", at: .image(0))
        #expect(try await cache.images.find([.image(0)])[0]?.type == .png)
    }

    @Test("invalid failure rows are read as missing")
    func badFailureRow() async throws {
        try await scratch.fill()
        let failure = ImageFailure(
            url: .image(0), error: .invalidData("gone"), failedAt: Timestamp(microseconds: 1),
            feeds: [.first])
        let cache = try await scratch.open()
        try await cache.images.remember([failure])
        try scratch.execute("UPDATE failures SET kind = 'boredom'")
        #expect(try await cache.images.failures(of: [.image(0)]) == [nil])
        try scratch.execute("UPDATE failures SET count = 9223372036854775807")
        try await cache.images.remember([failure])
        #expect(try await cache.images.failures(of: [.image(0)])[0]?.error.message == "gone")
    }

    /// Deletes a feed and leaves its items, as the shell of sqlite3 does.
    private static let deletionAlone = "PRAGMA foreign_keys = OFF; DELETE FROM feeds"

    @Test("items that another program left of a deleted feed don't affect the next feed", arguments: [true, false])
    func itemsOfNoFeed(merges: Bool) async throws {
        try await scratch.fill()
        try scratch.execute(Self.deletionAlone)
        let cache = try await scratch.open()
        if merges {
            try await cache.transfer.takeIn { intake throws(FeedError) in
                try intake.merge { merge throws(FeedError) in
                    try merge.begin(
                        FeedHead(url: .first, title: nil, format: .essential, savedAt: Timestamp(microseconds: 9)))
                    try merge.append(FeedImage(id: "new", url: .image(7)))
                }
            }
        } else {
            try await cache.feeds.save(.sample(images: 1))
        }
        #expect(try await cache.feeds.summaries().map(\.images) == [1])
    }

    @Test("items that another program left of a deleted feed are deleted together with their images")
    func imagesOfNoFeed() async throws {
        let cache = try await cache(after: Self.deletionAlone)
        #expect(try await cache.images.removeDamaged(.dryRun(withoutFeeds: [])) == .nothing)
        let all = ImageRemoval(images: 1, bytesFreed: 7)
        #expect(try await cache.images.removeUnreferenced(.dryRun(withoutFeeds: [])) == all)
        #expect(try await cache.images.removeUnreferenced(.forReal) == all)
        #expect(try await cache.images.find([.image(0)]) == [nil])
    }
}
