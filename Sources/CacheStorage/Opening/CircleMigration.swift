internal import FeedCore

/// Divides the image data of an older cache, which had one row for each URL, into circles.
enum CircleMigration {
    /// Nobody knows how the data was obtained. It becomes the data of each feed that references its URL. Data that no feed
    /// references stays for the command that asks for its URL.
    static func divide(_ connection: SQLiteConnection) throws(FeedError) {
        try connection.execute(
            """
            CREATE TABLE referenced (url TEXT NOT NULL, feed INTEGER NOT NULL, PRIMARY KEY (url, feed))
                STRICT, WITHOUT ROWID;
            INSERT OR IGNORE INTO referenced SELECT url, feed FROM items WHERE feed IN (SELECT id FROM feeds);
            """)
        try addAlternatives(connection)
        try connection.execute(
            """
            ALTER TABLE images RENAME TO old_images;
            CREATE TABLE images (
                url TEXT NOT NULL,
                circle INTEGER NOT NULL,
                digest BLOB NOT NULL CHECK (length(digest) = 32),
                size INTEGER NOT NULL CHECK (size >= 0),
                media_type TEXT NOT NULL,
                etag TEXT,
                last_modified TEXT,
                fetched_at INTEGER NOT NULL,
                PRIMARY KEY (url, circle)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO images SELECT url, coalesce(feed, \(VisibleCircles.nobody)), digest, size, media_type, etag,
                    last_modified, fetched_at
                FROM old_images LEFT JOIN referenced USING (url);
            DROP TABLE old_images;
            ALTER TABLE failures RENAME TO old_failures;
            CREATE TABLE failures (
                url TEXT NOT NULL,
                circle INTEGER NOT NULL,
                kind TEXT NOT NULL,
                status INTEGER,
                message TEXT NOT NULL,
                failed_at INTEGER NOT NULL,
                count INTEGER NOT NULL CHECK (count > 0),
                PRIMARY KEY (url, circle)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO failures SELECT url, feed, kind, status, message, failed_at, count
                FROM old_failures JOIN referenced USING (url);
            DROP TABLE old_failures;
            DROP TABLE referenced;
            ALTER TABLE feeds ADD COLUMN own_network INTEGER NOT NULL DEFAULT 0;
            UPDATE feeds SET named = 1;
            CREATE TABLE last_feed (id INTEGER NOT NULL) STRICT;
            INSERT INTO last_feed SELECT coalesce(max(id), 0) FROM feeds;
            DROP TABLE waits;
            CREATE TABLE waits (feed TEXT NOT NULL PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            """)
    }

    private static func addAlternatives(_ connection: SQLiteConnection) throws(FeedError) {
        let item = try connection.prepare(
            "SELECT feed, alternatives FROM items JOIN feeds ON feeds.id = items.feed WHERE alternatives IS NOT NULL")
        let referenced = try connection.prepare("INSERT OR IGNORE INTO referenced (url, feed) VALUES (?1, ?2)")
        try item.forEachRow { () throws(FeedError) in
            for url in ItemWriter.addresses(in: item.text(1) ?? "") {
                try referenced.bind(1, url)
                try referenced.bind(2, item.integer(0))
                try referenced.run()
            }
        }
    }
}
