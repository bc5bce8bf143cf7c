internal import FeedCore

/// The row of a saved feed, without its items.
struct FeedRow {
    let id: Int64
    let savedAt: Timestamp
    let keep: Keep?
    let keptCount: Int
    /// Whether items of the feed have data of their own, or await it.
    let hasOwnData: Bool

    private init(_ row: SQLiteStatement) {
        id = row.integer(0)
        savedAt = Timestamp(nearest: row.integer(1))
        keep = row.text(2).flatMap(Keep.init)
        keptCount = Int(row.integer(3))
        hasOwnData = row.integer(4) != 0
    }

    /// Returns nil for a feed without a saved copy.
    static func find(_ url: ResourceURL, in connection: SQLiteConnection) throws(FeedError) -> FeedRow? {
        let row = try connection.statement(
            """
            SELECT id, saved_at, keep, kept, EXISTS (SELECT 1 FROM own_data WHERE own_data.feed = feeds.id)
            FROM feeds WHERE url = ?1 AND saved_at IS NOT NULL
            """)
        try row.bind(1, url.text)
        var found: FeedRow?
        try row.forEachRow { () throws(FeedError) in found = FeedRow(row) }
        return found
    }
}

/// The rows of the feeds of one transaction, each read once.
struct FeedRows {
    let connection: SQLiteConnection
    private var found: [ResourceURL.Key: FeedRow?] = [:]

    init(_ connection: SQLiteConnection) { self.connection = connection }

    subscript(url: ResourceURL) -> FeedRow? {
        mutating get throws(FeedError) {
            if let known = found[url.key] { return known }
            let row = try FeedRow.find(url, in: connection)
            found.updateValue(row, forKey: url.key)
            return row
        }
    }
}
