internal import FeedCore

/// The rows of the kept items of a feed.
///
/// Their positions are above those of the current items and grow with their age. A query by position therefore gives
/// the newest kept item first, and a query for the current items skips all of them.
struct KeptItems {
    /// The lowest position of a kept item.
    ///
    /// A feed has fewer current items.
    static let firstPosition: Int64 = 1 << 60
    private static let newestPosition: Int64 = 1 << 61

    let connection: SQLiteConnection
    /// The row of the feed.
    let feed: Int64
    let url: ResourceURL

    init(connection: SQLiteConnection, feed: Int64, url: ResourceURL) {
        (self.connection, self.feed, self.url) = (connection, feed, url)
    }

    /// Returns nil if the feed is unsaved.
    init?(connection: SQLiteConnection, of url: ResourceURL) throws(FeedError) {
        guard let row = try FeedRow.find(url, in: connection) else { return nil }
        self.init(connection: connection, feed: row.id, url: url)
    }

    private func isEmpty() throws(FeedError) -> Bool { try FeedRow.find(url, in: connection)?.keptCount ?? 0 == 0 }

    /// The state of the data of a kept item.
    private enum Missing: Int64 {
        /// The data existed when the item left the feed.
        case no = 0
        /// The data was missing and may be requested.
        case yes = 1
        /// The item came from an archive. It is shown, and its data is never requested.
        case neverRequested = 2
    }

    /// Adds items.
    ///
    /// Items of the same age keep the order of `images`.
    func add(_ images: [FeedImage], neverRequested: Set<ExactText> = []) throws(FeedError) {
        if images.isEmpty { return }
        let index = ImageIndex(connection: connection)
        guard let row = try FeedRow.find(url, in: connection) else { return }
        let item = try connection.statement(
            """
            INSERT INTO items
                (feed, position, item_id, description, location, url, credentials, title, link, published, alternatives,
                author, rights, tags, text, page, private, last_seen, missing)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
            """)
        // The positions ascend, so that each position is tried once even if many items have almost the same age.
        var next = Int64.min
        // The sort is stable.
        for image in images.sorted(by: { $0.newness > $1.newness }) {
            let position = try freePosition(from: max(next, Self.newestPosition - image.newness.microseconds))
            next = position + 1
            var missing = Missing.no
            if neverRequested.contains(ExactText(image.id)) {
                missing = .neverRequested
            } else if try index.find(image, of: row) == nil {
                missing = .yes
            }
            try ItemWriter.bind(image, to: item, feed, position)
            try item.bind(18, image.lastSeen?.microseconds)
            try item.bind(19, missing.rawValue)
            try item.run()
        }
        try recount()
    }

    /// Replaces the kept items.
    ///
    /// An item that is never requested stays so.
    func replace(with images: [FeedImage], neverRequested all: Bool) throws(FeedError) {
        let known = try statement("SELECT item_id, missing FROM items WHERE feed = ?1 AND position >= ?2")
        try known.bind(2, Self.firstPosition)
        var neverRequested = Set(all ? images.map { ExactText($0.id) } : [])
        try known.forEachRow { () throws(FeedError) in
            guard known.integer(1) == Missing.neverRequested.rawValue else { return }
            neverRequested.insert(ExactText(known.text(0) ?? ""))
        }
        let items = try statement("DELETE FROM items WHERE feed = ?1 AND position >= ?2")
        try items.bind(2, Self.firstPosition)
        try items.run()
        try add(images, neverRequested: neverRequested)
        _ = try takeBack()
        try recount()
    }

    /// Lets the next answer of the feed decide whether its kept items may be at private addresses.
    ///
    /// Until then, they may not. An image that a page names never gets the right.
    func leaveRightToFeed() throws(FeedError) {
        let items = try statement(
            "UPDATE items SET private = 2 WHERE feed = ?1 AND position >= ?2 AND private = 0 AND page IS NULL")
        try items.bind(2, Self.firstPosition)
        try items.run()
    }

    /// Gives the restored items, whose right is still open, the right of the feed.
    func decideRight(_ reachesPrivate: Bool) throws(FeedError) {
        let items = try connection.statement("UPDATE items SET private = ?2 WHERE feed = ?1 AND private = 2")
        try items.bind(1, feed)
        try items.bind(2, reachesPrivate ? 1 : 0)
        try items.run()
    }

