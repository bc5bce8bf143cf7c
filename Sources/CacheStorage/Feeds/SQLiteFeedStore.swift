internal import FeedCore

/// Saved feeds in the database of a cache.
struct SQLiteFeedStore: FeedStore {
    let database: Database

    func retrieve(_ url: ResourceURL, withKept: Bool) async throws(FeedError) -> SavedFeed? {
        try await database.read { connection throws(FeedError) in
            try Self.feed(url, withKept: withKept, in: connection)
        }
    }

    func keptWithoutData(of url: ResourceURL) async throws(FeedError) -> [FeedImage] {
        try await database.read { connection throws(FeedError) in
            try KeptItems(connection: connection, of: url)?.withoutData() ?? []
        }
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
    static func feed(
        _ url: ResourceURL, withKept: Bool, in connection: SQLiteConnection
    ) throws(FeedError) -> SavedFeed? {
        let row = try connection.statement(
            """
            SELECT id, url, credentials, title, format, saved_at, etag, last_modified, pages, named, moved_to, rules,
                keep, kept, own_network, error_kind, error_message, error_at
            FROM feeds WHERE url = ?1
            """)
        try row.bind(1, url.text)
        var saved: SavedFeed?
        try row.forEachRow { () throws(FeedError) in
            let head = try FeedRow(row, in: connection)
            let images = try images(of: head, at: 0..<KeptItems.firstPosition, in: connection)
            let kept =
                withKept ? try Self.images(of: head, at: KeptItems.firstPosition..<Int64.max, in: connection) : []
            saved = SavedFeed(
                url: head.url, feed: Feed(format: head.format, title: head.title, images: images),
                savedAt: head.savedAt, validators: Validators(etag: row.text(6), lastModified: row.text(7)),
                pages: Int(row.integer(8)), isNamed: row.integer(9) != 0,
                seesOwnNetwork: row.integer(14) != 0,
                movedTo: row.text(10).flatMap(ResourceURL.init(storedRemote:)), rules: row.text(11),
                keep: row.text(12).flatMap(Keep.init),
                keptCount: Int(row.integer(13)), kept: kept, trouble: trouble(in: row, from: 15))
        }
        return saved
    }

    private static func images(
        of feed: FeedRow, at positions: Range<Int64>, in connection: SQLiteConnection
    ) throws(FeedError) -> [FeedImage] {
        let count = try connection.statement(
            "SELECT count(*) FROM items WHERE feed = ?1 AND position >= ?2 AND position < ?3")
        try count.bind(1, feed.id)
        try count.bind(2, positions.lowerBound)
        try count.bind(3, positions.upperBound)
        var images: [FeedImage] = []
        try count.forEachRow { () throws(FeedError) in images.reserveCapacity(Int(count.integer(0))) }

        let row = try connection.statement(
            """
            SELECT position, item_id, url, credentials, description, location, title, link, published, alternatives,
                last_seen
            FROM items WHERE feed = ?1 AND position >= ?2 AND position < ?3 ORDER BY position
            """)
        try row.bind(1, feed.id)
        try row.bind(2, positions.lowerBound)
        try row.bind(3, positions.upperBound)
        var reader = ItemReader(connection, of: feed.url)
        try row.forEachRow { () throws(FeedError) in images.append(try reader.image(in: row)) }
        return images
    }

    static func summaries(in connection: SQLiteConnection) throws(FeedError) -> [FeedSummary] {
        let row = try connection.statement(
            """
            SELECT id, url, credentials, title, format, saved_at,
                (SELECT count(*) FROM items WHERE feed = feeds.id AND position < ?1), named, moved_to, keep, kept,
                error_kind, error_message, error_at
            FROM feeds ORDER BY url
            """)
        try row.bind(1, KeptItems.firstPosition)
        var summaries: [FeedSummary] = []
        try row.forEachRow { () throws(FeedError) in
            let head = try FeedRow(row, in: connection)
            summaries.append(
                FeedSummary(
                    url: head.url, title: head.title, format: head.format, savedAt: head.savedAt,
                    images: Int(row.integer(6) &+ row.integer(10)), isNamed: row.integer(7) != 0,
                    movedTo: row.text(8).flatMap(ResourceURL.init(storedRemote:)), keep: row.text(9).flatMap(Keep.init),
                    trouble: trouble(in: row, from: 11)))
        }
        return summaries
    }

    /// Returns the error of a feed, or nil if the columns are empty.
    private static func trouble(in row: SQLiteStatement, from first: Int32) -> FeedTrouble? {
        guard let kind = row.errorKind(first) else { return nil }
        return FeedTrouble(
            kind: kind, message: row.text(first + 1) ?? "", at: Timestamp(nearest: row.integer(first + 2)))
    }

    /// Throws `unreadable` if there is a feed that can't be listed and therefore can't be deleted.
    static func checkFeeds(in connection: SQLiteConnection) throws(FeedError) {
        let row = try connection.statement("SELECT id, url, credentials, title, format, saved_at FROM feeds")
        try row.forEachRow { () throws(FeedError) in _ = try FeedRow(row, in: connection) }
    }
}

/// The columns that begin every query for feeds. The database is untrusted input and checked like any other.
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

/// The pauses that servers asked for, in the database of a cache.
struct SQLiteFeedWaitStore: FeedWaitStore {
    let database: Database

    func retrieve() async throws(FeedError) -> [FeedWait] {
        try await database.read { connection throws(FeedError) in
            let row = try connection.statement("SELECT feed, until FROM waits ORDER BY feed")
            var waits: [FeedWait] = []
            try row.forEachRow { () throws(FeedError) in
                // A row with an invalid URL is skipped, because it belongs to no feed.
                guard let feed = row.text(0).flatMap(ResourceURL.init(stored:)) else { return }
                waits.append(FeedWait(feed: feed, until: Timestamp(microseconds: row.integer(1))))
            }
            return waits
        }
    }

    func replace(with waits: [FeedWait]) async throws(FeedError) {
        try await database.write { connection throws(FeedError) in
            try connection.statement("DELETE FROM waits").run()
            let row = try connection.statement("INSERT INTO waits (feed, until) VALUES (?1, ?2)")
            for wait in waits {
                try row.bind(1, wait.feed.text)
                try row.bind(2, wait.until.microseconds)
                try row.run()
            }
        }
    }
}
