internal import CLinux
internal import Glibc

extension Descriptor {
    /// Moves a file of this folder to one where nothing of that name is; throws `EEXIST` where something is.
    package func rename(_ name: String, to other: String, in folder: Descriptor) throws(SystemError) {
        // Passed as they are, the names would be copied first.
        let renamed = name.withCString { name in
            other.withCString { feedsync_rename_without_replacing(number, name, folder.number, $0) }
        }
        if renamed == 0 { return }
        let place = "\(folder.path)/\(other)"
        let failure = SystemError("can't be created", place)
        // Not every file system knows the flag, nor every kernel the call. Whoever calls this has a lock, and nobody else
        // who keeps to it takes the place.
        guard failure.code == EINVAL || failure.code == ENOSYS else { throw failure }
        guard try folder.status(of: other) == nil else { throw SystemError(EEXIST, "is there already", place) }
        guard renameat(number, name, folder.number, other) == 0 else { throw SystemError("can't be created", place) }
    }
}
