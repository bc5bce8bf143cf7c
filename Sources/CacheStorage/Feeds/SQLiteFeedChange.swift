internal import FeedCore

/// Changes feeds within the current transaction of the connection.
///
/// Image data stays: `validate` deletes the data that a feed has ceased to reference.
struct SQLiteFeedChange: FeedStoreChange {
    let connection: SQLiteConnection

    func savedAt(_ url: ResourceURL) throws(FeedError) -> Timestamp? { try FeedRow.find(url, in: connection)?.savedAt }

    func delete(_ url: ResourceURL) throws(FeedError) {
        // Everything that the feed has goes with it.
        let feed = try connection.statement("DELETE FROM feeds WHERE url = ?1")
        try feed.bind(1, url.text)
        try feed.run()
    }

    func deleteCopy(of url: ResourceURL) throws(FeedError) {
        guard let row = try row(of: url) else { return }
        guard try isNamed(row) else { return try delete(url) }
        for table in ["items", "data", "own_data", "failures", "pages", "walks", "reports"] {
            let rows = try connection.prepare("DELETE FROM \(table) WHERE feed = ?1")
            try rows.bind(1, row)
            try rows.run()
        }
        let feed = try connection.statement(
            """
            UPDATE feeds SET saved_at = NULL, etag = NULL, last_modified = NULL, rules = NULL, kept = 0, private = 0,
                moved_to = NULL, interval = NULL, error_kind = NULL, error_message = NULL, error_at = NULL
            WHERE id = ?1
            """)
        try feed.bind(1, row)
        try feed.run()
    }

    private func isNamed(_ row: Int64) throws(FeedError) -> Bool {
        let feed = try connection.statement("SELECT named FROM feeds WHERE id = ?1")
        try feed.bind(1, row)
        var isNamed = false
        try feed.forEachRow { () throws(FeedError) in isNamed = feed.integer(0) != 0 }
        return isNamed
    }

    /// Returns the row of a feed, which may have no saved copy; nil for an unknown feed.
    func row(of url: ResourceURL) throws(FeedError) -> Int64? {
        let feed = try connection.statement("SELECT id FROM feeds WHERE url = ?1")
        try feed.bind(1, url.text)
        var row: Int64?
        try feed.forEachRow { () throws(FeedError) in row = feed.integer(0) }
        return row
    }

    func deleteItems(of url: ResourceURL, keepingLeft: Bool) throws(FeedError) {
        guard let kept = try KeptItems(connection: connection, of: url) else { return }
        if keepingLeft { return try kept.deleteCurrent() }
        let items = try connection.statement("DELETE FROM items WHERE feed = ?1")
        try items.bind(1, kept.feed)
        try items.run()
        try kept.recount()
    }

    func insert(_ saved: SavedFeed) throws(FeedError) {
        let feed = try connection.statement(
            """
            INSERT INTO feeds
                (url, credentials, title, format, saved_at, etag, last_modified, pages, named, moved_to, rules, keep,
                private, interval, language)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            ON CONFLICT (url) DO UPDATE SET
                credentials = ?2, title = ?3, format = ?4, saved_at = ?5, etag = ?6, last_modified = ?7, pages = ?8,
                named = max(named, ?9), moved_to = ?10, rules = ?11, keep = ?12, private = ?13,
                interval = ?14, language = ?15, error_kind = NULL, error_message = NULL, error_at = NULL
            RETURNING id
            """)
        try bind(saved, to: feed)
        var row: Int64 = 0
        try feed.forEachRow { () throws(FeedError) in row = feed.integer(0) }
        let kept = KeptItems(connection: connection, feed: row, url: saved.url)
        try kept.decideRight(saved.reachesPrivate)
        try kept.deleteCurrent()
        try replaceLists(of: saved, row)
        try ItemWriter(connection: connection, feed: row, reachesPrivate: saved.reachesPrivate)
            .append(saved.feed.images)
    }

    private func replaceLists(of saved: SavedFeed, _ row: Int64) throws(FeedError) {
        try WalkRows(connection: connection, feed: row).replace(with: saved.walks)
        try LinkedPageRows(connection: connection, feed: row).replace(with: saved.linkedPages)
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
        try feed.bind(9, Int64(saved.naming.rawValue))
        try feed.bind(10, saved.movedTo?.text)
        try feed.bind(11, saved.rules)
        try feed.bind(12, saved.keep?.text)
        try feed.bind(13, saved.reachesPrivate ? 1 : 0)
        try feed.bind(14, saved.interval?.components.seconds)
        try feed.bind(15, saved.feed.language)
    }

    func confirm(_ saved: SavedFeed) throws(FeedError) {
        let feed = try connection.statement(
            """
            UPDATE feeds SET credentials = ?2, saved_at = ?5, etag = ?6, last_modified = ?7, pages = ?8,
                named = max(named, ?9), moved_to = ?10, rules = ?11, keep = ?12, private = ?13, interval = ?14, language = ?15,
                error_kind = NULL, error_message = NULL, error_at = NULL
            WHERE url = ?1 AND saved_at IS NOT NULL
            """)
        let before = try reachesPrivate(saved.url)
        try bind(saved, to: feed)
        try feed.run()
        guard connection.changedRows == 1, let row = try row(of: saved.url) else {
            throw .notFound("\(saved.url): was never saved")
        }
        try replaceLists(of: saved, row)
        try KeptItems(connection: connection, feed: row, url: saved.url).decideRight(saved.reachesPrivate)
        if before != saved.reachesPrivate { try setRight(of: row, saved.reachesPrivate) }
    }

    private func reachesPrivate(_ url: ResourceURL) throws(FeedError) -> Bool {
        let feed = try connection.statement("SELECT private FROM feeds WHERE url = ?1")
        try feed.bind(1, url.text)
        var reachesPrivate = false
        try feed.forEachRow { () throws(FeedError) in reachesPrivate = feed.integer(0) != 0 }
        return reachesPrivate
    }

    /// Gives the current images of a feed its right to private addresses, apart from those of pages at public addresses.
    private func setRight(of feed: Int64, _ reachesPrivate: Bool) throws(FeedError) {
        let items = try connection.statement(
            """
            UPDATE items SET private = ?2 AND NOT EXISTS (
                SELECT 1 FROM pages WHERE pages.feed = items.feed AND pages.url = items.page AND public)
            WHERE feed = ?1 AND last_seen IS NULL
            """)
        try items.bind(1, feed)
        try items.bind(2, reachesPrivate ? 1 : 0)
        try items.run()
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

    func rename(_ ids: [(old: String, new: String)], of url: ResourceURL) throws(FeedError) {
        guard !ids.isEmpty, let feed = try FeedRow.find(url, in: connection), feed.hasOwnData else { return }
        try OwnData(connection: connection, feed: feed.id).rename(ids)
    }

    func awaitData(of images: [FeedImage], of url: ResourceURL) throws(FeedError) {
        guard !images.isEmpty, let feed = try FeedRow.find(url, in: connection) else { return }
        try OwnData(connection: connection, feed: feed.id).awaitData(of: images)
    }

    func keep(_ images: [FeedImage], fromArchive: Bool, of url: ResourceURL) throws(FeedError) {
        let neverRequested = Set(fromArchive ? images.map { ExactText($0.id) } : [])
        try KeptItems(connection: connection, of: url)?.add(images, neverRequested: neverRequested)
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
