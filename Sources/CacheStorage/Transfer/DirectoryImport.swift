internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

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

/// Stages the blobs of an import as files in `incoming`. Writes them one after another and makes many of them durable
/// at once.
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

    /// Waits until every staged blob is on disk. A failed fsync is final, because the kernel may have dropped the data.
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
