internal import FeedCore

/// Changes feeds within the current transaction of the connection.
///
/// Image data stays: `validate` deletes the data that a feed has ceased to reference.
struct SQLiteFeedChange: FeedStoreChange {
    let connection: SQLiteConnection

    func savedAt(_ url: ResourceURL) throws(FeedError) -> Timestamp? { try FeedRow.find(url, in: connection)?.savedAt }

    func delete(_ url: ResourceURL) throws(FeedError) {
        // Deleting the feed also deletes its items.
        let feed = try connection.statement("DELETE FROM feeds WHERE url = ?1")
        try feed.bind(1, url.text)
        try feed.run()
    }

    func deleteItems(of url: ResourceURL, keepingLeft: Bool) throws(FeedError) {
        guard let kept = try KeptItems(connection: connection, of: url) else { return }
        if keepingLeft { return try kept.deleteCurrent() }
        try deleteItems(of: kept.feed)
        try kept.recount()
    }

    func insert(_ saved: SavedFeed) throws(FeedError) {
        if let kept = try KeptItems(connection: connection, of: saved.url) {
            let feed = try connection.statement(
                """
                UPDATE feeds SET credentials = ?2, title = ?3, format = ?4, saved_at = ?5, etag = ?6,
                    last_modified = ?7, pages = ?8, named = ?9, moved_to = ?10, rules = ?11, keep = ?12,
                    own_network = ?13, interval = ?14, language = ?15, error_kind = NULL, error_message = NULL,
                    error_at = NULL
                WHERE url = ?1
                """)
            try bind(saved, to: feed)
            try feed.run()
            try kept.deleteCurrent()
            try WalkRows(connection: connection, feed: kept.feed).replace(with: saved.walks)
            try LinkedPageRows(connection: connection, feed: kept.feed).replace(with: saved.linkedPages)
            return try ItemWriter(connection: connection, feed: kept.feed).append(saved.feed.images)
        }
        let feed = try connection.statement(
            """
            INSERT INTO feeds
                (url, credentials, title, format, saved_at, etag, last_modified, pages, named, moved_to, rules, keep,
                own_network, interval, language, id)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
            """)
        let row = try newRow()
        try bind(saved, to: feed)
        try feed.bind(16, row)
        try feed.run()
        try WalkRows(connection: connection, feed: row).replace(with: saved.walks)
        try LinkedPageRows(connection: connection, feed: row).replace(with: saved.linkedPages)
        try ItemWriter(connection: connection, feed: row).append(saved.feed.images)
    }

    /// Returns a row number that is new, because the number also identifies the circle of one feed: an old number would
    /// give the new feed the data of a deleted one.
    func newRow() throws(FeedError) -> Int64 {
        let row = try connection.statement(
            "UPDATE last_feed SET id = max(id, (SELECT coalesce(max(id), 0) FROM feeds)) + 1 RETURNING id")
        var id: Int64?
        try row.forEachRow { () throws(FeedError) in id = row.integer(0) }
        guard let id else { throw .unreadable("\(connection.path): has lost the number of its last feed") }
        try deleteItems(of: id)
        try WalkRows(connection: connection, feed: id).delete()
        return id
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
        try feed.bind(12, saved.keep?.text)
        try feed.bind(13, saved.seesOwnNetwork ? 1 : 0)
        try feed.bind(14, saved.interval?.components.seconds)
        try feed.bind(15, saved.feed.language)
    }

    /// Deletes the items of a feed.
    ///
    /// Another program, such as sqlite3 with foreign keys off, may delete a feed and leave its items, and the next feed
    /// may get the same row.
    func deleteItems(of feed: Int64) throws(FeedError) {
        let items = try connection.statement("DELETE FROM items WHERE feed = ?1")
        try items.bind(1, feed)
        try items.run()
    }

    /// Deletes the items that other programs left of deleted feeds, so that those items keep no images.
    func deleteItemsOfNoFeed() throws(FeedError) {
        try connection.statement("DELETE FROM items WHERE feed NOT IN (SELECT id FROM feeds)").run()
    }

    func confirm(_ saved: SavedFeed) throws(FeedError) {
        let feed = try connection.statement(
            """
            UPDATE feeds SET credentials = ?2, saved_at = ?5, etag = ?6, last_modified = ?7, pages = ?8,
                named = max(named, ?9), moved_to = ?10, rules = ?11, keep = ?12, own_network = ?13,
                interval = ?14, language = ?15, error_kind = NULL, error_message = NULL, error_at = NULL
            WHERE url = ?1
            """)
        try bind(saved, to: feed)
        try feed.run()
        guard connection.changedRows == 1, let row = try FeedRow.find(saved.url, in: connection) else {
            throw .notFound("\(saved.url): was never saved")
        }
        try LinkedPageRows(connection: connection, feed: row.id).replace(with: saved.linkedPages)
        try WalkRows(connection: connection, feed: row.id).replace(with: saved.walks)
    }

    func setWalks(_ walks: [OpenWalk], of url: ResourceURL) throws(FeedError) {
        guard let feed = try FeedRow.find(url, in: connection) else { return }
        try WalkRows(connection: connection, feed: feed.id).replace(with: walks)
    }

    func setKeep(_ keep: Keep, of url: ResourceURL) throws(FeedError) {
        let feed = try connection.statement("UPDATE feeds SET keep = ?2 WHERE url = ?1")
        try feed.bind(1, url.text)
        try feed.bind(2, keep.text)
        try feed.run()
    }

    func keep(_ images: [FeedImage], fromArchive: Bool, of url: ResourceURL) throws(FeedError) {
        let archived = fromArchive ? Set(images.map { ExactText($0.id) }) : []
        try KeptItems(connection: connection, of: url)?.add(images, archived: archived)
    }

    func takeBack(to url: ResourceURL) throws(FeedError) -> [FeedImage] {
        try KeptItems(connection: connection, of: url)?.takeBack() ?? []
    }

    func letGo(from url: ResourceURL, by keep: Keep, now: Timestamp) throws(FeedError) {
        try KeptItems(connection: connection, of: url)?.letGo(by: keep, now: now)
    }

    func countKept(of url: ResourceURL) throws(FeedError) -> Int {
        try FeedRow.find(url, in: connection)?.keptCount ?? 0
    }

    func removed(from url: ResourceURL) throws(FeedError) -> RemovedImages {
        try RemovedRows(connection: connection).removed(from: url)
    }

    func setRemoved(_ removed: RemovedImages, from url: ResourceURL) throws(FeedError) {
        try RemovedRows(connection: connection).replace(with: removed, of: url)
    }

    func forgetRules(of url: ResourceURL) throws(FeedError) {
        // The items of an archive, which have no rules, stay those of an archive.
        let feed = try connection.statement("UPDATE feeds SET rules = '' WHERE url = ?1 AND rules IS NOT NULL")
        try feed.bind(1, url.text)
        try feed.run()
    }

    func note(_ trouble: FeedTrouble, of url: ResourceURL) throws(FeedError) {
        let feed = try connection.statement(
            "UPDATE feeds SET error_kind = ?2, error_message = ?3, error_at = ?4 WHERE url = ?1")
        try feed.bind(1, url.text)
        try feed.bind(2, trouble.kind.name)
        try feed.bind(3, trouble.message)
        try feed.bind(4, trouble.at.microseconds)
        try feed.run()
    }
}
