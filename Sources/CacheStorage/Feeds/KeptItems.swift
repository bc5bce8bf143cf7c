internal import FeedCore

/// The rows of the items that left a feed. Their positions follow those that it names, and say how new they are: so they
/// come newest first, and what doesn't ask for them doesn't meet them.
struct KeptItems {
    /// No feed names so many.
    static let start: Int64 = 1 << 60
    private static let newest: Int64 = 1 << 61

    let connection: SQLiteConnection
    /// Its row.
    let feed: Int64
    let url: ResourceURL

    init(connection: SQLiteConnection, feed: Int64, url: ResourceURL) {
        (self.connection, self.feed, self.url) = (connection, feed, url)
    }

    /// Nil where the feed isn't saved.
    init?(connection: SQLiteConnection, of url: ResourceURL) throws(FeedError) {
        let row = try connection.statement("SELECT id FROM feeds WHERE url = ?1")
        try row.bind(1, url.text)
        var id: Int64?
        try row.forEachRow { () throws(FeedError) in id = row.integer(0) }
        guard let id else { return nil }
        self.init(connection: connection, feed: id, url: url)
    }

    func count() throws(FeedError) -> Int {
        let row = try statement("SELECT kept FROM feeds WHERE id = ?1")
        var count: Int64 = 0
        try row.forEachRow { () throws(FeedError) in count = row.integer(0) }
        return Int(count)
    }

    /// Whether the data of an item may be requested.
    private enum Missing: Int64 {
        /// It was there when the item left.
        case no = 0
        /// It was not there, and may be requested.
        case yes = 1
        /// The item had left its feed in an archive: it is shown, and its data is never requested.
        case neverRequested = 2
    }

    /// Adds items. Equally new items have the order that they have here.
    func add(_ images: [FeedImage], archived: Set<ExactText> = []) throws(FeedError) {
        if images.isEmpty { return }
        let index = ImageIndex(connection: connection)
        let circles = try VisibleCircles(Viewer(url), in: connection)
        let item = try connection.statement(
            """
            INSERT INTO items
                (feed, position, item_id, description, location, url, credentials, title, link, published, alternatives,
                last_seen, missing)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            """)
        // The positions ascend, so that no position is looked at twice: many items may be nearly equally new.
        var next = Int64.min
        // Sorting keeps the order of equals.
        for image in images.sorted(by: { $0.newness > $1.newness }) {
            let position = try free(from: max(next, Self.newest - image.newness.microseconds))
            next = position + 1
            var missing = Missing.no
            if archived.contains(ExactText(image.id)) {
                missing = .neverRequested
            } else if try index.find(image, in: circles) == nil {
                missing = .yes
            }
            try ItemWriter.bind(image, to: item, feed, position)
            try item.bind(12, image.lastSeen?.microseconds)
            try item.bind(13, missing.rawValue)
            try item.run()
        }
        try recount()
    }

    /// Replaces the kept items. An item that is never requested stays one; so do the `archived` items.
    func replace(with images: [FeedImage], archived: Set<ExactText>) throws(FeedError) {
        let known = try statement("SELECT item_id, missing FROM items WHERE feed = ?1 AND position >= ?2")
        try known.bind(2, Self.start)
        var neverRequested = archived
        try known.forEachRow { () throws(FeedError) in
            guard known.integer(1) == Missing.neverRequested.rawValue else { return }
            neverRequested.insert(ExactText(known.text(0) ?? ""))
        }
        let items = try statement("DELETE FROM items WHERE feed = ?1 AND position >= ?2")
        try items.bind(2, Self.start)
        try items.run()
        try add(images, archived: neverRequested)
        _ = try takeBack()
        try recount()
    }

    /// The first position from this one on that is free.
    private func free(from first: Int64) throws(FeedError) -> Int64 {
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
        if try count() == 0 { return [] }
        let row = try statement(
            """
            DELETE FROM items WHERE feed = ?1 AND position >= ?2
                AND item_id IN (SELECT item_id FROM items WHERE feed = ?1 AND position < ?2)
            RETURNING position, item_id, url, credentials, description, location, title, link, published, alternatives,
                last_seen
            """)
        try row.bind(2, Self.start)
        let images = try images(in: row)
        if !images.isEmpty { try recount() }
        return images
    }

    func letGo(by keep: Keep, now: Timestamp) throws(FeedError) {
        if try count() == 0 { return }
        let items: SQLiteStatement
        switch keep.limit {
        case .forever: return
        case .none:
            items = try statement("DELETE FROM items WHERE feed = ?1 AND position >= ?2")
            try items.bind(2, Self.start)
        case .age(let age):
            items = try statement("DELETE FROM items WHERE feed = ?1 AND last_seen <= ?2")
            try items.bind(2, now.microseconds - age.components.seconds * 1_000_000)
        case .count(let count):
            items = try statement(
                """
                DELETE FROM items WHERE feed = ?1 AND position >= ?2 AND position IN (
                    SELECT position FROM items JOIN feeds ON feeds.id = items.feed WHERE feed = ?1
                    ORDER BY coalesce(published, last_seen, saved_at) DESC, position LIMIT -1 OFFSET ?3)
                """)
            try items.bind(2, Self.start)
            try items.bind(3, Int64(count))
        }
        try items.run()
        if connection.changedRows > 0 { try recount() }
    }

    /// Deletes the current items.
    func deleteOthers() throws(FeedError) {
        let items = try statement("DELETE FROM items WHERE feed = ?1 AND position < ?2")
        try items.bind(2, Self.start)
        try items.run()
    }

    // MARK: Data

    /// The items whose data may be requested: it was not there when they left, or was found damaged, and there is none now.
    func withoutData() throws(FeedError) -> [FeedImage] {
        let index = ImageIndex(connection: connection)
        let circles = try VisibleCircles(Viewer(url), in: connection)
        let missing = try images(
            in: statement(
                """
                SELECT position, item_id, url, credentials, description, location, title, link, published, alternatives,
                    last_seen
                FROM items WHERE feed = ?1 AND missing = 1 ORDER BY position
                """))
        var images: [FeedImage] = []
        for image in missing where try index.find(image, in: circles) == nil { images.append(image) }
        return images
    }

    /// Notes the kept items whose data was deleted: it may be requested again.
    static func noteMissing(in connection: SQLiteConnection) throws(FeedError) {
        try connection.statement(
            """
            UPDATE items SET missing = 1
            WHERE last_seen IS NOT NULL AND missing = 0 AND NOT EXISTS (
                SELECT 1 FROM images WHERE images.url = items.url AND (circle IN (0, feed)
                    OR circle = -1 AND (SELECT own_network FROM feeds WHERE id = feed) <> 0))
            """
        ).run()
    }

    // MARK: Rows

    private func statement(_ sql: StaticString) throws(FeedError) -> SQLiteStatement {
        let statement = try connection.statement(sql)
        try statement.bind(1, feed)
        return statement
    }

    private func images(in row: SQLiteStatement) throws(FeedError) -> [FeedImage] {
        var reader = ItemReader(connection, of: url)
        var images: [FeedImage] = []
        try row.forEachRow { () throws(FeedError) in images.append(try reader.image(in: row)) }
        return images
    }

    func recount() throws(FeedError) {
        try statement(
            "UPDATE feeds SET kept = (SELECT count(*) FROM items WHERE feed = ?1 AND last_seen IS NOT NULL) WHERE id = ?1"
        ).run()
    }
}
