internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Merges feeds and images within the current transaction of the connection.
///
/// It moves the files to their final names and makes them durable before the transaction commits the rows.
final class DirectoryMerge: CacheMerge {
    private let connection: SQLiteConnection
    private let files: Descriptor
    private let mover: FileMover
    /// The images whose files are passed to the mover next.
    private var offered: [OfferedImage] = []
    /// The row of the feed that was begun last, and the number of its images.
    private var feed: (row: Int64, images: Int64) = (0, 0)
    /// The known results of checking existing data.
    private var isIntact: [Digest: Bool] = [:]
    /// The row of the feed whose data was taken last.
    private var last: (feed: ResourceURL.Key, row: Int64)?
    /// The data of the whole cache by its digests; nil before the first search.
    private var allData: [Digest: (size: Int64, type: ImageType)]?

    init(connection: SQLiteConnection, files: Descriptor, incoming: Descriptor) {
        self.connection = connection
        self.files = files
        mover = FileMover(from: incoming, to: files)
    }

    private var index: ImageIndex { ImageIndex(connection: connection) }
    private var change: SQLiteFeedChange { SQLiteFeedChange(connection: connection) }

    func find(_ feed: ResourceURL) throws(FeedError) -> KnownFeed? {
        let row = try connection.statement("SELECT saved_at, keep FROM feeds WHERE url = ?1")
        try row.bind(1, feed.text)
        var known: KnownFeed?
        try row.forEachRow { () throws(FeedError) in
            known = KnownFeed(
                savedAt: row.optionalInteger(0).map(Timestamp.init(nearest:)), keep: row.text(1).flatMap(Keep.init))
        }
        return known
    }

    func retrieve(_ feed: ResourceURL) throws(FeedError) -> SavedFeed? {
        try SQLiteFeedStore.feed(feed, withKept: true, in: connection)
    }

    func removed(from feed: ResourceURL) throws(FeedError) -> RemovedImages {
        try RemovedRows(connection: connection).removed(from: feed)
    }

    func setRemoved(_ removed: RemovedImages, from feed: ResourceURL) throws(FeedError) {
        try RemovedRows(connection: connection).replace(with: removed, of: feed)
    }

    func setKept(_ images: [FeedImage], neverRequested: Bool, of feed: ResourceURL) throws(FeedError) {
        guard let kept = try KeptItems(connection: connection, of: feed) else { return }
        try kept.replace(with: images, neverRequested: neverRequested)
        if !neverRequested { try kept.leaveRightToFeed() }
    }

    func begin(_ feed: FeedHead) throws(FeedError) {
        let row = try connection.statement(
            """
            INSERT INTO feeds (url, title, format, saved_at, language, home, named) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (url) DO UPDATE SET
                title = excluded.title, format = excluded.format, saved_at = excluded.saved_at,
                language = excluded.language, home = excluded.home, etag = NULL, last_modified = NULL, rules = NULL
            RETURNING id
            """)
        try row.bind(1, feed.url.text)
        try row.bind(2, feed.title)
        try row.bind(3, feed.format.rawValue)
        try row.bind(4, feed.savedAt.microseconds)
        try row.bind(5, feed.language)
        try row.bind(6, feed.home)
        try row.bind(7, Int64(feed.naming.rawValue))
        try row.forEachRow { () throws(FeedError) in self.feed = (row.integer(0), 0) }
        try KeptItems(connection: connection, feed: self.feed.row, url: feed.url).deleteCurrent()
    }

    func append(_ image: FeedImage) throws(FeedError) {
        try ItemWriter(connection: connection, feed: feed.row, reachesPrivate: true).insert(image, at: feed.images)
        feed.images += 1
    }

    func describe(_ feed: FeedHead, isLater: Bool) throws(FeedError) {
        // Rules say that the items are the user's, as after a sync.
        let row = try connection.statement(
            """
            UPDATE feeds SET named = max(named, ?2), rules = coalesce(rules, ''),
                keep = CASE WHEN ?3 THEN coalesce(?4, keep) ELSE keep END,
                settings = CASE WHEN ?3 THEN coalesce(json_patch(settings, ?5), ?5, settings) ELSE settings END,
                gaps = CASE WHEN ?3 THEN coalesce(?6, gaps) ELSE coalesce(gaps, ?6) END
            WHERE url = ?1
            """)
        try row.bind(1, feed.url.text)
        try row.bind(2, Int64(feed.naming.rawValue))
        try row.bind(3, isLater ? 1 : 0)
        try row.bind(4, feed.keep?.text)
        try row.bind(5, feed.settings)
        try row.bind(6, feed.gaps)
        try row.run()
        if let page = feed.nextPage { try resumeWalk(at: page, of: feed) }
    }

    /// Lets the next sync continue a walk of another cache, unless a walk of this cache is open.
    private func resumeWalk(at page: ResourceURL, of feed: FeedHead) throws(FeedError) {
        guard let id = try change.row(of: feed.url) else { return }
        let walks = WalkRows(connection: connection, feed: id)
        guard try walks.all().isEmpty else { return }
        let row = try connection.statement(
            "SELECT min(last_seen) FROM items WHERE feed = ?1 AND last_seen IS NOT NULL")
        try row.bind(1, id)
        var oldest = feed.savedAt
        try row.forEachRow { () throws(FeedError) in
            if let moment = row.optionalInteger(0) { oldest = Timestamp(nearest: moment) }
        }
        try walks.replace(with: [OpenWalk(resumingAt: page, after: oldest)])
        // The user has asked for this page, however many pages that were.
        let pages = try connection.statement("UPDATE feeds SET pages = ?2 WHERE id = ?1")
        try pages.bind(1, id)
        try pages.bind(2, Int64.max)
        try pages.run()
    }

