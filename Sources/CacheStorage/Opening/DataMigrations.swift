internal import FeedCore

/// Divides the image data of an older cache, which has one row for each URL, into circles.
enum CircleMigration {
    /// Makes the data of a URL the data of each feed that references the URL, because the circle in which it was
    /// obtained is unknown.
    ///
    /// Data that is referenced by no feed remains for the command that requests its URL.
    static func divide(_ connection: SQLiteConnection) throws(FeedError) {
        try ReferencedURLs.withTable(in: connection) { () throws(FeedError) in
            try divideImages(connection)
            try divideFailures(connection)
        }
        try connection.execute(
            """
            ALTER TABLE feeds ADD COLUMN own_network INTEGER NOT NULL DEFAULT 0;
            UPDATE feeds SET named = 1;
            CREATE TABLE last_feed (id INTEGER NOT NULL) STRICT;
            INSERT INTO last_feed SELECT coalesce(max(id), 0) FROM feeds;
            DROP TABLE waits;
            CREATE TABLE waits (feed TEXT NOT NULL PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            """)
    }

    private static func divideImages(_ connection: SQLiteConnection) throws(FeedError) {
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
            """)
    }

    private static func divideFailures(_ connection: SQLiteConnection) throws(FeedError) {
        try connection.execute(
            """
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
            """)
    }
}

/// Unites the feeds that older versions saved once for each spelling of a URL.
enum FeedSpellingMigration {
    /// Keeps the feed that was saved last.
    static func unite(_ connection: SQLiteConnection) throws(FeedError) {
        let feeds = try connection.statement("SELECT id, url FROM feeds ORDER BY saved_at DESC, id DESC")
        var rows: [(id: Int64, text: String, spelling: String)] = []
        try feeds.forEachRow { () throws(FeedError) in
            let text = feeds.text(1) ?? ""
            rows.append((feeds.integer(0), text, spelling(of: text)))
        }
        for sameFeed in Dictionary(grouping: rows, by: { Array($0.spelling.utf8) }).values {
            for older in sameFeed.dropFirst() {
                // Deleting the feed also deletes its items.
                let feed = try connection.statement("DELETE FROM feeds WHERE id = ?1")
                try feed.bind(1, older.id)
                try feed.run()
            }
            guard let latest = sameFeed.first, latest.spelling != latest.text else { continue }
            let feed = try connection.statement("UPDATE feeds SET url = ?2 WHERE id = ?1")
            try feed.bind(1, latest.id)
            try feed.bind(2, latest.spelling)
            try feed.run()
        }
    }

    /// Returns an invalid URL unchanged, so that opening the cache reports it.
    private static func spelling(of text: String) -> String {
        do { return try ResourceURL(text, credentials: nil).asFeed.text } catch { return text }
    }
}
