package import Glibc
internal import Synchronization

/// An open file or folder, closed when nobody holds it any more.
package final class Descriptor: Sendable {
    package let number: Int32
    /// Above it, and its name in there; the whole path where there is no name.
    private let parent: String
    private let name: String?
    private let isLocked = Atomic(false)

    package init(owning number: Int32, path: String) {
        self.number = number
        (parent, name) = (path, nil)
    }

    package init(owning number: Int32, _ name: String, in folder: Descriptor) {
        self.number = number
        (parent, self.name) = (folder.path, name)
    }

    /// A folder by its path, in which links are followed: the way there is the user's own.
    package static func folder(at path: String) throws(SystemError) -> Descriptor {
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("can't be opened", path) }
        return Descriptor(owning: number, path: path)
    }

    /// For messages. That of a file is put together only for one: many are opened, and few are told of.
    package var path: String { name.map { "\(parent)/\($0)" } ?? parent }

    deinit {
        // Closing alone would leave the lock to a copy that a child process has until it runs its own program.
        if isLocked.load(ordering: .acquiring) { flock(number, LOCK_UN) }
        close(number)
    }

    package enum Lock { case shared, exclusive }

    /// Takes a flock, held until this is let go of. False if somebody else has one.
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

    /// Returns when all that was written to the file, or changed in the folder, is on disk.
    package func synchronise() throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError("can't be written to disk", path) }
    }

    /// Likewise for folders above all, with which not every file system can do that: there they are as safe as they can be.
    package func synchroniseWherePossible() throws(SystemError) {
        do throws(SystemError) { try synchronise() } catch {
            guard [EINVAL, EOPNOTSUPP].contains(error.code) else { throw error }
        }
    }
}

extension stat {
    package var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    package var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
    package var isOpenToOthers: Bool { st_mode & 0o077 != 0 }

    /// For one of another group, which gets no more than both this one's and all others have; nor do those.
    package var modeInAnotherGroup: mode_t {
        let shared = st_mode >> 3 & st_mode & 0o7
        return st_mode & 0o7700 | shared << 3 | shared
    }

    package func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
}
