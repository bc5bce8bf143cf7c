internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The records of a cache about one output directory: the list of own files and a lock, in the cache's directory
/// `outputs`.
///
/// Their names are the SHA-256 of the output directory's real path. They lie in the cache because only its owner can
/// forge a list or hold a lock there.
struct OutputRecords {
    private static let name = "outputs"
    /// The errors of a directory that a run may only read.
    private static let readOnly: Set<Int32> = [EROFS, EACCES, EPERM]

    private let outputs: Descriptor
    private let path: String
    private let hash: String
    /// The lock; nil for a run that only reads, and on a read-only medium without a lock file.
    private let lock: Descriptor?
    private let isWritable: Bool

    /// Opens the records, and takes the lock unless `isReading`.
    ///
    /// Returns nil if the cache has no records and is read-only. Throws `EWOULDBLOCK` while another run holds the lock.
    init?(of path: String, hash: String, in cache: String, isReading: Bool) throws(SystemError) {
        self.path = path
        self.hash = hash
        let lockName = "\(hash).lock"
        if !isReading, let made = try Self.make(in: cache, lockName) {
            (outputs, lock, isWritable) = (made.outputs, made.lock, true)
        } else {
            guard access(cache, F_OK) == 0,
                let existing = try Descriptor.cacheDirectory(at: cache).existingDirectory(Self.name)
            else { return nil }
            let hasLock = isReading ? false : try existing.status(of: lockName) != nil
            outputs = existing
            lock = hasLock ? try existing.open(lockName, O_RDONLY | O_NONBLOCK) : nil
            isWritable = false
        }
        guard try lock?.lock() != false else {
            throw SystemError(EWOULDBLOCK, "another feedsync run writes there", path)
        }
    }

    /// Creates the directory and the lock file.
    ///
    /// Returns nil if the cache is read-only.
    private static func make(
        in cache: String, _ lockName: String
    ) throws(SystemError) -> (outputs: Descriptor, lock: Descriptor)? {
        do throws(SystemError) {
            let outputs = try openCache(cache).makeDirectory(name)
            return (outputs, try outputs.makeFile(lockName, mode: 0o600))
        } catch let error where readOnly.contains(error.code) {
            return nil
        }
    }

    /// Opens the cache's directory.
    ///
    /// A missing cache is created, because the next run needs the list to recognise its own files. The new cache gets
    /// the lock file by which other commands recognise a cache.
    private static func openCache(_ path: String) throws(SystemError) -> Descriptor {
        if access(path, F_OK) != 0 {
            let steps = FilePath.steps(to: path)
            for step in steps where access(step, F_OK) != 0 {
                let mode: mode_t = step == steps.last ? 0o700 : 0o777
                guard mkdir(step, mode) == 0 || errno == EEXIST else { throw SystemError("can't be created", step) }
            }
            _ = try Descriptor.cacheDirectory(at: path).makeFile("lock")
        }
        return try Descriptor.cacheDirectory(at: path)
    }

    private var listName: String { "\(hash).list" }

    func readList() throws(SystemError) -> OutputList {
        guard let status = try outputs.status(of: listName) else { return OutputList() }
        guard status.isFile else { throw SystemError(EINVAL, "is not a regular file", "\(outputs.path)/\(listName)") }
        return try OutputListReader.read(try outputs.open(listName, O_RDONLY | O_NONBLOCK))
    }

    /// Saves the list.
    ///
    /// Returns when it is on disk.
    func save(_ list: OutputList) throws(SystemError) {
        guard isWritable else { return }
        let next = "\(listName).new"
        unlinkat(outputs.number, next, 0)
        let file = try outputs.makeFile(next, mode: 0o600)
        try list.write(to: file, about: path)
        try file.synchroniseWherePossible()
        guard renameat(outputs.number, next, outputs.number, listName) == 0 else {
            throw SystemError("can't be created", "\(outputs.path)/\(listName)")
        }
        try outputs.synchroniseWherePossible()
    }
}
