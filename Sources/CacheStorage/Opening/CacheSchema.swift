internal import FeedCore

/// The tables of a cache, as a list of migrations.
struct CacheSchema: Sendable {
    /// The migration at index n leads from version n to n + 1.
    ///
    /// A released migration is constant: a cache is updated by running the migrations that it lacks.
    let migrations: [Migration]

    /// SQL, and a change that SQL can't express.
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
        // Digests are random, so that each batch of images rewrote most of this index. Queries by digest read all rows.
        "DROP INDEX images_by_digest;",
        "ALTER TABLE feeds ADD COLUMN pages INTEGER NOT NULL DEFAULT 1;",
        // It is unknown whether the user or an archive named an existing feed. Such feeds count as named, so that their
        // requests stay the same.
        "ALTER TABLE feeds ADD COLUMN named INTEGER NOT NULL DEFAULT 1;",
        "ALTER TABLE feeds ADD COLUMN moved_to TEXT;",
        "CREATE TABLE waits (origin TEXT NOT NULL PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
        Migration(FeedSpellingMigration.unite),
        """
        ALTER TABLE items ADD COLUMN title TEXT;
        ALTER TABLE items ADD COLUMN link TEXT;
        ALTER TABLE items ADD COLUMN published INTEGER;
        ALTER TABLE items ADD COLUMN alternatives TEXT;
        ALTER TABLE feeds ADD COLUMN rules TEXT;
        """,
        // Kept items follow the current items, see `KeptItems`.
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
        """
        ALTER TABLE items ADD COLUMN author TEXT;
        ALTER TABLE items ADD COLUMN rights TEXT;
        ALTER TABLE items ADD COLUMN tags TEXT;
        ALTER TABLE items ADD COLUMN text TEXT;
        ALTER TABLE feeds ADD COLUMN interval INTEGER;
        """,
        """
        CREATE TABLE walks (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            url TEXT NOT NULL,
            page INTEGER NOT NULL,
            guessed INTEGER NOT NULL,
            ends_at_saved INTEGER NOT NULL,
            begun INTEGER NOT NULL,
            PRIMARY KEY (feed, position)
        ) STRICT, WITHOUT ROWID;
        """,
        // One row for each image of a page, or for a failure, or for a page without an image, see `LinkedPageRows`.
        """
        CREATE TABLE linked_pages (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            url TEXT NOT NULL,
            number INTEGER NOT NULL,
            public INTEGER NOT NULL,
            image TEXT,
            alternatives TEXT,
            description TEXT,
            kind TEXT,
            status INTEGER,
            message TEXT,
            failed_at INTEGER,
            count INTEGER,
            PRIMARY KEY (feed, url, number)
        ) STRICT, WITHOUT ROWID;
        """,
        """
        CREATE TABLE damaged (
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            url TEXT NOT NULL,
            PRIMARY KEY (digest, url)
        ) STRICT, WITHOUT ROWID;
        """,
        // The feed is a URL, because removed images outlast the saved feed.
        """
        CREATE TABLE removed (
            feed TEXT NOT NULL,
            item_id TEXT NOT NULL,
            urls TEXT NOT NULL,
            PRIMARY KEY (feed, item_id, urls)
        ) STRICT, WITHOUT ROWID;
        """,
        // Whether an archive brought the data, and the images whose data a thin archive left out, see `LeftOutImages`.
        """
        ALTER TABLE images ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE left_out (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            url TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            etag TEXT,
            last_modified TEXT,
            fetched_at INTEGER NOT NULL,
            PRIMARY KEY (feed, url)
        ) STRICT, WITHOUT ROWID;
        """,
        """
        CREATE TABLE reported_failures (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            of_images INTEGER NOT NULL,
            kind TEXT NOT NULL,
            status INTEGER,
            host TEXT,
            reported_at INTEGER NOT NULL,
            PRIMARY KEY (feed, number)
        ) STRICT, WITHOUT ROWID;
        """,
        "ALTER TABLE feeds ADD COLUMN language TEXT;",
    ])

    /// "FSYN", which distinguishes a cache's database from any other SQLite file.
    static let applicationID: Int64 = 0x4653_594E

    var version: Int64 { Int64(migrations.count) }

    /// The state of a database in relation to this schema.
    enum State: Equatable {
        /// The database has no tables, because it is new or its creation was interrupted.
        case empty
        case older(Int64)
        case current
    }

    /// Returns the state of a database.
    ///
    /// Throws `newerVersion` for a newer schema, and `unreadable` for a database of another program.
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

    /// Runs the missing migrations in one transaction, so that a killed run leaves the cache as it was.
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
                guard connection.failedBySchema else { throw error }
                throw .unreadable("\(connection.path): not of the version that it says (\(error.message))")
            }
            try connection.execute("PRAGMA application_id = \(Self.applicationID)")
            try connection.execute("PRAGMA user_version = \(version)")
        }
    }

    /// Throws `unreadable` if a table or a column is missing.
    func check(_ connection: SQLiteConnection) throws(FeedError) {
        let tables = try connection.integer(
            """
            SELECT count(*) FROM sqlite_schema
            WHERE type = 'table' AND name IN (
                'feeds', 'items', 'images', 'failures', 'waits', 'last_feed', 'walks', 'linked_pages', 'damaged',
                'removed', 'left_out', 'reported_failures')
            """)
        guard tables == 12 else { throw .unreadable("\(connection.path): lacks tables that a cache has") }
        do throws(FeedError) {
            for columns in [
                """
                id, url, credentials, title, format, saved_at, etag, last_modified, pages, named, moved_to, rules,
                    keep, kept, own_network, interval, error_kind, error_message, error_at, language
                FROM feeds
                """,
                """
                feed, position, item_id, description, location, url, credentials, title, link, published, alternatives,
                    last_seen, missing, author, rights, tags, text
                FROM items
                """,
                "url, circle, digest, size, media_type, etag, last_modified, fetched_at, archived FROM images",
                "url, circle, kind, status, message, failed_at, count FROM failures",
                "feed, until FROM waits",
                "id FROM last_feed",
                "feed, position, url, page, guessed, ends_at_saved, begun FROM walks",
                """
                feed, url, number, public, image, alternatives, description, kind, status, message, failed_at, count
                FROM linked_pages
                """,
                "digest, url FROM damaged",
                "feed, item_id, urls FROM removed",
                "feed, url, digest, etag, last_modified, fetched_at FROM left_out",
                "feed, number, of_images, kind, status, host, reported_at FROM reported_failures",
            ] {
                _ = try connection.integer("SELECT \(columns) LIMIT 0")
            }
        } catch {
            // Another failure, such as an unreadable disk, says nothing about the columns.
            guard connection.failedBySchema else { throw error }
            throw .unreadable("\(connection.path): lacks columns that a cache has (\(error.message))")
        }
    }
}
