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
    private var circlesOfLastFeed: (feed: ResourceURL, circles: VisibleCircles)?
    private var leftOut: LeftOutImages

    init(connection: SQLiteConnection, files: Descriptor, incoming: Descriptor) {
        self.connection = connection
        self.files = files
        mover = FileMover(from: incoming, to: files)
        leftOut = LeftOutImages(connection: connection)
    }

    func saved(_ feed: ResourceURL) throws(FeedError) -> (at: Timestamp, keep: Keep?, keptCount: Int)? {
        try FeedRow.find(feed, in: connection).map { ($0.savedAt, $0.keep, $0.keptCount) }
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
        try known?.deleteCurrent()
        let id = if let known { known.feed } else { try change.newRow() }
        let row = try connection.statement(
            """
            INSERT INTO feeds (id, url, title, format, saved_at, language, named) VALUES (?5, ?1, ?2, ?3, ?4, ?6, 0)
            ON CONFLICT (url) DO UPDATE SET
                title = excluded.title, format = excluded.format, saved_at = excluded.saved_at,
                language = excluded.language,
                etag = NULL, last_modified = NULL, rules = NULL
            """)
        try row.bind(1, feed.url.text)
        try row.bind(2, feed.title)
        try row.bind(3, feed.format.rawValue)
        try row.bind(4, feed.savedAt.microseconds)
        try row.bind(5, id)
        try row.bind(6, feed.language)
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
        if let known = try index.find(image.url.text, in: circles),
            try isIntact(known.image.digest, size: known.image.size)
        {
            try index.recordArchived(known, as: image)
            return false
        }
        try insert(image, for: feed, id)
        offered.append(image)
        if offered.count == FileMover.batchSize { try moveOffered() }
        if isIntact[image.digest] != nil { isIntact[image.digest] = true }
        return true
    }

    private func insert(_ image: OfferedImage, for feed: ResourceURL, _ id: Int64) throws(FeedError) {
        try ImageIndex(connection: connection).insert(image, in: id, isArchived: true)
        try FailureMemory(connection: connection).forget(
            image.url, for: [Recipient(image: image.url, feed: feed, circle: .oneFeed)])
    }

    func hasData(_ image: FeedImage, of feed: ResourceURL) throws(FeedError) -> Bool {
        try ImageIndex(connection: connection).find(image, in: try circles(of: feed)) != nil
    }

    func expect(leftOut digests: Set<Digest>) { leftOut.digests = digests }

    func adopt(_ image: LeftOutImage, for feed: ResourceURL) throws(FeedError) -> Adoption {
        let circles = try circles(of: feed)
        guard let id = circles.feed else { return .missing }
        if try ImageIndex(connection: connection).find(image.url.text, in: circles) != nil { return .known }
        if let data = try leftOut.cachedData(of: image.digest, in: circles),
            try isIntact(image.digest, size: data.size)
        {
            try insert(image.found(size: data.size, type: data.type), for: feed, id)
            return .taken
        }
        try leftOut.remember(image, of: id)
        return .missing
    }

    func complete(
        with held: (Digest, ResourceURL) throws(FeedError) -> (size: Int64, type: ImageType)?,
        _ taken: (ResourceURL) -> Void
    ) throws(FeedError) {
        for feed in try leftOut.feeds() {
            for image in try leftOut.take(
                of: feed.id, where: { digest throws(FeedError) in try held(digest, feed.url) })
            {
                if try offer(image, for: feed.url) { taken(image.url) }
            }
        }
    }

    /// Returns the circles of a feed.
    ///
    /// Successive images usually belong to the same feed, whose circles are cached.
    private func circles(of feed: ResourceURL) throws(FeedError) -> VisibleCircles {
        if let known = circlesOfLastFeed, known.feed.key == feed.key { return known.circles }
        let circles = try VisibleCircles(Viewer(feed), in: connection)
        circlesOfLastFeed = (feed, circles)
        return circles
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
