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

    func imageIDs(of url: ResourceURL) async throws(FeedError) -> SavedImageIDs {
        try await database.read { connection throws(FeedError) in
            let row = try connection.statement(
                "SELECT item_id FROM items WHERE feed = (SELECT id FROM feeds WHERE url = ?1)")
            try row.bind(1, url.text)
            var ids = SavedImageIDs()
            // An image is read without the passwords of its id.
            try row.forEachRow { () throws(FeedError) in ids.insert((row.text(0) ?? "").withoutPasswords) }
            return ids
        }
    }

    func countKept(of url: ResourceURL, excludedBy keep: Keep, now: Timestamp) async throws(FeedError) -> Int {
        try await database.read { connection throws(FeedError) in
            try KeptItems(connection: connection, of: url)?.count(excludedBy: keep, now: now) ?? 0
        }
    }

    func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        try await database.write { connection throws(FeedError) in
            try work(SQLiteFeedChange(connection: connection))
        }
    }

    func removed(from url: ResourceURL) async throws(FeedError) -> RemovedImages {
        try await database.read { connection throws(FeedError) in
            try RemovedRows(connection: connection).removed(from: url)
        }
    }

    func images(at url: ResourceURL) async throws(FeedError) -> [ImageOfFeed] {
        try await database.read { connection throws(FeedError) in
            try RemovedRows(connection: connection).images(at: url)
        }
    }

    func feeds(withRemoved url: ResourceURL) async throws(FeedError) -> [ResourceURL] {
        try await database.read { connection throws(FeedError) in
            try RemovedRows(connection: connection).feeds(withRemoved: url)
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
            SELECT url, credentials, title, format, saved_at, keep, language, id, etag, last_modified, pages, named, moved_to,
                rules, kept, private, interval, error_kind, error_message, error_at
            FROM feeds WHERE url = ?1 AND saved_at IS NOT NULL
            """)
        try row.bind(1, url.text)
        var saved: SavedFeed?
        try row.forEachRow { () throws(FeedError) in
            let head = try FeedHead(row, in: connection)
            func read(_ positions: Range<Int64>) throws(FeedError) -> [FeedImage] {
                try Self.images(of: head.url, row.integer(7), at: positions, in: connection)
            }
            let images = try read(0..<KeptItems.firstPosition)
            let kept = withKept ? try read(KeptItems.firstPosition..<Int64.max) : []
            saved = SavedFeed(
                url: head.url,
                feed: Feed(format: head.format, title: head.title, language: head.language, images: images),
                savedAt: head.savedAt, validators: Validators(etag: row.text(8), lastModified: row.text(9)),
                pages: Int(row.integer(10)), walks: try WalkRows(connection: connection, feed: row.integer(7)).all(),
                naming: FeedNaming(stored: row.integer(11)), reachesPrivate: row.integer(15) != 0,
                movedTo: row.text(12).flatMap(ResourceURL.init(storedRemote:)), rules: row.text(13), keep: head.keep,
                keptCount: Int(row.integer(14)), kept: kept,
                interval: row.optionalInteger(16).map { .seconds($0) }, trouble: trouble(in: row, from: 17),
                linkedPages: try LinkedPageRows(connection: connection, feed: row.integer(7)).all())
        }
        return saved
    }

    private static func images(
        of feed: ResourceURL, _ id: Int64, at positions: Range<Int64>, in connection: SQLiteConnection
    ) throws(FeedError) -> [FeedImage] {
        let row = try connection.prepare(
            """
            SELECT \(ItemReader.columns) FROM items WHERE feed = ?1 AND position >= ?2 AND position < ?3 ORDER BY position
            """)
        try row.bind(1, id)
        try row.bind(2, positions.lowerBound)
        try row.bind(3, positions.upperBound)
        return try ItemReader.images(in: row, of: feed, connection)
    }

    static func summaries(in connection: SQLiteConnection) throws(FeedError) -> [FeedSummary] {
        let row = try connection.statement(
            """
            SELECT url, credentials, title, format, saved_at, keep, language,
                (SELECT count(*) FROM items WHERE feed = feeds.id), named, moved_to, error_kind, error_message, error_at,
                kept
            FROM feeds WHERE saved_at IS NOT NULL ORDER BY url
            """)
        var summaries: [FeedSummary] = []
        try row.forEachRow { () throws(FeedError) in
            summaries.append(
                FeedSummary(
                    try FeedHead(row, in: connection), images: Int(row.integer(7)), kept: Int(row.integer(13)),
                    naming: FeedNaming(stored: row.integer(8)),
                    movedTo: row.text(9).flatMap(ResourceURL.init(storedRemote:)),
                    trouble: trouble(in: row, from: 10)))
        }
        return summaries
    }

    /// Returns the error of a feed, or nil if the columns are empty.
    private static func trouble(in row: SQLiteStatement, from first: Int32) -> FeedTrouble? {
        guard let kind = row.errorKind(first) else { return nil }
        return FeedTrouble(
            kind: kind, message: row.text(first + 1) ?? "", at: Timestamp(nearest: row.integer(first + 2)))
    }

    /// Returns every saved feed without its images, sorted by URL.
    ///
    /// Throws `unreadable` if there is a feed that can't be listed and therefore can't be deleted.
    static func heads(in connection: SQLiteConnection) throws(FeedError) -> [FeedHead] {
        let row = try connection.statement(
            """
            SELECT url, credentials, title, format, saved_at, keep, language FROM feeds WHERE saved_at IS NOT NULL
            ORDER BY url
            """)
        var heads: [FeedHead] = []
        try row.forEachRow { () throws(FeedError) in heads.append(try FeedHead(row, in: connection)) }
        return heads
    }
}

extension FeedNaming {
    /// Reads a column.
    ///
    /// A number that only a later version knows means a named feed.
    init(stored number: Int64) { self = FeedNaming(rawValue: Int(clamping: number)) ?? .byCommand }
}

extension FeedHead {
    /// Reads the columns url, credentials, title, format, saved_at, keep, language, which begin a row.
    ///
    /// The database is untrusted input and checked like any other.
    fileprivate init(_ row: SQLiteStatement, in connection: SQLiteConnection) throws(FeedError) {
        let text = row.text(0) ?? ""
        let url: ResourceURL
        do {
            url = try ResourceURL(text, credentials: row.text(1))
        } catch {
            throw .unreadable("\(connection.path): the saved feed “\(text)”: URL \(error.reason)")
        }
        self.init(
            url: url, title: row.text(2), language: row.text(6), format: Feed.Format(rawValue: row.text(3) ?? ""),
            savedAt: Timestamp(nearest: row.integer(4)),
            keep: row.text(5).flatMap(Keep.init))
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
