internal import FeedCore

/// The steps from the caches of older releases to the current one.
enum OlderCaches {
    /// Leads from 0.1.0, which has one row for the data of a URL, to 0.2.0.
    ///
    /// Feeds that older versions saved under several spellings of a URL become one.
    static func fromFirstRelease(_ connection: SQLiteConnection) throws(FeedError) {
        try uniteSpellings(connection)
        try connection.execute(
            """
            ALTER TABLE feeds ADD COLUMN pages INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE feeds ADD COLUMN named INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE feeds ADD COLUMN moved_to TEXT;
            ALTER TABLE feeds ADD COLUMN rules TEXT;
            ALTER TABLE feeds ADD COLUMN keep TEXT;
            ALTER TABLE feeds ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE feeds ADD COLUMN error_kind TEXT;
            ALTER TABLE feeds ADD COLUMN error_message TEXT;
            ALTER TABLE feeds ADD COLUMN error_at INTEGER;
            ALTER TABLE feeds ADD COLUMN own_network INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE feeds ADD COLUMN interval INTEGER;
            ALTER TABLE feeds ADD COLUMN language TEXT;
            ALTER TABLE items ADD COLUMN title TEXT;
            ALTER TABLE items ADD COLUMN link TEXT;
            ALTER TABLE items ADD COLUMN published INTEGER;
            ALTER TABLE items ADD COLUMN alternatives TEXT;
            ALTER TABLE items ADD COLUMN last_seen INTEGER;
            ALTER TABLE items ADD COLUMN missing INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE items ADD COLUMN author TEXT;
            ALTER TABLE items ADD COLUMN rights TEXT;
            ALTER TABLE items ADD COLUMN tags TEXT;
            ALTER TABLE items ADD COLUMN text TEXT;
            ALTER TABLE images ADD COLUMN circle INTEGER NOT NULL DEFAULT 0;
            CREATE TABLE failures (url TEXT, circle INTEGER, kind TEXT, status INTEGER, message TEXT, failed_at INTEGER,
                count INTEGER) STRICT;
            CREATE TABLE walks (feed INTEGER, position INTEGER, url TEXT, page INTEGER, guessed INTEGER,
                ends_at_saved INTEGER, begun INTEGER) STRICT;
            CREATE TABLE linked_pages (feed INTEGER, url TEXT, number INTEGER, public INTEGER, image TEXT, kind TEXT,
                status INTEGER, message TEXT, failed_at INTEGER, count INTEGER) STRICT;
            CREATE TABLE waits (feed TEXT, until INTEGER) STRICT;
            CREATE TABLE damaged (digest BLOB, url TEXT) STRICT;
            CREATE TABLE removed (feed TEXT, item_id TEXT, urls TEXT) STRICT;
            CREATE TABLE left_out (feed INTEGER) STRICT;
            CREATE TABLE reported_failures (feed INTEGER, number INTEGER, of_images INTEGER, kind TEXT, status INTEGER,
                host TEXT, reported_at INTEGER) STRICT;
            CREATE TABLE last_feed (id INTEGER) STRICT;
            """)
    }

    /// Leads from 0.2.0, where feeds share data and failures in circles, to the current version.
    ///
    /// What a feed saw under the URLs that it references becomes its own: the data of its circle, of the own network, and
    /// of everybody, in this order. Feeds show the same images, and request none of them again.
    static func fromSharedData(_ connection: SQLiteConnection) throws(FeedError) {
        try ReferencedURLs.withTable(in: connection) { () throws(FeedError) in
            for name in renamed { try connection.execute("ALTER TABLE \(name) RENAME TO old_\(name)") }
            try connection.execute("DROP INDEX IF EXISTS items_kept; DROP INDEX IF EXISTS items_missing")
            try connection.execute(CacheSchema.tables)
            try connection.execute(feedsAndItems)
            for circle in ["referenced.feed", "-1", "0"] { try connection.execute(dataAndFailures(of: circle)) }
            // A feed goes last, because its rows would go with it.
            for name in renamed.reversed() { try connection.execute("DROP TABLE old_\(name)") }
            try connection.execute("DROP TABLE left_out; DROP TABLE last_feed")
        }
    }

    private static let renamed = [
        "feeds", "items", "images", "failures", "walks", "linked_pages", "waits", "damaged", "removed",
        "reported_failures",
    ]