    /// Returns the first free position from `first`.
    private func freePosition(from first: Int64) throws(FeedError) -> Int64 {
        let row = try statement("SELECT 1 FROM items WHERE feed = ?1 AND position = ?2")
        var position = first
        while true {
            try row.bind(2, position)
            var isTaken = false
            try row.forEachRow { () throws(FeedError) in isTaken = true }
            guard isTaken else { return position }
            position += 1
        }
    }

    func takeBack() throws(FeedError) -> [FeedImage] {
        if try isEmpty() { return [] }
        let row = try connection.prepare(
            """
            DELETE FROM items WHERE feed = ?1 AND position >= ?2
                AND item_id IN (SELECT item_id FROM items WHERE feed = ?1 AND position < ?2)
            RETURNING \(ItemReader.columns)
            """)
        try row.bind(1, feed)
        try row.bind(2, Self.firstPosition)
        let images = try ItemReader.images(in: row, of: url, connection)
        if !images.isEmpty { try recount() }
        return images
    }

    /// Deletes the items that the rule excludes.
    func letGo(by keep: Keep, now: Timestamp) throws(FeedError) {
        guard try !isEmpty(), let items = try statement("DELETE", excludedBy: keep, now) else { return }
        try items.run()
        if connection.changedRows > 0 { try recount() }
    }

    func count(excludedBy keep: Keep, now: Timestamp) throws(FeedError) -> Int {
        guard let row = try statement("SELECT count(*)", excludedBy: keep, now) else { return 0 }
        var count: Int64 = 0
        try row.forEachRow { () throws(FeedError) in count = row.integer(0) }
        return Int(count)
    }

    /// Returns the positions of the items that the rule excludes.
    func positions(excludedBy keep: Keep, now: Timestamp) throws(FeedError) -> [Int64] {
        guard let row = try statement("SELECT position", excludedBy: keep, now) else { return [] }
        var positions: [Int64] = []
        try row.forEachRow { () throws(FeedError) in positions.append(row.integer(0)) }
        return positions
    }

    /// Returns a statement for the items that the rule excludes; nil if it excludes none.
    private func statement(
        _ action: String, excludedBy keep: Keep, _ now: Timestamp
    ) throws(FeedError) -> SQLiteStatement? {
        let (condition, limit): (String, Int64)
        switch keep.limit {
        case .forever: return nil
        case .none: (condition, limit) = ("position >= ?2", Self.firstPosition)
        case .age(let age):
            (condition, limit) = ("last_seen <= ?2", now.microseconds - age.components.seconds * 1_000_000)
        case .count(let count):
            limit = Int64(count)
            condition = """
                position >= \(Self.firstPosition) AND position IN (
                    SELECT position FROM items JOIN feeds ON feeds.id = items.feed WHERE feed = ?1
                    ORDER BY coalesce(published, last_seen, saved_at) DESC, position LIMIT -1 OFFSET ?2)
                """
        }
        let items = try connection.prepare("\(action) FROM items WHERE feed = ?1 AND \(condition)")
        try items.bind(1, feed)
        try items.bind(2, limit)
        return items
    }

    /// Deletes the current items.
    func deleteCurrent() throws(FeedError) {
        let items = try statement("DELETE FROM items WHERE feed = ?1 AND position < ?2")
        try items.bind(2, Self.firstPosition)
        try items.run()
    }

    // MARK: Data

    /// Returns the items whose data is missing and may be requested.
    ///
    /// The data was missing when the item left the feed, or was found damaged.
    func withoutData() throws(FeedError) -> [FeedImage] {
        let index = ImageIndex(connection: connection)
        guard let feedRow = try FeedRow.find(url, in: connection) else { return [] }
        // A whole history may be missing.
        let row = try connection.prepare(
            "SELECT \(ItemReader.columnsWithoutDetails) FROM items WHERE feed = ?1 AND missing = 1 ORDER BY position")
        try row.bind(1, feed)
        let missing = try ItemReader.images(in: row, of: url, connection)
        var images: [FeedImage] = []
        for image in missing where try index.find(image, of: feedRow) == nil { images.append(image) }
        return images
    }

    // MARK: Rows

    private func statement(_ sql: StaticString) throws(FeedError) -> SQLiteStatement {
        let statement = try connection.statement(sql)
        try statement.bind(1, feed)
        return statement
    }

    func recount() throws(FeedError) {
        try statement(
            "UPDATE feeds SET kept = (SELECT count(*) FROM items WHERE feed = ?1 AND last_seen IS NOT NULL) WHERE id = ?1"
        ).run()
    }
}
