internal import FeedCore

/// The row of a saved feed, without its items.
struct FeedRow {
    let id: Int64
    let savedAt: Timestamp
    let keep: Keep?
    let keptCount: Int
    let seesOwnNetwork: Bool

    private init(_ row: SQLiteStatement) {
        id = row.integer(0)
        savedAt = Timestamp(nearest: row.integer(1))
        keep = row.text(2).flatMap(Keep.init)
        keptCount = Int(row.integer(3))
        seesOwnNetwork = row.integer(4) != 0
    }

    /// Returns nil if the feed was never saved.
    static func find(_ url: ResourceURL, in connection: SQLiteConnection) throws(FeedError) -> FeedRow? {
        let row = try connection.statement("SELECT id, saved_at, keep, kept, own_network FROM feeds WHERE url = ?1")
        try row.bind(1, url.text)
        var found: FeedRow?
        try row.forEachRow { () throws(FeedError) in found = FeedRow(row) }
        return found
    }
}
