internal import CLinux
package import Glibc

extension Descriptor {
    /// Makes a new file in this directory, in place of one of that name.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o666) throws(SystemError) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var made = openat(number, name, flags, mode)
        // The old file is not written to, because it can have other names elsewhere.
        if made < 0, errno == EEXIST, unlinkat(number, name, 0) == 0 { made = openat(number, name, flags, mode) }
        guard made >= 0 else { throw SystemError("can't be created", "\(path)/\(name)") }
        let file = Descriptor(owning: made, name, in: self)
        try giveOwner(to: file)
        try file.write(bytes)
        return file
    }

    /// Moves a file of this directory to one where nothing of that name is; throws `EEXIST` where something is.
    package func rename(_ name: String, to other: String, in directory: Descriptor) throws(SystemError) {
        // Passed as they are, the names would be copied first.
        let renamed = name.withCString { name in
            other.withCString { feedsync_rename_without_replacing(number, name, directory.number, $0) }
        }
        if renamed == 0 { return }
        let place = "\(directory.path)/\(other)"
        let failure = SystemError("can't be created", place)
        // Not every file system knows the flag, nor every kernel the call. Whoever calls this has a lock, and nobody else
        // who keeps to it takes the place.
        guard failure.code == EINVAL || failure.code == ENOSYS else { throw failure }
        guard try directory.status(of: other) == nil else { throw SystemError(EEXIST, "is there already", place) }
        guard renameat(number, name, directory.number, other) == 0 else { throw SystemError("can't be created", place) }
    }
}
