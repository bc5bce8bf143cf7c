internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Exports and imports the contents of a cache directory. The work occupies the thread of the database.
struct DirectoryTransfer: CacheTransfer {
    let path: String
    let database: Database
    let directories: ImageDirectories
    /// The staging area, or nil if the cache is open for reading only.
    let staging: Staging?
    let wait: LockWait

    func read<Outcome: Sendable>(
        lockWait: Duration, _ work: @escaping @Sendable (any CacheSnapshot) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        // The lock comes before the rows, so that every file of a row stays.
        let wait = LockWait(limit: lockWait, sleeping: wait.sleeping)
        let lock = try await directories.lockImages(.shared, wait, cache: path)
        defer { withExtendedLifetime(lock) {} }
        return try await database.read { connection throws(FeedError) in
            try work(DirectorySnapshot(connection: connection, files: directories.files))
        }
    }

    func takeIn<Outcome: Sendable>(
        _ work: @escaping @Sendable (any CacheIntake) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        guard let staging, let files = directories.files else {
            throw .storage(.failed, "\(path): is open for reading alone")
        }
        return try await database.use { connection throws(FeedError) in
            let intake = DirectoryImport(connection: connection, files: files, staging: staging)
            defer { intake.discard() }
            return try work(intake)
        }
    }
}

/// The rows of one transaction and their files.
struct DirectorySnapshot: CacheSnapshot {
    let connection: SQLiteConnection
    let files: Descriptor?

    func feeds() throws(FeedError) -> [FeedSummary] { try SQLiteFeedStore.summaries(in: connection) }

    func forEachImage(
        of feed: ResourceURL, at positions: ClosedRange<Int64>,
        _ visit: (SnapshotImage) throws(FeedError) -> Void
    ) throws(FeedError) {
        // The credentials are read as NULL, because an export leaves them out.
        let index = ImageIndex(connection: connection)
        let circles = try VisibleCircles(Viewer(feed), in: connection)
        guard let id = circles.feed else { return }
        let row = try connection.statement(
            """
            SELECT position, item_id, url, NULL, description, location, title, link, published, alternatives, last_seen
            FROM items WHERE feed = ?1 AND position BETWEEN ?2 AND ?3 ORDER BY position
            """)
        try row.bind(1, id)
        try row.bind(2, positions.lowerBound)
        try row.bind(3, positions.upperBound)
        var reader = ItemReader(connection, of: feed)
        try row.forEachRow { () throws(FeedError) in
            let image = try reader.image(in: row)
            try visit(
                SnapshotImage(
                    position: row.integer(0), image: image, stored: try index.find(image, in: circles)))
        }
    }

    var bytes: any ImageBytes { DirectoryImages(files: files) }
}

private struct DirectoryImages: ImageBytes {
    /// The directory of image files, or nil if it is missing.
    let files: Descriptor?

    func read(
        _ digest: Digest, size: Int64, from offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FeedError) -> Bool {
        guard let files else { return false }
        return try ImageFile.read(digest, size: size, from: offset, into: buffer, in: files)
    }
}
