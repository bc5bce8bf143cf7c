internal import FeedCore
internal import Glibc
internal import Hashing
internal import Synchronization
internal import SystemFiles

/// An image that is being received.
///
/// It is hashed as it arrives. Small images are buffered in memory; larger ones are written to a file in `incoming`.
final class StagedFile: StagedImage {
    /// The digest and the size of an image whose bytes are complete and on disk.
    struct Fingerprint {
        let digest: Digest
        let size: Int64
    }

    private static let maximumBuffered = 128 << 10

    let staging: Staging
    private let state = Mutex(State())

    private struct State {
        /// The bytes before they are in a file.
        var buffered: [UInt8] = []
        /// The name of the file in `incoming`.
        var name: String?
        /// The open file until it is on disk.
        var file: Descriptor?
        /// The hash of the bytes so far, or nil before the first byte.
        var hash: SHA256?
        var digest: Digest?
        var size: Int64 = 0
        /// The first failure.
        ///
        /// Every later call throws it.
        var failure: FeedError?
        var fingerprint: Fingerprint?
    }

    init(_ staging: Staging) { self.staging = staging }

    deinit { state.withLock { drop(&$0) } }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        try changing { state throws(FeedError) in
            let hash: SHA256
            if let begun = state.hash { hash = begun } else { hash = try SHA256() }
            state.hash = hash
            try hash.update(chunk)
            state.size += Int64(chunk.count)
            if state.file == nil, state.buffered.count + chunk.count <= Self.maximumBuffered {
                if state.buffered.isEmpty { state.buffered = chunk } else { state.buffered += chunk }
            } else {
                try write(chunk, &state)
            }
        }
    }

    func discard() {
        state.withLock { state in
            drop(&state)
            state.failure = .storage(.failed, "the image was thrown away before")
        }
    }

    /// Ends the image: computes its digest and writes the buffered bytes.
    ///
    /// A failure is recorded, and `fingerprint` throws it.
    func complete() {
        recording { state throws(FeedError) in
            guard state.digest == nil, let hash = state.hash else { return }
            state.digest = try hash.finish()
            state.hash = nil
            if state.file == nil { try write([], &state) }
        }
    }

    /// Waits until the bytes of a complete image are on disk, in a file with this date.
    ///
    /// A failure is recorded, and `fingerprint` throws it.
    func makeDurable(dated date: Timestamp?) {
        recording { state throws(FeedError) in
            if state.fingerprint != nil { return }
            guard let digest = state.digest, let file = state.file, state.size > 0 else {
                throw .storage(.failed, "the image has no bytes")
            }
            do throws(SystemError) { try staging.makeDurable(file, dated: date) } catch { throw staging.failure(error) }
            state.file = nil
            state.fingerprint = Fingerprint(digest: digest, size: state.size)
        }
    }

    /// Returns the digest and the size of the durable image.
    ///
    /// Throws the failure of this image.
    func fingerprint() throws(FeedError) -> Fingerprint {
        try changing { state throws(FeedError) in
            guard let fingerprint = state.fingerprint else { throw .storage(.failed, "the image is not on disk") }
            return fingerprint
        }
    }

    /// Calls `move` with the name of the file.
    ///
    /// If it succeeds, the file belongs to the caller.
    func place(_ move: (String) throws(SystemError) -> Void) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            guard let name = state.name else { return }
            try move(name)
            state.name = nil
        }
    }

    /// Returns whether the file still exists in `incoming`.
    func isThere() throws(SystemError) -> Bool {
        try state.withLock { state throws(SystemError) in
            guard let name = state.name else { return false }
            return try staging.directory.status(of: name) != nil
        }
    }

    /// Writes the buffered bytes, then the chunk.
    private func write(_ chunk: [UInt8], _ state: inout State) throws(FeedError) {
        do throws(SystemError) {
            let file: Descriptor
            if let begun = state.file {
                file = begun
            } else {
                (state.name, file) = try staging.makeFile()
                state.file = file
                try file.write(state.buffered)
                state.buffered = []
            }
            try file.write(chunk)
        } catch {
            throw staging.writeFailure(error)
        }
    }

    private func drop(_ state: inout State) {
        if let name = state.name { unlinkat(staging.directory.number, name, 0) }
        (state.buffered, state.name, state.file) = ([], nil, nil)
    }

    private func recording(_ work: (inout State) throws(FeedError) -> Void) {
        do { try changing(work) } catch {
            // The state records the failure.
        }
    }

    private func changing<Outcome: Sendable>(
        _ work: (inout State) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try state.withLock { state throws(FeedError) in
            if let failure = state.failure { throw failure }
            do throws(FeedError) {
                return try work(&state)
            } catch {
                state.failure = error
                throw error
            }
        }
    }
}

/// The directory `incoming`, which holds images while they are received.
final class Staging: Sendable {
    /// The number of threads that call fsync.
    ///
    /// In parallel, the files share the waits for the disk.
    static let syncingThreads = 12

    let directory: Descriptor
    /// The function that waits until a file is on disk.
    private let synchronise: @Sendable (Descriptor) throws(SystemError) -> Void
    private let names = Atomic<UInt64>(0)
    private let exhausted = Mutex<FeedError?>(nil)

    init(
        _ directory: Descriptor,
        synchronise: @escaping @Sendable (Descriptor) throws(SystemError) -> Void = { file throws(SystemError) in
            try file.synchronise()
        }
    ) {
        self.directory = directory
        self.synchronise = synchronise
    }

    /// Creates an empty file with an unused name.
    ///
    /// Names that a killed run left are skipped.
    func makeFile() throws(SystemError) -> (name: String, Descriptor) {
        while true {
            let name = String(names.wrappingAdd(1, ordering: .relaxed).oldValue)
            do {
                return (name, try directory.open(name, O_RDWR | O_CREAT | O_EXCL, mode: ImageFile.mode))
            } catch let error where error.code == EEXIST {
                continue
            }
        }
    }

    /// Waits until a file is on disk with its final mode, owner and date.
    func makeDurable(_ file: Descriptor, dated date: Timestamp? = nil) throws(SystemError) {
        try directory.giveOwner(to: file)
        // The umask may have removed bits of the mode.
        if try file.status().st_mode & 0o777 != ImageFile.mode, fchmod(file.number, ImageFile.mode) != 0 {
            throw SystemError("can't be made readable", file.path)
        }
        if let date {
            do { try file.setTime(date) } catch {
                // The file keeps its time where the file system refuses the date.
            }
        }
        try synchronise(file)
    }

    /// Converts a failed fsync.
    ///
    /// A full disk is a failure of the store, although one image meets it.
    func failure(_ error: SystemError) -> FeedError {
        if error.isFullDisk { storeFailure(error) } else { error.feedError(.failed) }
    }

    /// Converts a failed write.
    ///
    /// It is a failure of the store, because the next image would meet it, too. The exceptions are the limits for the
    /// size of a file and for the number of open files.
    func writeFailure(_ error: SystemError) -> FeedError {
        [EFBIG, EMFILE, ENFILE].contains(error.code) ? error.feedError(.limited) : storeFailure(error)
    }

    private func storeFailure(_ error: SystemError) -> FeedError {
        let failure = error.feedError(.failed)
        exhausted.withLock { $0 = failure }
        return failure
    }

    /// The failure that ends the storing of images.
    var exhaustion: FeedError? { exhausted.withLock { $0 } }
}