    private static let feedsAndItems = """
        INSERT INTO feeds (id, url, credentials, title, language, named, keep, format, saved_at, etag, last_modified, rules,
                pages, private, moved_to, interval, kept, error_kind, error_message, error_at)
            SELECT id, url, credentials, title, language, 2 * (named <> 0), keep, format, saved_at, etag, last_modified,
                rules, pages, own_network, moved_to, interval, kept, error_kind, error_message, error_at
            FROM old_feeds;
        INSERT OR IGNORE INTO feeds (url) SELECT feed FROM old_removed;
        INSERT INTO pages (feed, url, public, kind, status, message, failed_at, count)
            SELECT feed, url, min(public), kind, status, message, failed_at, count FROM old_linked_pages
            WHERE feed IN (SELECT id FROM old_feeds) GROUP BY feed, url;
        INSERT INTO items (feed, position, item_id, description, location, url, credentials, title, link, published,
                alternatives, author, rights, tags, text, page, private, last_seen, missing)
            SELECT feed, position, item_id, description, location, items.url, items.credentials, items.title, link,
                published, alternatives, author, rights, tags, text, page,
                own_network AND NOT coalesce(public, 0), last_seen, missing
            FROM old_items AS items JOIN old_feeds ON old_feeds.id = feed LEFT JOIN (
                SELECT feed AS page_feed, image, min(url) AS page, max(public) AS public FROM old_linked_pages
                WHERE image IS NOT NULL GROUP BY feed, image
            ) ON page_feed = feed AND image = items.url;
        INSERT INTO walks SELECT * FROM old_walks WHERE feed IN (SELECT id FROM old_feeds);
        INSERT INTO removed SELECT feeds.id, item_id, urls FROM old_removed JOIN feeds ON feeds.url = old_removed.feed;
        INSERT INTO waits SELECT * FROM old_waits;
        INSERT INTO damaged SELECT * FROM old_damaged;
        INSERT INTO reports (feed, of_images, kind, status, host, first_at, last_at)
            SELECT feed, of_images, kind, status, host, reported_at, reported_at FROM old_reported_failures
            WHERE feed IN (SELECT id FROM old_feeds) ORDER BY feed, number;
        """

    /// Returns the SQL that gives each feed what it saw in a circle and has not yet.
    private static func dataAndFailures(of circle: String) -> String {
        let isSeen = circle == "-1" ? "AND own_network <> 0" : ""
        func source(_ table: String) -> String {
            """
            FROM referenced JOIN old_feeds ON old_feeds.id = referenced.feed
                JOIN old_\(table) AS old ON old.url = referenced.url AND old.circle = \(circle) \(isSeen)
            """
        }
        return """
            INSERT OR IGNORE INTO data (feed, url, digest, size, media_type, etag, last_modified, fetched_at)
                SELECT referenced.feed, old.url, digest, size, media_type, old.etag, old.last_modified, fetched_at
                \(source("images"));
            INSERT OR IGNORE INTO failures (feed, url, kind, status, message, failed_at, count)
                SELECT referenced.feed, old.url, kind, status, message, failed_at, count \(source("failures"));
            """
    }

    /// Keeps of several spellings of a feed's URL the one that was saved last.
    private static func uniteSpellings(_ connection: SQLiteConnection) throws(FeedError) {
        let feeds = try connection.prepare("SELECT id, url FROM feeds ORDER BY saved_at DESC, id DESC")
        var rows: [(id: Int64, text: String, spelling: String)] = []
        try feeds.forEachRow { () throws(FeedError) in
            let text = feeds.text(1) ?? ""
            rows.append((feeds.integer(0), text, spelling(of: text)))
        }
        let deletion = try connection.prepare("DELETE FROM feeds WHERE id = ?1")
        let renaming = try connection.prepare("UPDATE feeds SET url = ?2 WHERE id = ?1")
        for sameFeed in Dictionary(grouping: rows, by: { Array($0.spelling.utf8) }).values {
            for older in sameFeed.dropFirst() {
                // Deleting the feed also deletes its items.
                try deletion.bind(1, older.id)
                try deletion.run()
            }
            guard let latest = sameFeed.first, latest.spelling != latest.text else { continue }
            try renaming.bind(1, latest.id)
            try renaming.bind(2, latest.spelling)
            try renaming.run()
        }
    }

    /// Returns an invalid URL unchanged, so that opening the cache reports it.
    private static func spelling(of text: String) -> String {
        do { return try ResourceURL(text, credentials: nil).asFeed.text } catch { return text }
    }
}
