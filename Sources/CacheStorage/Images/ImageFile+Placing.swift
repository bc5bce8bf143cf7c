internal import CLinux
internal import FeedCore
internal import Glibc
internal import SystemFiles

extension ImageFile {
    enum Placement {
        case new
        /// In place of one that was damaged.
        case replaced
        /// The bytes were there already, and whole; the staged file is deleted.
        case kept
    }

    /// Moves a staged file whose bytes are known, and on disk, to where they belong.
    @discardableResult
    static func place(
        _ staged: String, from incoming: Descriptor, as digest: Digest, size: Int64, in files: Descriptor
    ) throws(SystemError) -> Placement {
        let name = digest.hex
        do throws(SystemError) {
            try renameWithoutReplacing(incoming.number, staged, files, name)
            return .new
        } catch let error where error.code == EEXIST {
            if isTrustworthy(digest, size: size, in: files) {
                unlinkat(incoming.number, staged, 0)
                return .kept
            }
            if try files.status(of: name)?.isFolder == true { try files.removeAll(name) }
            guard renameat(incoming.number, staged, files.number, name) == 0 else {
                throw SystemError("can't be replaced", "\(files.path)/\(name)")
            }
            return .replaced
        }
    }

    private static func renameWithoutReplacing(
        _ incoming: Int32, _ staged: String, _ files: Descriptor, _ name: String
    ) throws(SystemError) {
        // Passed as they are, the names would be copied first.
        let renamed = staged.withCString { staged in
            name.withCString { feedsync_rename_without_replacing(incoming, staged, files.number, $0) }
        }
        if renamed == 0 { return }
        let failure = SystemError("can't be created", "\(files.path)/\(name)")
        // Not every file system knows the flag, nor every kernel the call. Whoever stores images has the cache's lock:
        // nobody else takes the place.
        guard failure.code == EINVAL || failure.code == ENOSYS else { throw failure }
        let place = "\(files.path)/\(name)"
        guard try files.status(of: name) == nil else { throw SystemError(EEXIST, "is there already", place) }
        guard renameat(incoming, staged, files.number, name) == 0 else { throw SystemError("can't be created", place) }
    }
}
