internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// Files in `incoming` that are written one after another, and go to disk many at once while the next are written.
final class IncomingFiles: BlobIntake {
    private struct State {
        /// Of the blob whose end has not come.
        var current: Descriptor?
        /// What is written, and not yet on disk.
        var files: [Descriptor] = []
        var bytes = 0
    }

    private static let mostBytes = 64 << 20

    private let staging: Staging
    private let state = Mutex(State())
    private let failure = SharedFailure()
    private let syncing = DispatchQueue(label: "feedsync.syncing")
    /// As many again are on their way to disk, and open.
    private let mostFiles = min(250, max(1, OpenFileLimit.forImages / 2))

    init(_ staging: Staging) { self.staging = staging }

    func add(
        _ bytes: UnsafeRawBufferPointer, to blob: Digest, from offset: Int64, isEnd: Bool
    ) throws(FeedError) {
        let file: Descriptor
        if offset == 0 {
            file = try attempt(.failed) { () throws(SystemError) in
                try staging.folder.open(blob.hex, O_WRONLY | O_CREAT | O_EXCL, mode: ImageFile.mode)
            }
        } else {
            guard let current = state.withLock({ $0.current }) else { throw .storage(.failed, "no blob was begun") }
            file = current
        }
        try attempt(.failed) { () throws(SystemError) in try file.write(bytes) }
        let isFull = state.withLock { state in
            state.current = isEnd ? nil : file
            if isEnd { state.files.append(file) }
            state.bytes += bytes.count
            return state.files.count >= mostFiles || state.bytes >= Self.mostBytes
        }
        if isFull { try makeDurable() }
    }

    /// Returns when all is on disk.
    func finish() throws(FeedError) {
        try makeDurable()
        wait()
        try failure.check()
    }

    func wait() { syncing.sync {} }

    /// A failed fsync is never tried again: the kernel may have dropped what it could not write.
    private func makeDurable() throws(FeedError) {
        // Not so far behind that more and more files are open.
        wait()
        try failure.check()
        let files = state.withLock { state in
            defer { state = State(current: state.current) }
            return state.files
        }
        syncing.async { [staging, failure] in
            Crew.shareWaiting(files.count, among: Staging.syncingThreads) { job in
                failure.remembering { () throws(FeedError) in
                    try attempt(.failed) { () throws(SystemError) in try staging.makeDurable(files[job]) }
                }
            }
        }
    }
}
