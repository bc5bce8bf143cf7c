internal import FeedCore

/// Saved feeds in the database of a cache.
struct SQLiteFeedStore: FeedStore {
    let database: Database

    func retrieve(_ url: ResourceURL) async throws(FeedError) -> SavedFeed? {
        try await database.read { connection throws(FeedError) in try Self.feed(url, in: connection) }
    }

    func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        try await database.write { connection throws(FeedError) in
            try work(SQLiteFeedChange(connection: connection))
        }
    }

    func summaries() async throws(FeedError) -> [FeedSummary] {
        try await database.read { connection throws(FeedError) in try Self.summaries(in: connection) }
    }
}

extension SQLiteFeedStore {
    static func feed(_ url: ResourceURL, in connection: SQLiteConnection) throws(FeedError) -> SavedFeed? {
        let row = try connection.statement(
            """
            SELECT id, url, credentials, title, format, saved_at, etag, last_modified, pages, named, moved_to, rules
            FROM feeds WHERE url = ?1
            """)
        try row.bind(1, url.text)
        var saved: SavedFeed?
        try row.forEachRow { () throws(FeedError) in
            let head = try FeedRow(row, in: connection)
            let images = try images(of: head, in: connection)
            saved = SavedFeed(
                url: head.url, feed: Feed(format: head.format, title: head.title, images: images),
                savedAt: head.savedAt, validators: Validators(etag: row.text(6), lastModified: row.text(7)),
                pages: Int(row.integer(8)), isNamed: row.integer(9) != 0,
                movedTo: row.text(10).flatMap(ResourceURL.init(place:)), rules: row.text(11))
        }
        return saved
    }

    private static func images(of feed: FeedRow, in connection: SQLiteConnection) throws(FeedError) -> [FeedImage] {
        let count = try connection.statement("SELECT count(*) FROM items WHERE feed = ?1")
        try count.bind(1, feed.id)
        var images: [FeedImage] = []
        try count.forEachRow { () throws(FeedError) in images.reserveCapacity(Int(count.integer(0))) }

        let row = try connection.statement(
            """
            SELECT position, item_id, url, credentials, description, location, title, link, published, alternatives
            FROM items WHERE feed = ?1 ORDER BY position
            """)
        try row.bind(1, feed.id)
        var reader = ItemReader(connection, of: feed.url)
        try row.forEachRow { () throws(FeedError) in images.append(try reader.image(in: row)) }
        return images
    }

    static func summaries(in connection: SQLiteConnection) throws(FeedError) -> [FeedSummary] {
        let row = try connection.statement(
            """
            SELECT id, url, credentials, title, format, saved_at,
                (SELECT count(*) FROM items WHERE feed = feeds.id), named, moved_to
            FROM feeds ORDER BY url
            """)
        var summaries: [FeedSummary] = []
        try row.forEachRow { () throws(FeedError) in
            let head = try FeedRow(row, in: connection)
            summaries.append(
                FeedSummary(
                    url: head.url, title: head.title, format: head.format, savedAt: head.savedAt,
                    images: Int(row.integer(6)), isNamed: row.integer(7) != 0,
                    movedTo: row.text(8).flatMap(ResourceURL.init(place:))))
        }
        return summaries
    }

    /// Throws `unreadable` if there is a feed that can't even be listed, and so never be deleted.
    static func checkFeeds(in connection: SQLiteConnection) throws(FeedError) {
        let row = try connection.statement("SELECT id, url, credentials, title, format, saved_at FROM feeds")
        try row.forEachRow { () throws(FeedError) in _ = try FeedRow(row, in: connection) }
    }
}

/// The columns that every query of feeds begins with. The database is input like any other, and checked like it.
struct FeedRow {
    let id: Int64
    let url: ResourceURL
    let title: String?
    let format: Feed.Format
    let savedAt: Timestamp

    init(_ row: SQLiteStatement, in connection: SQLiteConnection) throws(FeedError) {
        let text = row.text(1) ?? ""
        do {
            url = try ResourceURL(text, credentials: row.text(2))
        } catch {
            throw .unreadable("\(connection.path): the saved feed “\(text)”: URL \(error.reason)")
        }
        guard let format = Feed.Format(rawValue: row.text(4) ?? "") else {
            let name = row.text(4) ?? ""
            throw .unreadable("\(connection.path): the saved feed \(url): is of the unknown format “\(name)”")
        }
        id = row.integer(0)
        title = row.text(3)
        self.format = format
        savedAt = Timestamp(nearest: row.integer(5))
    }
}
