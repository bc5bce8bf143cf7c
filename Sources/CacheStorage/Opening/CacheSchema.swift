internal import FeedCore

/// The tables of a cache, and the ways to them from the caches of older releases.
struct CacheSchema: Sendable {
    /// A step from the schema of one release to the next.
    ///
    /// A released step is constant: a cache is updated by running the steps that it lacks.
    struct Migration: Sendable {
        /// The version of the database before and after the step.
        let from: Int64
        let to: Int64
        let run: @Sendable (SQLiteConnection) throws(FeedError) -> Void

        init(from: Int64, to: Int64, _ run: @escaping @Sendable (SQLiteConnection) throws(FeedError) -> Void) {
            (self.from, self.to, self.run) = (from, to, run)
        }

        init(from: Int64, to: Int64, _ sql: String) {
            self.init(from: from, to: to) { connection throws(FeedError) in try connection.execute(sql) }
        }
    }

    let version: Int64
    /// The steps in ascending order, the last of which leads to `version`.
    let migrations: [Migration]

    static let current = CacheSchema(
        version: 20,
        migrations: [
            Migration(from: 1, to: 19, OlderCaches.fromFirstRelease),
            Migration(from: 19, to: 20, OlderCaches.fromSharedData),
        ])

    /// "FSYN", which distinguishes a cache's database from any other SQLite file.
    static let applicationID: Int64 = 0x4653_594E

    /// The tables of a new cache.
    ///
    /// What a feed has is a row with the feed's number, and goes with the feed.
    static let tables = """
        CREATE TABLE feeds (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            url TEXT NOT NULL UNIQUE,
            credentials TEXT,
            title TEXT,
            home TEXT,
            language TEXT,
            named INTEGER NOT NULL DEFAULT 0,
            settings TEXT,
            keep TEXT,
            format TEXT,
            saved_at INTEGER,
            etag TEXT,
            last_modified TEXT,
            rules TEXT,
            pages INTEGER NOT NULL DEFAULT 1,
            private INTEGER NOT NULL DEFAULT 0,
            moved_to TEXT,
            interval INTEGER,
            kept INTEGER NOT NULL DEFAULT 0,
            gaps TEXT,
            overlaps INTEGER NOT NULL DEFAULT 0,
            error_kind TEXT,
            error_message TEXT,
            error_at INTEGER
        ) STRICT;
        CREATE TABLE items (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            item_id TEXT NOT NULL,
            description TEXT,
            location TEXT,
            url TEXT NOT NULL,
            credentials TEXT,
            title TEXT,
            link TEXT,
            published INTEGER,
            alternatives TEXT,
            author TEXT,
            rights TEXT,
            tags TEXT,
            text TEXT,
            page TEXT,
            private INTEGER NOT NULL DEFAULT 0,
            last_seen INTEGER,
            missing INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (feed, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX items_kept ON items (feed, last_seen) WHERE last_seen IS NOT NULL;
        CREATE INDEX items_missing ON items (feed) WHERE missing = 1;
        CREATE INDEX items_undecided ON items (feed) WHERE private = 2;
        CREATE TABLE data (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            url TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            size INTEGER NOT NULL CHECK (size >= 0),
            media_type TEXT NOT NULL,
            etag TEXT,
            last_modified TEXT,
            fetched_at INTEGER NOT NULL,
            imported INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (feed, url)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE own_data (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            item_id TEXT NOT NULL,
            url TEXT NOT NULL,
            awaited INTEGER NOT NULL DEFAULT 0,
            source TEXT,
            digest BLOB CHECK (length(digest) = 32),
            size INTEGER,
            media_type TEXT,
            etag TEXT,
            last_modified TEXT,
            fetched_at INTEGER,
            PRIMARY KEY (feed, item_id, url)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE failures (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            url TEXT NOT NULL,
            kind TEXT NOT NULL,
            status INTEGER,
            message TEXT NOT NULL,
            failed_at INTEGER NOT NULL,
            count INTEGER NOT NULL CHECK (count > 0),
            PRIMARY KEY (feed, url)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE pages (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            url TEXT NOT NULL,
            public INTEGER NOT NULL,
            kind TEXT,
            status INTEGER,
            message TEXT,
            failed_at INTEGER,
            count INTEGER,
            PRIMARY KEY (feed, url)
        ) STRICT, WITHOUT ROWID;
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
        CREATE TABLE removed (
            feed INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
            item_id TEXT NOT NULL,
            urls TEXT NOT NULL,
            PRIMARY KEY (feed, item_id, urls)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE reports (
            id INTEGER PRIMARY KEY,
            feed INTEGER REFERENCES feeds (id) ON DELETE CASCADE,
            of_images INTEGER NOT NULL,
            kind TEXT NOT NULL,
            status INTEGER,
            host TEXT,
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            over_at INTEGER
        ) STRICT;
        CREATE TABLE waits (feed TEXT NOT NULL PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE damaged (
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            url TEXT NOT NULL,
            PRIMARY KEY (digest, url)
        ) STRICT, WITHOUT ROWID;
        """

    /// The columns of each table, which `check` looks for.
    private static let columns = [
        """
        id, url, credentials, title, home, language, named, settings, keep, format, saved_at, etag, last_modified, rules, pages,
            private, moved_to, interval, kept, gaps, overlaps, error_kind, error_message, error_at
        FROM feeds
        """,
        """
        feed, position, item_id, description, location, url, credentials, title, link, published, alternatives, author,
            rights, tags, text, page, private, last_seen, missing
        FROM items
        """,
        "feed, url, digest, size, media_type, etag, last_modified, fetched_at, imported FROM data",
        "feed, item_id, url, awaited, source, digest, size, media_type, etag, last_modified, fetched_at FROM own_data",
        "feed, url, kind, status, message, failed_at, count FROM failures",
        "feed, url, public, kind, status, message, failed_at, count FROM pages",
        "feed, position, url, page, guessed, ends_at_saved, begun FROM walks",
        "feed, item_id, urls FROM removed",
        "id, feed, of_images, kind, status, host, first_at, last_at, over_at FROM reports",
        "feed, until FROM waits",
        "digest, url FROM damaged",
    ]

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
        guard application == Self.applicationID else {
            throw .unreadable("\(connection.path): not a database of feedsync")
        }
        if version == self.version { return .current }
        if version == 0 && objects == 0 { return .empty }
        guard migrations.contains(where: { $0.from == version }) else {
            throw .unreadable("\(connection.path): no release of feedsync has written it (version \(version))")
        }
        return .older(version)
    }

    /// Creates the tables, or runs the missing steps, in one transaction: a killed run leaves the cache as it was.
    func migrate(_ connection: SQLiteConnection, from state: State) throws(FeedError) {
        if state == .current { return }
        try connection.writing { () throws(FeedError) in
            do throws(FeedError) {
                if case .older(let version) = state {
                    for migration in migrations where migration.from >= version { try migration.run(connection) }
                } else {
                    try connection.execute(Self.tables)
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
        do throws(FeedError) {
            for columns in Self.columns { _ = try connection.integer("SELECT \(columns) LIMIT 0") }
        } catch {
            // Another failure, such as an unreadable disk, says nothing about the columns.
            guard connection.failedBySchema else { throw error }
            throw .unreadable("\(connection.path): lacks what a cache has (\(error.message))")
        }
    }
}
