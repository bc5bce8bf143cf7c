import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import CacheStorage

@Suite("Migrations")
struct MigrationTests {
    private let scratch: ScratchCache
    /// A possible next version of the schema.
    private let next = CacheSchema(
        migrations: CacheSchema.current.migrations + [
            "ALTER TABLE feeds ADD COLUMN note TEXT; UPDATE feeds SET title = title || '!'",
            "UPDATE feeds SET title = title || '?'",
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
        _ = try await open(.write(lockWait: .zero), CacheSchema(migrations: next.migrations.dropLast()))
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
        let broken = CacheSchema(
            migrations: next.migrations + ["UPDATE feeds SET title = 'half'; SELECT nonsense FROM nowhere"])
        await expect(.unreadable) { () throws(FeedError) in _ = try await open(.write(lockWait: .zero), broken) }
        #expect(try scratch.query("PRAGMA user_version") == "\(CacheSchema.current.version)")
        #expect(try scratch.query("SELECT title FROM feeds") == "Sample")
    }

    private func fill() async throws { try await scratch.open().feeds.save(.sample()) }

    private func open(_ access: CacheAccess, _ schema: CacheSchema) async throws(FeedError) -> Cache {
        try await CacheOpener(path: scratch.path, schema: schema, sleeping: neverSleeping).open(access)
    }
}
