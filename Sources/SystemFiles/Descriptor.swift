package import Glibc
internal import Synchronization

/// An open file or directory, closed when its last owner goes.
package final class Descriptor: Sendable {
    package let number: Int32
    /// The path of the directory above, if there is a name, else the whole path.
    private let parent: String
    private let name: String?
    /// The rule of the cache that this file or directory is in; nil outside of a cache.
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

    /// Opens a directory by its path. Links in it are followed, as the path is the user's own.
    package static func directory(at path: String) throws(SystemError) -> Descriptor {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("can't be opened", path) }
        return Descriptor(owning: number, path: path)
    }

    /// The same directory under the rule of a cache.
    func owned(_ ownership: CacheOwnership) throws(SystemError) -> Descriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemError("can't be opened", path) }
        return Descriptor(owning: copy, path: path, ownership: ownership)
    }

    /// For messages. It is put together only when one needs it, as many files are opened and few are told of.
    package var path: String { name.map { "\(parent)/\($0)" } ?? parent }

    deinit {
        // A child process has a copy until it runs its own program, and closing alone would leave the lock to that.
        if isLocked.load(ordering: .acquiring) { flock(number, LOCK_UN) }
        close(number)
    }

    package enum Lock { case shared, exclusive }

    /// Takes a flock, and keeps it as long as this lives. False if somebody else has one.
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

    /// Returns when everything written to the file, or changed in the directory, is on disk.
    package func synchronise() throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError("can't be written to disk", path) }
    }

    /// The same, but silent where the file system can't do it, as some can't for directories.
    package func synchroniseWherePossible() throws(SystemError) {
        do throws(SystemError) { try synchronise() } catch {
            guard [EINVAL, EOPNOTSUPP].contains(error.code) else { throw error }
        }
    }
}
