internal import FeedCore

/// The tables of the cache, as the steps that lead to them.
struct CacheSchema: Sendable {
    /// The step at index n leads from version n to n + 1. Those that were released never change: a cache is brought up
    /// to date by running the ones it lacks.
    let migrations: [Migration]

    /// SQL, and what that can't do.
    struct Migration: ExpressibleByStringLiteral {
        let sql: String
        var change: (@Sendable (SQLiteConnection) throws(FeedError) -> Void)?

        init(stringLiteral sql: String) { self.sql = sql }

        init(_ change: @escaping @Sendable (SQLiteConnection) throws(FeedError) -> Void) {
            sql = ""
            self.change = change
        }
    }

    static let current = CacheSchema(migrations: [
        """
        CREATE TABLE feeds (
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL UNIQUE,
            credentials TEXT,
            title TEXT,
            format TEXT NOT NULL,
            saved_at INTEGER NOT NULL,
            etag TEXT,
            last_modified TEXT
        ) STRICT;
        CREATE TABLE items (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            item_id TEXT NOT NULL,
            description TEXT,
            location TEXT,
            url TEXT NOT NULL,
            credentials TEXT,
            PRIMARY KEY (feed, position)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE images (
            url TEXT NOT NULL PRIMARY KEY,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            size INTEGER NOT NULL CHECK (size >= 0),
            media_type TEXT NOT NULL,
            etag TEXT,
            last_modified TEXT,
            fetched_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX images_by_digest ON images (digest);
        """,
        """
        CREATE TABLE failures (
            url TEXT NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            status INTEGER,
            message TEXT NOT NULL,
            failed_at INTEGER NOT NULL,
            count INTEGER NOT NULL CHECK (count > 0)
        ) STRICT, WITHOUT ROWID;
        """,
        // Digests are random: each batch of images wrote most of the index anew. What goes by digest reads all rows.
        "DROP INDEX images_by_digest;",
        "ALTER TABLE feeds ADD COLUMN pages INTEGER NOT NULL DEFAULT 1;",
        // Nobody knows any more who named a feed that was there before, a person or an archive: what was sent to it goes
        // on being sent.
        "ALTER TABLE feeds ADD COLUMN named INTEGER NOT NULL DEFAULT 1;",
        "ALTER TABLE feeds ADD COLUMN moved_to TEXT;",
        "CREATE TABLE waits (origin TEXT NOT NULL PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
        Migration(FeedSpellings.unite),
        """
        ALTER TABLE items ADD COLUMN title TEXT;
        ALTER TABLE items ADD COLUMN link TEXT;
        ALTER TABLE items ADD COLUMN published INTEGER;
        ALTER TABLE items ADD COLUMN alternatives TEXT;
        ALTER TABLE feeds ADD COLUMN rules TEXT;
        """,
        // Items that left their feed stand behind those that it names, see `KeptItems`.
        """
        ALTER TABLE feeds ADD COLUMN keep TEXT;
        ALTER TABLE feeds ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE items ADD COLUMN last_seen INTEGER;
        ALTER TABLE items ADD COLUMN missing INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX items_kept ON items (feed, last_seen) WHERE last_seen IS NOT NULL;
        CREATE INDEX items_missing ON items (feed) WHERE missing = 1;
        ALTER TABLE feeds ADD COLUMN error_kind TEXT;
        ALTER TABLE feeds ADD COLUMN error_message TEXT;
        ALTER TABLE feeds ADD COLUMN error_at INTEGER;
        """,
        Migration(CircleMigration.divide),
    ])

    /// "FSYN": tells a cache's database from anybody else's SQLite file.
    static let applicationID: Int64 = 0x4653_594E

    var version: Int64 { Int64(migrations.count) }

    /// What a database is, seen from this schema.
    enum State: Equatable {
        /// Nothing in it yet: new, or its creation was cut short.
        case empty
        case older(Int64)
        case current
    }

    /// Throws `newerVersion` or, if it is no cache's database, `unreadable`.
    func state(of connection: SQLiteConnection) throws(FeedError) -> State {
        let application = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        if version > self.version && (application == Self.applicationID || application == 0) {
            let reason = "written by a newer feedsync (version \(version), this one knows \(self.version))"
            throw .storage(.newerVersion, "\(connection.path): \(reason); update feedsync")
        }
        let objects = try connection.integer("SELECT count(*) FROM sqlite_schema")
        if application == 0 && version == 0 && objects == 0 { return .empty }
        guard application == Self.applicationID, version >= 0, version <= self.version else {
            throw .unreadable("\(connection.path): not a database of feedsync")
        }
        return version < self.version ? .older(version) : .current
    }

    /// All steps in one transaction: a run that is killed on the way leaves the cache as it was.
    func migrate(_ connection: SQLiteConnection, from state: State) throws(FeedError) {
        let first: Int64
        switch state {
        case .current: return
        case .empty: first = 0
        case .older(let version): first = version
        }
        try connection.writing { () throws(FeedError) in
            do throws(FeedError) {
                for migration in migrations[Int(first)...] {
                    try connection.execute(migration.sql)
                    try migration.change?(connection)
                }
            } catch {
                guard connection.wasMisfit else { throw error }
                throw .unreadable("\(connection.path): not of the version that it says (\(error.message))")
            }
            try connection.execute("PRAGMA application_id = \(Self.applicationID)")
            try connection.execute("PRAGMA user_version = \(version)")
        }
    }

    /// Throws `unreadable` unless the tables are there, as tables, with their columns.
    func check(_ connection: SQLiteConnection) throws(FeedError) {
        let tables = try connection.integer(
            """
            SELECT count(*) FROM sqlite_schema
            WHERE type = 'table' AND name IN ('feeds', 'items', 'images', 'failures', 'waits', 'last_feed')
            """)
        guard tables == 6 else { throw .unreadable("\(connection.path): lacks tables that a cache has") }
        do throws(FeedError) {
            for columns in [
                """
                id, url, credentials, title, format, saved_at, etag, last_modified, pages, named, moved_to, rules,
                    keep, kept, own_network, error_kind, error_message, error_at
                FROM feeds
                """,
                """
                feed, position, item_id, description, location, url, credentials, title, link, published, alternatives,
                    last_seen, missing
                FROM items
                """,
                "url, circle, digest, size, media_type, etag, last_modified, fetched_at FROM images",
                "url, circle, kind, status, message, failed_at, count FROM failures",
                "feed, until FROM waits",
                "id FROM last_feed",
            ] {
                _ = try connection.integer("SELECT \(columns) LIMIT 0")
            }
        } catch {
            // What fails for another reason, such as a disk that can't be read, tells nothing of the columns.
            guard connection.wasMisfit else { throw error }
            throw .unreadable("\(connection.path): lacks columns that a cache has (\(error.message))")
        }
    }
}
