internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Exports and imports the contents of a cache directory.
///
/// The work occupies the thread of the database.
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

    func feeds() throws(FeedError) -> [FeedHead] {
        let row = try connection.statement("SELECT home, named, settings, gaps, id FROM feeds WHERE url = ?1")
        var heads = try SQLiteFeedStore.heads(in: connection)
        for index in heads.indices {
            try row.bind(1, heads[index].url.text)
            try row.forEachRow { () throws(FeedError) in
                heads[index].home = row.text(0)
                heads[index].naming = FeedNaming(stored: row.integer(1))
                heads[index].settings = row.text(2)
                heads[index].gaps = row.text(3)
                let walks = WalkRows(connection: connection, feed: row.integer(4))
                heads[index].nextPage = try walks.all().first?.page.url
            }
        }
        return heads
    }

    func removed(from feed: ResourceURL) throws(FeedError) -> RemovedImages {
        try RemovedRows(connection: connection).removed(from: feed)
    }

    func forEachImage(
        of feed: ResourceURL, at positions: ClosedRange<Int64>,
        _ visit: (SnapshotImage) throws(FeedError) -> Void
    ) throws(FeedError) {
        let index = ImageIndex(connection: connection)
        guard let feedRow = try FeedRow.find(feed, in: connection) else { return }
        let row = try connection.prepare(
            "SELECT \(ItemReader.columns) FROM items WHERE feed = ?1 AND position BETWEEN ?2 AND ?3 ORDER BY position")
        try row.bind(1, feedRow.id)
        try row.bind(2, positions.lowerBound)
        try row.bind(3, positions.upperBound)
        // An export leaves the credentials out.
        var reader = ItemReader(connection, of: feed, readingCredentials: false)
        try row.forEachRow { () throws(FeedError) in
            let image = try reader.image(in: row)
            var stored = try index.find(image, of: feedRow)
            // The data is that of an earlier image.
            if stored?.standing == .awaited { stored = nil }
            try visit(SnapshotImage(position: row.integer(0), image: image, stored: stored))
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

/// Imports an archive: stages its blobs as files in `incoming`, named by their digests, and then merges them in one
/// transaction.
final class DirectoryImport: CacheIntake {
    private let connection: SQLiteConnection
    private let files: Descriptor
    private let staging: Staging
    private let staged: StagedBlobs

    init(connection: SQLiteConnection, files: Descriptor, staging: Staging) {
        self.connection = connection
        self.files = files
        self.staging = staging
        staged = StagedBlobs(staging)
    }

    var blobs: any BlobIntake { staged }

    /// Deletes the staged blobs after the merge.
    func discard() {
        do {
            try staging.directory.removeContents()
        } catch {
            // The next run that writes to the cache empties the directory.
        }
    }

    func bytes(of digest: Digest) throws(FeedError) -> [UInt8] {
        try attempt(.failed) { () throws(SystemError) in
            let file = try staging.directory.open(digest.hex, O_RDONLY)
            return try file.read(Int(file.status().st_size))
        }
    }

    func merge<Outcome: Sendable>(
        _ work: (any CacheMerge) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try staged.makeDurable()
        let merge = DirectoryMerge(connection: connection, files: files, incoming: staging.directory)
        return try connection.writing(
            { () throws(FeedError) in
                let outcome = try work(merge)
                try merge.makeDurable()
                return outcome
            }, undoing: { merge.rollBackFiles() })
    }
}

/// Stages the blobs of an import as files in `incoming`.
///
/// Writes them one after another and makes many of them durable at once.
final class StagedBlobs: BlobIntake {
    private struct State {
        /// The file of the blob that is being received.
        var current: Descriptor?
        /// The files that are written but may be absent from the disk.
        var files: [Descriptor] = []
        var bytes = 0
    }

    private static let mostBytes = 64 << 20

    private let staging: Staging
    private let state = Mutex(State())
    private let mostFiles = min(250, OpenFileLimit.forImages)

    init(_ staging: Staging) { self.staging = staging }

    func add(
        _ bytes: UnsafeRawBufferPointer, to blob: Digest, from offset: Int64, isEnd: Bool
    ) throws(FeedError) {
        let begun = offset == 0 ? nil : state.withLock { $0.current }
        let file = try attempt(.failed) { () throws(SystemError) in
            let file: Descriptor
            if let begun {
                file = begun
            } else {
                file = try staging.directory.open(blob.hex, O_WRONLY | O_CREAT | O_EXCL, mode: ImageFile.mode)
            }
            try file.write(bytes)
            return file
        }
        let isFull = state.withLock { state in
            state.current = isEnd ? nil : file
            if isEnd { state.files.append(file) }
            state.bytes += bytes.count
            return state.files.count >= mostFiles || state.bytes >= Self.mostBytes
        }
        if isFull { try makeDurable() }
    }

    /// Waits until every staged blob is on disk.
    ///
    /// A failed fsync is final, because the kernel may have dropped the data.
    func makeDurable() throws(FeedError) {
        let files = state.withLock { state in
            defer { state = State(current: state.current) }
            return state.files
        }
        let failure = SharedFailure()
        WorkerThreads.shareWaiting(files.count, among: Staging.syncingThreads) { [staging] job in
            failure.recording { () throws(FeedError) in
                try attempt(.failed) { () throws(SystemError) in try staging.makeDurable(files[job]) }
            }
        }
        try failure.check()
    }
}
