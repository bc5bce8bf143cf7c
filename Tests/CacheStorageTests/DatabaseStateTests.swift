import CacheStorage
import FeedCore
import Glibc
import SystemFiles
import TestDoubles
import TestSupport
import Testing

@Suite("Databases in every state")
struct DatabaseStateTests {
    private let scratch: ScratchCache
    private static let writing: [CacheAccess] = [.write(lockWait: .zero), .repair(lockWait: .zero)]
    private static let everyAccess = writing + [.read]

    init() throws { scratch = try ScratchCache() }

    @Test("a database of a newer schema is refused and stays unchanged", arguments: everyAccess)
    func newer(_ access: CacheAccess) async throws {
        try await scratch.fill()
        try scratch.execute("PRAGMA user_version = 99")
        let before = try scratch.snapshot()
        let message = await expect(.newerVersion) { () throws(FeedError) in _ = try await open(access) }
        #expect(message.contains("newer feedsync (version 99, this one knows \(ScratchCache.schemaVersion))"))
        #expect(try scratch.snapshot() == before)
    }

    @Test("a newer schema is refused even if it is only in the log of a killed run", arguments: everyAccess)
    func newerInTheLog(_ access: CacheAccess) async throws {
        try await scratch.fill()
        try beKilled(after: "PRAGMA user_version = 99")
        let before = try scratch.snapshot()
        await expect(.newerVersion) { () throws(FeedError) in _ = try await open(access) }
        let after = try scratch.snapshot()
        for name in ["./feedsync.sqlite", "./feedsync.sqlite-wal"] { #expect(after[name] == before[name]) }
    }

    @Test("everything that a killed run had committed is read", arguments: everyAccess)
    func logIsTakenOver(_ access: CacheAccess) async throws {
        try await scratch.fill()
        try beKilled(after: "UPDATE feeds SET saved_at = 4711")
        let cache = try await scratch.open(access)
        #expect(try await cache.feeds.retrieve(.first)?.savedAt == Timestamp(microseconds: 4711))
    }

    /// The ways in which a database becomes unreadable.
    enum Harm: CaseIterable, CustomTestStringConvertible {
        case garbage, truncated, tooShort, foreign, noTables, views, missingColumn, directory, pipe,
            badURL

        var testDescription: String { "\(self)" }

        func inflict(on scratch: ScratchCache) throws {
            let name = ScratchCache.database
            switch self {
            case .garbage: try scratch.write(Array(repeating: 0xA5, count: 8192), to: name)
            case .truncated: try scratch.write(Array(try scratch.read(name).prefix(4096)), to: name)
            case .tooShort: try scratch.write(Array(try scratch.read(name).prefix(50)), to: name)
            case .foreign:
                unlink(scratch.path(name))
                try scratch.execute("CREATE TABLE mine (precious TEXT)")
            case .noTables:
                try scratch.execute("DROP TABLE items; DROP TABLE feeds; DROP TABLE data; DROP TABLE failures")
            case .views: try scratch.execute("DROP TABLE data; CREATE VIEW data AS SELECT * FROM feeds")
            case .missingColumn: try scratch.execute("ALTER TABLE feeds DROP COLUMN etag")
            case .directory:
                unlink(scratch.path(name))
                try scratch.makeDirectory(name)
            case .pipe:
                unlink(scratch.path(name))
                mkfifo(scratch.path(name), 0o600)
            case .badURL: try scratch.execute("UPDATE feeds SET url = 'javascript:alert(1)'")
            }
        }

    }

    @Test(
        "an unreadable database is reported with its path and a remedy, and stays unchanged", arguments: Harm.allCases)
    func unreadable(_ harm: Harm) async throws {
        try await scratch.fill()
        try harm.inflict(on: scratch)
        let before = harm == .pipe ? [:] : try scratch.snapshot()
        for access in [CacheAccess.read, .write(lockWait: .zero)] {
            let message = await expect(.unreadable) { () throws(FeedError) in
                _ = try await open(access).feeds.summaries()
            }
            #expect(message.contains(scratch.path))
            #expect(message.contains("feedsync validate"))
        }
        // A writer can update the statistics of a database that only has a bad row.
        if harm != .pipe, harm != .badURL { #expect(try scratch.snapshot() == before) }
    }

    @Test("a repair sets an unreadable database aside and begins a new one", arguments: Harm.allCases)
    func repaired(_ harm: Harm) async throws {
        try await scratch.fill()
        try harm.inflict(on: scratch)
        let cache = try await scratch.open(.repair(lockWait: .zero))
        #expect(cache.notices.count == 1)
        #expect(cache.notices.first?.contains("feedsync.sqlite.unreadable-1") == true)
        #expect(cache.notices.first?.contains("feedsync validate") == false)
        #expect(try scratch.exists("feedsync.sqlite.unreadable-1"))
        #expect(try await cache.feeds.summaries() == [])
        try await cache.feeds.save(.sample())
        #expect(try await cache.feeds.retrieve(.first) == .sample())
    }

    @Test(
        "an entry that has the name of a SQLite file but is not a file is refused",
        arguments: ["-wal", "-shm", "-journal"])
    func stray(_ ending: String) async throws {
        try await scratch.fill()
        let name = ScratchCache.database + ending
        unlink(scratch.path(name))
        try scratch.makeDirectory(name)
        for access in Self.everyAccess + [.rehearseRepair] {
            let message = await expect(.failed) { () throws(FeedError) in _ = try await open(access) }
            #expect(message == "\(scratch.path(name)): is not a regular file")
        }
        rmdir(scratch.path(name))
        #expect(try await scratch.open().feeds.retrieve(.first) == .sample())
    }

    @Test("each database that is set aside gets its own name")
    func numbered() async throws {
        for number in 1...3 {
            _ = try await scratch.open(.repair(lockWait: .zero))
            try scratch.write(Array(repeating: UInt8(number), count: 4096), to: ScratchCache.database)
            _ = try await scratch.open(.repair(lockWait: .zero))
            #expect(try scratch.read("feedsync.sqlite.unreadable-\(number)").first == UInt8(number))
        }
    }

    @Test("a database is set aside together with its log")
    func logGoesAlong() async throws {
        try await scratch.fill()
        try beKilled(after: "UPDATE feeds SET url = 'javascript:alert(1)'")
        let cache = try await scratch.open(.repair(lockWait: .zero))
        #expect(cache.notices.count == 1)
        #expect(try await cache.feeds.summaries() == [])
        #expect(try scratch.query("SELECT url FROM feeds", of: "feedsync.sqlite.unreadable-1") == "javascript:alert(1)")
    }

    @Test("a damaged page is found by a repair and by reading its rows")
    func damagedPage() async throws {
        do { try await scratch.open().feeds.save(.sample(images: 5000)) }
        let root = try #require(try scratch.query("SELECT rootpage FROM sqlite_schema WHERE name = 'items'"))
        let page = try #require(Int(root))
        var bytes = try scratch.read(ScratchCache.database)
        for index in (page - 1) * 4096..<page * 4096 { bytes[index] = 0xFF }
        try scratch.write(bytes, to: ScratchCache.database)

        await expect(.unreadable) { () throws(FeedError) in
            _ = try await open(.read).feeds.retrieve(.first)
        }
        await expect(.unreadable) { () throws(FeedError) in
            try await open(.write(lockWait: .zero)).feeds.save(.sample())
        }
        let cache = try await scratch.open(.repair(lockWait: .zero))
        #expect(cache.notices.count == 1)
        #expect(try await cache.feeds.retrieve(.first) == nil)
    }

    @Test("a repair of an intact database changes nothing and gives no notice")
    func sound() async throws {
        try await scratch.fill()
        let cache = try await scratch.open(.repair(lockWait: .zero))
        #expect(cache.notices == [])
        #expect(try await cache.feeds.retrieve(.first) == .sample())
    }

    @Test("a creation that was interrupted is continued", arguments: everyAccess)
    func cutShort(_ access: CacheAccess) async throws {
        try scratch.makeCacheDirectory()
        try scratch.execute("PRAGMA journal_mode = WAL")
        #expect(try await scratch.open(access).feeds.summaries() == [])
        try scratch.write([], to: ScratchCache.database)
        #expect(try await scratch.open(access).feeds.summaries() == [])
    }

    private func open(_ access: CacheAccess) async throws(FeedError) -> Cache {
        try await CacheDirectory.open(path: scratch.path, access: access, sleeping: neverSleeping)
    }

    /// Leaves the files as they are when a change is in the log but not yet in the database.
    private func beKilled(after sql: String) throws {
        let files = try scratch.execute(sql) { () throws in
            try ["", "-wal", "-shm"].map { ($0, try scratch.read(ScratchCache.database + $0)) }
        }
        for (suffix, bytes) in files { try scratch.write(bytes, to: ScratchCache.database + suffix) }
    }
}
