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
    private var circlesOfLastFeed: (feed: ResourceURL, circles: VisibleCircles)?

    init(connection: SQLiteConnection, files: Descriptor, incoming: Descriptor) {
        self.connection = connection
        self.files = files
        placing = PlacingThread(from: incoming, to: files)
    }

    func saved(_ feed: ResourceURL) throws(FeedError) -> (at: Timestamp, keep: Keep?, keptCount: Int)? {
        let row = try connection.statement("SELECT saved_at, keep, kept FROM feeds WHERE url = ?1")
        try row.bind(1, feed.text)
        var found: (at: Timestamp, keep: Keep?, keptCount: Int)?
        try row.forEachRow { () throws(FeedError) in
            found = (
                Timestamp(microseconds: row.integer(0)), row.text(1).flatMap(Keep.init), Int(row.integer(2))
            )
        }
        return found
    }

    func retrieve(_ feed: ResourceURL) throws(FeedError) -> SavedFeed? {
        try SQLiteFeedStore.feed(feed, withKept: true, in: connection)
    }

    func setKept(
        _ images: [FeedImage], archived: Set<ExactText>, of feed: ResourceURL
    ) throws(FeedError) {
        try KeptItems(connection: connection, of: feed)?.replace(with: images, archived: archived)
    }

    func name(_ feed: ResourceURL, keep: Keep?) throws(FeedError) {
        // Rules say that the items are the user's, as after a sync.
        let row = try connection.statement(
            "UPDATE feeds SET named = 1, keep = ?2, rules = coalesce(rules, '') WHERE url = ?1")
        try row.bind(1, feed.text)
        try row.bind(2, keep?.text)
        try row.run()
    }

    func begin(_ feed: FeedHead) throws(FeedError) {
        let change = SQLiteFeedChange(connection: connection)
        let known = try KeptItems(connection: connection, of: feed.url)
        try known?.deleteOthers()
        let id = if let known { known.feed } else { try change.newRow() }
        let row = try connection.statement(
            """
            INSERT INTO feeds (id, url, title, format, saved_at, named) VALUES (?5, ?1, ?2, ?3, ?4, 0)
            ON CONFLICT (url) DO UPDATE SET
                title = excluded.title, format = excluded.format, saved_at = excluded.saved_at,
                etag = NULL, last_modified = NULL, rules = NULL
            """)
        try row.bind(1, feed.url.text)
        try row.bind(2, feed.title)
        try row.bind(3, feed.format.rawValue)
        try row.bind(4, feed.savedAt.microseconds)
        try row.bind(5, id)
        try row.run()
        self.feed = (id, 0)
    }

    func append(_ image: FeedImage) throws(FeedError) {
        try ItemWriter(connection: connection, feed: feed.row).insert(image, at: feed.images)
        feed.images += 1
    }

    func offer(_ image: OfferedImage, for feed: ResourceURL) throws(FeedError) -> Bool {
        let circles = try circles(of: feed)
        guard let id = circles.feed else { return false }
        let index = ImageIndex(connection: connection)
        if let known = try index.find(image.url.text, in: circles), try isIntact(known.image) {
            try index.noteEarlier(image.fetchedAt, known, of: image)
            return false
        }
        try index.insert(image, in: id)
        offered.append(image)
        if offered.count == Self.placedAtOnce { try placeOffered() }
        if isIntact[image.digest] != nil { isIntact[image.digest] = true }
        try FailureMemory(connection: connection).forget(
            image.url, for: [Recipient(image: image.url, feed: feed, circle: .oneFeed)])
        return true
    }

    /// The circles of the feed whose images are offered: mostly the same feed as before.
    private func circles(of feed: ResourceURL) throws(FeedError) -> VisibleCircles {
        if let known = circlesOfLastFeed, known.feed.key == feed.key { return known.circles }
        let circles = try VisibleCircles(Viewer(feed), in: connection)
        circlesOfLastFeed = (feed, circles)
        return circles
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
