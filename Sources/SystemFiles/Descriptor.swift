package import Glibc
internal import Synchronization

/// An open file or directory, which is closed with the last reference to it.
package final class Descriptor: Sendable {
    package let number: Int32
    /// The path of the parent directory, or the whole path if `name` is nil.
    private let parent: String
    private let name: String?
    /// The rule of the cache that contains the file; nil outside a cache.
    package let ownership: CacheOwnership?
    private let isLocked = Atomic(false)

    package init(owning number: Int32, path: String, ownership: CacheOwnership? = nil) {
        self.number = number
        self.ownership = ownership
        (parent, name) = (path, nil)
    }

    package init(owning number: Int32, _ name: String, in directory: Descriptor) {
        self.number = number
        ownership = directory.ownership
        (parent, self.name) = (directory.path, name)
    }

    /// Opens a directory by its path.
    ///
    /// It follows the symbolic links in the path, because the user gave that path.
    package static func directory(at path: String) throws(SystemError) -> Descriptor {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("can't be opened", path) }
        return Descriptor(owning: number, path: path)
    }

    /// Returns a second descriptor of the same directory that applies the rule of a cache.
    func owned(_ ownership: CacheOwnership) throws(SystemError) -> Descriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemError("can't be opened", path) }
        return Descriptor(owning: copy, path: path, ownership: ownership)
    }

    /// The path for messages.
    ///
    /// It is assembled on demand, because most files are opened and closed without any message.
    package var path: String { name.map { "\(parent)/\($0)" } ?? parent }

    deinit {
        // A child process holds a copy of the descriptor until it runs its own program. The explicit unlock releases the
        // lock although that copy is still open.
        if isLocked.load(ordering: .acquiring) { flock(number, LOCK_UN) }
        close(number)
    }

    package enum Lock { case shared, exclusive }

    /// Takes a flock and holds it until the descriptor is closed.
    ///
    /// Returns false if another process holds the lock.
    package func lock(_ kind: Lock = .exclusive) throws(SystemError) -> Bool {
        while flock(number, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw SystemError("can't be locked", path) }
        }
        isLocked.store(true, ordering: .releasing)
        return true
    }

    package func status() throws(SystemError) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemError("can't be examined", path) }
        return status
    }

    /// Waits until every byte written to the file, or every change of the directory, is on disk.
    package func synchronise() throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError("can't be written to disk", path) }
    }

    /// Does the same as `synchronise` and accepts a file system that lacks fsync, as some do for directories.
    package func synchroniseWherePossible() throws(SystemError) {
        do throws(SystemError) { try synchronise() } catch {
            guard [EINVAL, EOPNOTSUPP].contains(error.code) else { throw error }
        }
    }

    // MARK: Bytes

    /// Reads `count` bytes, or fewer at the end of the file.
    package func read(_ count: Int, at offset: Int = 0) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Fills the buffer and returns the number of bytes read, which is smaller than the buffer only at the end of the
    /// file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = pread(number, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, offset + filled)
            if count == 0 { break }
            if count > 0 {
                filled += count
            } else if errno != EINTR {
                throw SystemError("can't be read", path)
            }
        }
        return filled
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(number, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw SystemError("can't be written", path)
            }
        }
    }
}

/// The rule for the owner of a cache's directory and of the files in it.
///
/// A descriptor in a cache carries the rule of its directory, so that every file is checked when it is opened.
package enum CacheOwnership: Sendable {
    /// Each file must belong to this user, which runs the program.
    case required(uid_t)
    /// The program runs as root, which may use any cache. Root gives the files that it creates to this user and group.
    case given(uid_t, gid_t)

    /// The file whose owner also receives the files that root creates.
    package static let database = "feedsync.sqlite"
}

extension Descriptor {
    /// Opens the directory of a cache, which must belong to the user or to root.
    ///
    /// It follows the symbolic links in the path, because the user gave that path.
    package static func cacheDirectory(at path: String) throws(SystemError) -> Descriptor {
        let user = geteuid()
        func requireOwn(_ status: stat) throws(SystemError) {
            guard [user, 0].contains(status.st_uid) || user == 0 else { throw .foreign(status.st_uid, path) }
        }
        var found = stat()
        // The owner is checked before the directory is opened, because another user's directory often refuses access.
        if stat(path, &found) == 0 { try requireOwn(found) }
        let directory = try directory(at: path)
        let status = try directory.status()
        try requireOwn(status)
        guard user == 0 else { return try directory.owned(.required(user)) }
        let owner = try directory.status(of: CacheOwnership.database) ?? status
        return try directory.owned(.given(owner.st_uid, owner.st_gid))
    }

    /// Throws if an entry of the directory belongs to another user.
    ///
    /// A missing entry is accepted.
    package func requireOwn(_ name: String) throws(SystemError) {
        guard case .required(let user) = ownership, let status = try status(of: name), status.st_uid != user else {
            return
        }
        throw .foreign(status.st_uid, "\(path)/\(name)")
    }

    /// Throws if a file or directory in a cache belongs to another user, or if it is of the wrong type.
    func requireUsable(isDirectory: Bool) throws(SystemError) {
        guard let ownership else { return }
        let status = try status()
        if case .required(let user) = ownership, status.st_uid != user { throw .foreign(status.st_uid, path) }
        guard isDirectory || status.isFile else { throw SystemError(ENXIO, "is not a regular file", path) }
    }

    /// Gives a file that root created in a cache to the owner of the cache, which could otherwise no longer use the
    /// cache.
    ///
    /// In some containers and on some network file systems root may not change owners; there the file stays root's.
    package func giveOwner(to made: Descriptor) throws(SystemError) {
        guard case .given(let user, let group) = ownership, user != 0 else { return }
        guard fchown(made.number, user, group) != 0 else { return }
        guard [EPERM, EINVAL, EOPNOTSUPP, ENOSYS].contains(errno) else {
            throw SystemError("can't be given to the owner of its cache", made.path)
        }
    }
}

extension SystemError {
    fileprivate static func foreign(_ owner: uid_t, _ path: String) -> SystemError {
        SystemError(
            EPERM, "belongs to another user (\(owner)); a cache and its files must belong to the user of feedsync",
            path,
            isForeign: true)
    }
}
