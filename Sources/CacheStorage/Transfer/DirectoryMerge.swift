internal import FeedCore
internal import SystemFiles

/// Changes within the transaction that its connection is in, and the files that go with them. Those are in place, on
/// disk, before the rows that name them are committed.
final class DirectoryMerge: CacheMerge {
    /// The thread that places files is not woken for each.
    private static let placedAtOnce = 64

    private let connection: SQLiteConnection
    private let files: Descriptor
    private let placing: PlacingThread
    /// Images whose files are not in their places yet.
    private var offered: [OfferedImage] = []
    /// The feed begun last, and how many images it has.
    private var feed: (row: Int64, images: Int64) = (0, 0)
    /// What was found of the data that was there.
    private var isIntact: [Digest: Bool] = [:]
    private var knowsNames = false

    init(connection: SQLiteConnection, files: Descriptor, incoming: Descriptor) {
        self.connection = connection
        self.files = files
        placing = PlacingThread(from: incoming, to: files)
    }

    func saved(_ feed: ResourceURL) throws(FeedError) -> (at: Timestamp, keep: Keep?)? {
        let row = try connection.statement("SELECT saved_at, keep FROM feeds WHERE url = ?1")
        try row.bind(1, feed.text)
        var found: (at: Timestamp, keep: Keep?)?
        try row.forEachRow { () throws(FeedError) in
            found = (Timestamp(microseconds: row.integer(0)), row.text(1).flatMap(Keep.init))
        }
        return found
    }

    func retrieve(_ feed: ResourceURL) throws(FeedError) -> SavedFeed? {
        try SQLiteFeedStore.feed(feed, withKept: true, in: connection)
    }

    func setKept(_ images: [FeedImage], of feed: ResourceURL, by keep: Keep) throws(FeedError) {
        try KeptItems(connection: connection, of: feed)?.replace(with: images)
        try SQLiteFeedChange(connection: connection).setKeep(keep, of: feed)
    }

    func begin(_ feed: FeedHead) throws(FeedError) {
        let row = try connection.statement(
            """
            INSERT INTO feeds (url, title, format, saved_at, named) VALUES (?1, ?2, ?3, ?4, 0)
            ON CONFLICT (url) DO UPDATE SET
                title = excluded.title, format = excluded.format, saved_at = excluded.saved_at,
                etag = NULL, last_modified = NULL, rules = NULL
            RETURNING id
            """)
        try row.bind(1, feed.url.text)
        try row.bind(2, feed.title)
        try row.bind(3, feed.format.rawValue)
        try row.bind(4, feed.savedAt.microseconds)
        var id: Int64 = 0
        try row.forEachRow { () throws(FeedError) in id = row.integer(0) }
        try SQLiteFeedChange(connection: connection).deleteItems(of: id)
        self.feed = (id, 0)
    }

    func append(_ image: FeedImage) throws(FeedError) {
        try ItemWriter(connection: connection, feed: feed.row).insert(image, at: feed.images)
        feed.images += 1
    }

    func isNamed(_ image: ResourceURL) throws(FeedError) -> Bool {
        if !knowsNames {
            // The items have no index by URL: a lookup would read them all.
            try connection.execute(
                """
                CREATE TEMP TABLE named (url TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
                INSERT OR IGNORE INTO named SELECT url FROM items;
                """)
            knowsNames = true
        }
        let row = try connection.statement("SELECT 1 FROM temp.named WHERE url = ?1")
        try row.bind(1, image.text)
        var found = false
        try row.forEachRow { () throws(FeedError) in found = true }
        return found
    }

    func offer(_ image: OfferedImage) throws(FeedError) -> Bool {
        let index = ImageIndex(connection: connection)
        // Most often there is nothing to be looked for.
        if try !index.insertIfAbsent(image) {
            if let old = try index.find(image.url), try isIntact(old) { return false }
            try index.insert(image)
        }
        offered.append(image)
        if offered.count == Self.placedAtOnce { try placeOffered() }
        if isIntact[image.digest] != nil { isIntact[image.digest] = true }
        try FailureMemory(connection: connection).forget(CollectionOfOne(image.url))
        return true
    }

    private func isIntact(_ image: StoredImage) throws(FeedError) -> Bool {
        if let known = isIntact[image.digest] { return known }
        // One that is on its way there is looked at when it has come.
        try placeOffered()
        try placing.wait()
        let intact = try ImageFile.condition(of: image.digest, size: image.size, in: files).isIntact
        isIntact[image.digest] = intact
        return intact
    }

    func makeDurable() throws(FeedError) {
        if knowsNames { try connection.execute("DROP TABLE temp.named") }
        try placeOffered()
        try placing.makeDurable()
    }

    private func placeOffered() throws(FeedError) {
        try placing.place(offered)
        offered.removeAll(keepingCapacity: true)
    }

    /// The changes don't stand, so that no row names these files.
    func takeBackFiles() { placing.takeBack() }
}
