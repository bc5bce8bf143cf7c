import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import CacheStorage

@Suite("SQLite connections")
struct SQLiteTests {
    private let scratch: ScratchCache
    private var path: String { scratch.path(DatabaseFile.name) }

    init() throws {
        scratch = try ScratchCache()
        try scratch.makeCacheDirectory()
    }

    @Test("the connection to a cache's database has the settings for durability and untrusted input")
    func settings() async throws {
        _ = try await scratch.open()
        let connection = try SQLiteConnection(path, .writing)
        #expect(try connection.text("PRAGMA journal_mode") == "wal")
        #expect(try connection.integer("PRAGMA synchronous") == 2)
        #expect(try connection.integer("PRAGMA busy_timeout") == 5000)
        #expect(try connection.integer("PRAGMA trusted_schema") == 0)
        #expect(try connection.integer("PRAGMA cell_size_check") == 1)
        #expect(try connection.integer("PRAGMA foreign_keys") == 1)
        #expect(try connection.integer("PRAGMA temp_store") == 2)
        #expect(try connection.integer("PRAGMA user_version") == CacheSchema.current.version)
    }

    @Test("a database error contains the path and the reason without the SQL")
    func errors() async throws {
        let connection = try SQLiteConnection(path, .writing)
        try connection.execute("CREATE TABLE t (x INTEGER NOT NULL) STRICT")
        let message = await expect(.failed) { () throws(FeedError) in
            try connection.execute("INSERT INTO t VALUES (NULL)")
        }
        #expect(message.contains(path))
        #expect(message.contains("NOT NULL constraint failed: t.x (SQLite code 1299)"))
        #expect(!message.contains("INSERT"))
        let unprepared = await expect(.failed) { () throws(FeedError) in _ = try connection.prepare("SELECT y FROM t") }
        #expect(unprepared.contains(path) && !unprepared.contains("SELECT"))
    }

    @Test("a database that another connection locks is reported as busy")
    func busy() async throws {
        let first = try SQLiteConnection(path, .writing)
        let second = try SQLiteConnection(path, .writing)
        try second.execute("PRAGMA busy_timeout = 0")
        try first.execute("BEGIN EXCLUSIVE")
        await expect(.busy) { () throws(FeedError) in try second.execute("BEGIN IMMEDIATE") }
    }