    // MARK: Data

    func data(at url: ResourceURL, of feed: ResourceURL) throws(FeedError) -> StoredImage? {
        guard let feed = try row(of: feed) else { return nil }
        return try index.find(url.text, of: feed)
    }

    func data(
        of image: FeedImage, in feed: ResourceURL, before replaced: [ResourceURL.Key: StoredImage?]
    ) throws(FeedError) -> StoredImage? {
        guard let row = try FeedRow.find(feed, in: connection) else { return nil }
        return try index.find(image, of: row, before: replaced)
    }

    func insert(_ data: OfferedImage, of feed: ResourceURL, isImported: Bool) throws(FeedError) {
        guard let feed = try row(of: feed) else { return }
        try index.insert(data, of: feed, isImported: isImported)
        try FailureMemory(connection: connection).forget(data.url, of: feed)
        try move(data)
    }

    func setOwn(_ data: OwnImageData, of image: FeedImage, in feed: ResourceURL) throws(FeedError) {
        guard let feed = try row(of: feed) else { return }
        try OwnData(connection: connection, feed: feed).set(data, of: image)
        if case .obtained(let data) = data { try move(data) }
    }

    func isIntact(_ stored: StoredImage) throws(FeedError) -> Bool { try isIntact(stored.digest, size: stored.size) }

    func data(of digest: Digest) throws(FeedError) -> (size: Int64, type: ImageType)? {
        let all = if let allData { allData } else { try findAllData() }
        allData = all
        guard let data = all[digest], try isIntact(digest, size: data.size) else { return nil }
        return data
    }

    /// Reads all rows once, because the tables have no index of digests.
    private func findAllData() throws(FeedError) -> [Digest: (size: Int64, type: ImageType)] {
        let row = try connection.statement(
            """
            SELECT digest, size, media_type FROM data
            UNION ALL SELECT digest, size, media_type FROM own_data WHERE digest IS NOT NULL
            """)
        var found: [Digest: (size: Int64, type: ImageType)] = [:]
        try row.forEachRow { () throws(FeedError) in
            guard let digest = row.digest(0), let type = row.text(2).flatMap(ImageType.init(mediaType:)) else { return }
            found[digest] = (row.integer(1), type)
        }
        return found
    }

    /// Returns the row of a feed.
    ///
    /// Successive images belong to the same feed.
    private func row(of url: ResourceURL) throws(FeedError) -> Int64? {
        if let last, last.feed == url.key { return last.row }
        guard let row = try change.row(of: url) else { return nil }
        last = (url.key, row)
        return row
    }

    private func move(_ image: OfferedImage) throws(FeedError) {
        offered.append(image)
        if offered.count == FileMover.batchSize { try moveOffered() }
        if isIntact[image.digest] != nil { isIntact[image.digest] = true }
        allData?[image.digest] = (image.size, image.type)
    }

    private func isIntact(_ digest: Digest, size: Int64) throws(FeedError) -> Bool {
        if let known = isIntact[digest] { return known }
        // The image may be one whose file is still to be moved.
        try moveOffered()
        try mover.wait()
        let intact = try ImageFile.condition(of: digest, size: size, in: files).isIntact
        isIntact[digest] = intact
        return intact
    }

    private func moveOffered() throws(FeedError) {
        try mover.move(offered)
        offered.removeAll(keepingCapacity: true)
    }

    func makeDurable() throws(FeedError) {
        try moveOffered()
        try mover.makeDurable()
    }

    /// Deletes the new files after the transaction was rolled back.
    func rollBackFiles() { mover.rollBack() }
}

/// Moves the files of images to their final names on a thread of its own, while another thread writes their rows.
private final class FileMover: Sendable {
    /// The number of files that are worth waking the thread for.
    static let batchSize = 64

    private let incoming: Descriptor
    private let files: Descriptor
    private let queue = DispatchQueue(label: "feedsync.moving")
    private let failure = SharedFailure()
    private let placed: Mutex<PlacedFiles>

    init(from incoming: Descriptor, to files: Descriptor) {
        self.incoming = incoming
        self.files = files
        placed = Mutex(PlacedFiles(in: files))
    }

    /// Starts to move files.
    ///
    /// Throws the failure of an earlier file.
    func move(_ images: [OfferedImage]) throws(FeedError) {
        try failure.check()
        queue.async { [self] in
            failure.recording { () throws(FeedError) in
                for image in images { try attempt(.failed) { () throws(SystemError) in try move(image) } }
            }
        }
    }

    private func move(_ image: OfferedImage) throws(SystemError) {
        if let date = image.published {
            do { try incoming.setTime(date, of: image.digest.hex) } catch {
                // The file keeps its time where the file system refuses the date, or was moved before.
            }
        }
        do throws(SystemError) {
            try placed.withLock { placed throws(SystemError) in
                try placed.place(image.digest.hex, from: incoming, as: image.digest, size: image.size)
            }
        } catch {
            // The archive has the bytes once, and the file may have been moved already as the data of another URL.
            guard error.code == ENOENT, try ImageFile.isThere(image.digest, size: image.size, in: files) else {
                throw error
            }
        }
    }

    /// Waits until every file is moved.
    func wait() throws(FeedError) {
        queue.sync {}
        try failure.check()
    }

    /// Waits until every file is moved and its name is on disk.
    func makeDurable() throws(FeedError) {
        try wait()
        try placed.withLock { placed throws(FeedError) in try placed.makeDurable() }
    }

    /// Waits for the thread and deletes the files that are new.
    func rollBack() {
        queue.sync {}
        placed.withLock { $0.rollBack() }
    }
}
