import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import CacheStorage

@Suite("A cache of version 1")
struct VersionOneTests {
    private let scratch: ScratchCache
    private let feed = ResourceURL.known("https://feeds.example/feed.json")
    private let there = ResourceURL.known("https://images.example/there.png")
    private let gone = ResourceURL.known("https://images.example/gone.png")

    init() throws {
        scratch = try ScratchCache()
        try scratch.makeCacheDirectory()
        for directory in ["images", "images/sha256", "incoming"] { try scratch.makeDirectory(directory) }
        try scratch.execute(try Fixtures.text("caches/version-1.sql"))
        try scratch.write(Array("picture".utf8), to: "images/sha256/\(Self.digest)")
    }

    @Test("a cache of version 1 is migrated by a writer with everything that it holds")
    func writing() async throws {
        let cache = try await scratch.open()
        try await expectWhatWasThere(in: cache)
        #expect(try scratch.query("PRAGMA user_version") == "\(CacheSchema.current.version)")
        #expect(try await cache.images.failures(of: [there, gone]) == [nil, nil])
        let failure = ImageFailure(
            url: gone, error: .invalidData("gone"), failedAt: Timestamp(microseconds: 5),
            recipients: Recipient.everybody(gone))
        try await cache.images.remember([failure])
        #expect(try await scratch.open(.read).images.failures(of: [gone])[0]?.count == 1)
    }

    @Test("a cache of version 1 with several spellings of a feed's URL keeps the feed that was saved last")
    func spellings() async throws {
        try scratch.execute(
            """
            INSERT INTO feeds (id, url, format, saved_at) VALUES
                (101, 'http://A.example:80/x', 'rss', 1), (102, 'http://a.example/b/../x#y', 'rss', 3),
                (103, 'http://a.example/x', 'rss', 2), (104, 'https://B.example/', 'rss', 1),
                (105, 'nonsense', 'rss', 1);
            INSERT INTO items (feed, position, item_id, url) SELECT id, 0, id, 'http://i/' || id FROM feeds WHERE id > 100;
            """)
        _ = try await scratch.open()
        #expect(
            try scratch.query(
                "SELECT group_concat(id || ' ' || url, ', ') FROM (SELECT * FROM feeds WHERE id > 100 ORDER BY id)")
                == "102 http://a.example/x, 104 https://b.example/, 105 nonsense")
        #expect(try scratch.query("SELECT group_concat(feed) FROM items WHERE feed > 100") == "102,104,105")
    }

    @Test("a repair of a cache of version 1 keeps everything that it holds")
    func repairing() async throws {
        let cache = try await scratch.open(.repair(lockWait: .zero))
        #expect(cache.notices == [])
        try await expectWhatWasThere(in: cache)
        #expect(try scratch.query("PRAGMA user_version") == "\(CacheSchema.current.version)")
    }

    @Test("a cache of version 1 can be read and stays at version 1")
    func reading() async throws {
        do {
            let cache = try await scratch.open(.read)
            try await expectWhatWasThere(in: cache)
            #expect(try await cache.images.failures(of: [there, gone]) == [nil, nil])
        }
        #expect(try scratch.query("PRAGMA user_version") == "1")
    }

    private func expectWhatWasThere(in cache: Cache) async throws {
        let saved = try #require(try await cache.feeds.retrieve(feed))
        #expect(saved.isNamed && saved.movedTo == nil && saved.rules == nil)
        let withPassword = try ResourceURL("https://me:secret@images.example/gone.png")
        #expect(
            saved.feed.images == [
                FeedImage(
                    id: "00000000-0000-4000-8000-000000000000", description: "Dawn", location: "Here", url: there),
                FeedImage(id: "00000000-0000-4000-8000-000000000001", url: withPassword),
            ])
        #expect(saved.savedAt == Timestamp(microseconds: 1_795_202_074_160_334))
        #expect(saved.validators.lastModified == "Fri, 20 Nov 2026 19:14:33 GMT")
        let image = try #require(try await cache.images.find([FeedImage(id: "", url: there)], for: Viewer(feed))[0])
        #expect(try await cache.images.data(of: image) == Array("picture".utf8))
        #expect(try await cache.images.find([FeedImage(id: "", url: gone)], for: Viewer(feed)) == [nil])
    }

    private static let digest = "2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97"
}
