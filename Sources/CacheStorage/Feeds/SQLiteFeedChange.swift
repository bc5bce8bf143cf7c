internal import FeedCore

/// Changes within the transaction that its connection is in. Image data is none of its business: what a feed no longer
/// names stays until `validate`.
struct SQLiteFeedChange: FeedStoreChange {
    let connection: SQLiteConnection

    func delete(_ url: ResourceURL) throws(FeedError) {
        // The items go with it.
        let feed = try connection.statement("DELETE FROM feeds WHERE url = ?1")
        try feed.bind(1, url.text)
        try feed.run()
    }

    func insert(_ saved: SavedFeed) throws(FeedError) {
        try delete(saved.url)
        let feed = try connection.statement(
            """
            INSERT INTO feeds
                (url, credentials, title, format, saved_at, etag, last_modified, pages, named, moved_to, rules)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """)
        try bind(saved, to: feed)
        try feed.run()
        let row = connection.lastInsertedRow
        try deleteItems(of: row)
        try ItemWriter(connection: connection, feed: row).append(saved.feed.images)
    }

    private func bind(_ saved: SavedFeed, to feed: SQLiteStatement) throws(FeedError) {
        try feed.bind(1, saved.url.text)
        try feed.bind(2, saved.url.credentials)
        try feed.bind(3, saved.feed.title)
        try feed.bind(4, saved.feed.format.rawValue)
        try feed.bind(5, saved.savedAt.microseconds)
        try feed.bind(6, saved.validators.etag)
        try feed.bind(7, saved.validators.lastModified)
        try feed.bind(8, Int64(saved.pages))
        try feed.bind(9, saved.isNamed ? 1 : 0)
        try feed.bind(10, saved.movedTo?.text)
        try feed.bind(11, saved.rules)
    }

    /// Other programs leave the items of a feed that they delete, as sqlite3 does where it isn't told to mind foreign keys;
    /// and the next feed may get that one's row.
    func deleteItems(of feed: Int64) throws(FeedError) {
        let items = try connection.statement("DELETE FROM items WHERE feed = ?1")
        try items.bind(1, feed)
        try items.run()
    }

    /// Other programs leave such items. Only images that a feed names are kept.
    func deleteItemsOfNoFeed() throws(FeedError) {
        try connection.statement("DELETE FROM items WHERE feed NOT IN (SELECT id FROM feeds)").run()
    }

    func confirm(_ saved: SavedFeed) throws(FeedError) {
        let feed = try connection.statement(
            """
            UPDATE feeds SET credentials = ?2, saved_at = ?5, etag = ?6, last_modified = ?7, pages = ?8,
                named = max(named, ?9), moved_to = ?10, rules = ?11
            WHERE url = ?1 RETURNING id
            """)
        try bind(saved, to: feed)
        var found = false
        try feed.forEachRow { () throws(FeedError) in found = true }
        guard found else { throw .notFound("\(saved.url): was never saved") }
    }
}