    @Test("a transaction whose commit fails is rolled back")
    func failingCommit() async throws {
        let connection = try SQLiteConnection(path, .writing)
        try connection.execute(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
            """)
        await expect(.failed) { () throws(FeedError) in
            try connection.writing { () throws(FeedError) in try connection.execute("INSERT INTO child VALUES (1)") }
        }
        #expect(try connection.integer("SELECT count(*) FROM child") == 0)
        try connection.writing { () throws(FeedError) in try connection.execute("INSERT INTO parent VALUES (1)") }
        #expect(try connection.integer("SELECT count(*) FROM parent") == 1)
    }

    @Test("a statement that failed between two rows can be run again")
    func reset() async throws {
        let connection = try SQLiteConnection(path, .memory)
        let statement = try connection.statement("SELECT value FROM json_each('[1, 2, 3]')")
        await expect(.failed) { () throws(FeedError) in
            try statement.forEachRow { () throws(FeedError) in throw .storage(.failed, "enough") }
        }
        var sum: Int64 = 0
        try statement.forEachRow { () throws(FeedError) in sum += statement.integer(0) }
        #expect(sum == 6)
    }

    @Test(
        "a page that could not be read is distinguished from a damaged page",
        arguments: [
            ("Tree 3 page 5: unable to get the page. error code=266", true), ("Page 4: failed to get page 7", true),
            ("*** in database main ***\nPage 5: unable to get the page. error code=8458", true),
            ("Tree 3 page 5: unable to get the page. error code=3082", true),
            ("Tree 3 page 5: unable to get the page. error code=11", false),
            ("Tree 3 page 5: btreeInitPage() returns error code 11", false), ("invalid page number 12", false),
            ("Tree 3 page 5 cell 0: Rowid 7 out of order", false), ("NULL value in feeds.format", false),
        ])
    func failedRead(_ finding: String, isFailedRead: Bool) {
        #expect(SQLiteConnection.isFailedRead(finding) == isFailedRead)
    }

    @Test("a large feed is saved and loaded completely")
    func largeFeed() async throws {
        let cache = try await scratch.open()
        let saved = SavedFeed.sample(images: 20_000)
        try await cache.feeds.save(saved)
        #expect(try await cache.feeds.retrieve(.first) == saved)
        #expect(try await cache.feeds.summaries().map(\.images) == [20_000])
    }
}

@Suite("Migrations")
struct MigrationTests {
    private let scratch: ScratchCache
    /// A possible next version of the schema.
    private let next = CacheSchema(
        version: CacheSchema.current.version + 2,
        migrations: CacheSchema.current.migrations + [
            .init(
                from: CacheSchema.current.version, to: CacheSchema.current.version + 1,
                "ALTER TABLE feeds ADD COLUMN note TEXT; UPDATE feeds SET title = title || '!'"),
            .init(
                from: CacheSchema.current.version + 1, to: CacheSchema.current.version + 2,
                "UPDATE feeds SET title = title || '?'"),
        ])

    init() throws { scratch = try ScratchCache() }

    @Test("a writer runs all migrations that an older cache lacks")
    func writing() async throws {
        try await fill()
        let cache = try await open(.write(lockWait: .zero), next)
        #expect(try await cache.feeds.retrieve(.first)?.feed.title == "Sample!?")
        #expect(try scratch.query("PRAGMA user_version") == "\(next.version)")
    }

    @Test("a cache is migrated from a version between the oldest and the current one")
    func fromTheMiddle() async throws {
        try await fill()
        let middle = CacheSchema(version: next.version - 1, migrations: next.migrations.dropLast())
        _ = try await open(.write(lockWait: .zero), middle)
        let cache = try await open(.write(lockWait: .zero), next)
        #expect(try await cache.feeds.retrieve(.first)?.feed.title == "Sample!?")
    }

    @Test("a database without tables gets all tables")
    func fromNothing() async throws {
        try scratch.makeCacheDirectory()
        try scratch.execute("PRAGMA application_id = \(CacheSchema.applicationID)")
        try await scratch.open().feeds.save(.sample())
        #expect(try await scratch.open(.read).feeds.retrieve(.first) == .sample())
    }

    @Test("a reader sees an older cache as migrated and leaves its files unchanged")
    func reading() async throws {
        try await fill()
        let before = try scratch.snapshot()
        do {
            let cache = try await open(.read, next)
            #expect(try await cache.feeds.retrieve(.first)?.feed.title == "Sample!?")
        }
        #expect(try scratch.snapshot() == before)
    }

    @Test("a failed migration leaves the cache unchanged, including the effect of earlier migrations")
    func failing() async throws {
        try await fill()
        let last = CacheSchema.Migration(
            from: next.version, to: next.version + 1, "UPDATE feeds SET title = 'half'; SELECT nonsense FROM nowhere")
        let broken = CacheSchema(version: next.version + 1, migrations: next.migrations + [last])
        await expect(.unreadable) { () throws(FeedError) in _ = try await open(.write(lockWait: .zero), broken) }
        #expect(try scratch.query("PRAGMA user_version") == "\(CacheSchema.current.version)")
        #expect(try scratch.query("SELECT title FROM feeds") == "Sample")
    }

    private func fill() async throws { try await scratch.open().feeds.save(.sample()) }

    private func open(_ access: CacheAccess, _ schema: CacheSchema) async throws(FeedError) -> Cache {
        try await CacheOpener(path: scratch.path, schema: schema, sleeping: neverSleeping).open(access)
    }
}

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
            url: gone, error: .invalidData("gone"), failedAt: Timestamp(microseconds: 5), feeds: [feed])
        try await cache.images.remember([failure])
        #expect(try await scratch.open(.read).images.failures(of: [gone], in: feed)[0]?.count == 1)
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
        #expect(cache.notices.count == 1)
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
        #expect(saved.naming == .byCommand && saved.movedTo == nil && saved.rules == nil)
        let withPassword = try ResourceURL("https://me:secret@images.example/gone.png")
        #expect(
            saved.feed.images == [
                FeedImage(
                    id: "00000000-0000-4000-8000-000000000000", description: "Dawn", location: "Here", url: there),
                FeedImage(id: "00000000-0000-4000-8000-000000000001", url: withPassword),
            ])
        #expect(saved.savedAt == Timestamp(microseconds: 1_795_202_074_160_334))
        #expect(saved.validators.lastModified == "Fri, 20 Nov 2026 19:14:33 GMT")
        let image = try #require(try await cache.images.find([FeedImage(id: "", url: there)], of: feed)[0])
        #expect(try await cache.images.data(of: image) == Array("picture".utf8))
        #expect(try await cache.images.find([FeedImage(id: "", url: gone)], of: feed) == [nil])
    }

    private static let digest = "2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97"
}

@Suite("A cache of 0.2.0, where feeds share data")
struct SharedDataTests {
    private let scratch: ScratchCache
    private let one = ResourceURL.known("https://feeds.example/one.xml")
    private let two = ResourceURL.known("https://feeds.example/two.xml")
    private let lan = ResourceURL.known("http://10.0.0.1/lan.json")
    private let archived = ResourceURL.known("https://feeds.example/archive.xml")

    init() throws {
        scratch = try ScratchCache()
        try scratch.makeCacheDirectory()
        for directory in ["images", "images/sha256", "incoming"] { try scratch.makeDirectory(directory) }
        try scratch.execute(try Fixtures.text("caches/version-2.sql"))
        for text in ["shared", "of three", "own", "other", "kept", "lan", "page", "nobody"] {
            try scratch.write(Array(text.utf8), to: "images/sha256/\(digest(text).hex)")
        }
    }

    /// Returns the bytes of each image of a feed.
    private func texts(of feed: ResourceURL, in cache: Cache) async throws -> [String?] {
        let saved = try #require(try await cache.feeds.retrieve(feed, withKept: true))
        var texts: [String?] = []
        for stored in try await cache.images.find(saved.feed.images + saved.kept, of: feed) {
            guard let stored else { texts.append(nil); continue }
            texts.append(String(decoding: try await cache.images.data(of: stored), as: UTF8.self))
        }
        return texts
    }

    @Test("each feed keeps the images and the failures that it saw", arguments: [true, false])
    func images(writes: Bool) async throws {
        let cache = try await scratch.open(writes ? .write(lockWait: .zero) : .read)
        #expect(try await texts(of: one, in: cache) == ["shared", "own", "other", "kept"])
        #expect(try await texts(of: two, in: cache) == ["shared", nil])
        #expect(try await texts(of: lan, in: cache) == ["lan", "of three", "page"])
        #expect(try await texts(of: archived, in: cache) == ["shared", nil])
        let gone = ResourceURL.known("https://images.example/gone.png")
        let own = ResourceURL.known("https://images.example/own.png")
        #expect(try await cache.images.failures(of: [gone, own], in: one).map { $0?.count } == [3, nil])
        #expect(try await cache.images.failures(of: [gone, own], in: two).map { $0?.error.status } == [nil, 403])
        #expect(try scratch.query("PRAGMA user_version") == (writes ? "\(CacheSchema.current.version)" : "19"))
    }

    @Test("everything else that is known about the feeds stays")
    func rest() async throws {
        let cache = try await scratch.open()
        #expect(cache.notices.count == 1 && cache.notices[0].contains("older versions"))
        let saved = try #require(try await cache.feeds.retrieve(one, withKept: true))
        #expect(saved.keep == .forever && saved.keptCount == 1 && saved.naming == .byCommand)
        #expect(saved.walks.map(\.page.number) == [4])
        #expect(try await cache.feeds.retrieve(archived)?.naming == .unnamed)
        #expect(try await cache.feeds.removed(from: one).count == 1)
        #expect(try await cache.feeds.removed(from: .known("https://feeds.example/unsaved.xml")).count == 1)
        #expect(try await cache.feeds.summaries().count == 4)
        #expect(try await cache.waits.retrieve().map(\.feed) == [two])
        #expect(try await cache.reportedFailures.retrieve().map(\.feed) == [one])
        let lanFeed = try #require(try await cache.feeds.retrieve(lan))
        #expect(lanFeed.reachesPrivate)
        // The page at a public address gives its image no right to private ones.
        #expect(lanFeed.feed.images.map(\.isPublicOnly) == [false, false, true])
        #expect(lanFeed.feed.images.map { $0.post?.page } == [nil, nil, .known("https://blog.example/p")])
        #expect(lanFeed.linkedPages.values.map(\.isPublic) == [true])
        #expect(try scratch.query("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'old%'") == "0")
        await cache.close()
        #expect(try await scratch.open(.read).notices == [])
    }
}
