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
