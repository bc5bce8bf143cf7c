internal import Glibc

extension Descriptor {
    /// Opens the directory of a cache, which must belong to the user or to root. It follows the symbolic links in the
    /// path, because the user gave that path.
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

    /// Throws if an entry of the directory belongs to another user. A missing entry is accepted.
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
    /// cache. In some containers and on some network file systems root may not change owners; there the file stays
    /// root's.
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
