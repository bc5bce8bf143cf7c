internal import FeedCore
internal import Glibc
internal import Synchronization

/// Blobs as files in `incoming`, named by their digest.
final class DirectoryIntake: CacheIntake {
    private struct Batch {
        var files: [Descriptor] = []
        var bytes: Int64 = 0

        var isFull: Bool { files.count >= 250 || bytes >= 64 << 20 }
    }

    private static let chunkSize = 128 * 1024

    private let connection: SQLiteConnection
    private let files: Descriptor
    private let staging: Staging
    private var current: (file: Descriptor, bytes: Int64)?
    /// Images that are written, and not yet on disk.
    private var batch = Batch()

    init(connection: SQLiteConnection, files: Descriptor, staging: Staging) {
        self.connection = connection
        self.files = files
        self.staging = staging
    }

    /// To be called when nothing more is to be merged.
    func discard() {
        do {
            try staging.folder.removeContents()
        } catch {
            // The next run that writes to the cache empties it.
        }
    }

    func begin(_ digest: Digest) throws(FeedError) {
        let file = try attempt(.failed) { () throws(SystemError) in
            try staging.folder.open(digest.hex, O_RDWR | O_CREAT | O_EXCL)
        }
        current = (file, 0)
    }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        guard let file = current?.file else { throw .storage(.failed, "no blob was begun") }
        try attempt(.failed) { () throws(SystemError) in try file.write(chunk) }
        current?.bytes += Int64(chunk.count)
    }

    func end(isImage: Bool) throws(FeedError) {
        guard let (file, bytes) = current else { throw .storage(.failed, "no blob was begun") }
        current = nil
        guard isImage else { return }
        batch.files.append(file)
        batch.bytes += bytes
        if batch.isFull { try makeDurable() }
    }

    func forEachChunk(of digest: Digest, _ visit: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) {
        let file = try attempt(.failed) { () throws(SystemError) in try staging.folder.open(digest.hex, O_RDONLY) }
        var offset = 0
        while true {
            let chunk = try attempt(.failed) { () throws(SystemError) in try file.read(Self.chunkSize, at: offset) }
            if chunk.isEmpty { return }
            try visit(chunk)
            offset += chunk.count
        }
    }

    /// A failed fsync is never tried again: the kernel may have dropped what it could not write.
    private func makeDurable() throws(FeedError) {
        let files = batch.files
        let failure = FirstFailure()
        Crew.share(files.count, among: Staging.syncingThreads) { [staging] job in
            do throws(SystemError) { try staging.makeDurable(files[job]) } catch { failure.add(error) }
        }
        batch = Batch()
        if let failure = failure.first { throw failure.feedError(.failed) }
    }

    func merge<Outcome: Sendable>(
        _ work: (any CacheMerge) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try makeDurable()
        let merge = DirectoryMerge(connection: connection, files: files, incoming: staging.folder)
        do throws(FeedError) {
            return try connection.writing { () throws(FeedError) in
                let outcome = try work(merge)
                try merge.makeDurable()
                return outcome
            }
        } catch {
            merge.takeBackFiles()
            throw error
        }
    }
}

/// Of what several threads run into.
private final class FirstFailure: Sendable {
    private let failure = Mutex<SystemError?>(nil)

    func add(_ error: SystemError) { failure.withLock { $0 = $0 ?? error } }

    var first: SystemError? { failure.withLock { $0 } }
}
