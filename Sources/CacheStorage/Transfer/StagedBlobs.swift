internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Blobs of an import as files in `incoming`, written one after another and made durable many at once.
final class StagedBlobs: BlobIntake {
    private struct State {
        /// The file of the blob whose end has not come.
        var current: Descriptor?
        /// Files that are written, and not yet on disk.
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

    /// Returns when all that was brought in is on disk. A failed fsync is never tried again: the kernel may have dropped
    /// what it could not write.
    func makeDurable() throws(FeedError) {
        let files = state.withLock { state in
            defer { state = State(current: state.current) }
            return state.files
        }
        let failure = SharedFailure()
        WorkerThreads.shareWaiting(files.count, among: Staging.syncingThreads) { [staging] job in
            failure.remembering { () throws(FeedError) in
                try attempt(.failed) { () throws(SystemError) in try staging.makeDurable(files[job]) }
            }
        }
        try failure.check()
    }
}
