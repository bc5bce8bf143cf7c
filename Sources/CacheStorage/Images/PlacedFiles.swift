internal import Dispatch
internal import FeedCore
internal import Glibc
internal import Synchronization
internal import SystemFiles

/// The files that were moved to their final names before their rows are saved.
struct PlacedFiles: Sendable {
    private let directory: Descriptor
    private var isAny = false
    /// The digests whose names were unused before.
    private var new: [Digest] = []

    init(in directory: Descriptor) { self.directory = directory }

    /// Moves a file. `staged` is its name in `incoming`.
    mutating func place(
        _ staged: String, from incoming: Descriptor, as digest: Digest, size: Int64
    ) throws(SystemError) {
        let placement = try ImageFile.place(staged, from: incoming, as: digest, size: size, in: directory)
        isAny = true
        if placement == .new { new.append(digest) }
    }

    /// Waits until the names of the files are on disk. This includes files that existed before or replaced a damaged
    /// one.
    func makeDurable() throws(FeedError) {
        if isAny { try attempt(.failed) { () throws(SystemError) in try directory.synchroniseWherePossible() } }
    }

    /// Deletes the new files, which have no rows. On a full disk this is the only way to free their space. If a file
    /// can't be deleted now, a later removal deletes it.
    func rollBack(except kept: Set<Digest> = []) {
        for digest in new where !kept.contains(digest) { unlinkat(directory.number, digest.hex, 0) }
    }
}

extension ImageFile {
    enum Placement {
        case new
        /// The file replaced a damaged one.
        case replaced
        /// An intact file with these bytes existed; the staged file was deleted.
        case kept
    }

    /// Moves a staged file, whose bytes are on disk, to its final name.
    @discardableResult
    static func place(
        _ staged: String, from incoming: Descriptor, as digest: Digest, size: Int64, in files: Descriptor
    ) throws(SystemError) -> Placement {
        let name = digest.hex
        do throws(SystemError) {
            try incoming.rename(staged, to: name, in: files)
            return .new
        } catch let error where error.code == EEXIST {
            if isTrustworthy(digest, size: size, in: files) {
                unlinkat(incoming.number, staged, 0)
                return .kept
            }
            if try files.status(of: name)?.isDirectory == true { try files.removeAll(name) }
            guard renameat(incoming.number, staged, files.number, name) == 0 else {
                throw SystemError("can't be replaced", "\(files.path)/\(name)")
            }
            return .replaced
        }
    }
}

/// Moves files from `incoming` to their final names on its own thread while their rows are written.
final class PlacingThread: Sendable {
    private let incoming: Descriptor
    private let files: Descriptor
    private let queue = DispatchQueue(label: "feedsync.placing")
    private let failure = SharedFailure()
    private let placed: Mutex<PlacedFiles>

    init(from incoming: Descriptor, to files: Descriptor) {
        self.incoming = incoming
        self.files = files
        placed = Mutex(PlacedFiles(in: files))
    }

    /// Starts to move files. Throws the failure of an earlier file.
    func place(_ images: [OfferedImage]) throws(FeedError) {
        try failure.check()
        queue.async { [self] in
            failure.recording { () throws(FeedError) in
                for image in images {
                    try attempt(.failed) { () throws(SystemError) in try place(image) }
                }
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

    private func place(_ image: OfferedImage) throws(SystemError) {
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
}
