package import Glibc

/// The rule for who owns the directory of a cache and the files in it.
///
/// A descriptor in a cache carries the rule of its directory, so that every file is checked when it is opened.
package enum CacheOwnership: Sendable {
    /// Each file must belong to this user, who runs the program.
    case required(uid_t)
    /// The program runs as root, who may use any cache, and what it makes belongs to this user and group.
    case given(uid_t, gid_t)

    /// The file whose owner is also the owner of what root makes.
    package static let database = "feedsync.sqlite"
}

extension Descriptor {
    /// Opens the directory of a cache, which must belong to the user or to root. Links on the way are followed, because
    /// the path is the user's own.
    package static func cacheDirectory(at path: String) throws(SystemError) -> Descriptor {
        let user = geteuid()
        func requireOwn(_ status: stat) throws(SystemError) {
            guard [user, 0].contains(status.st_uid) || user == 0 else { throw .foreign(status.st_uid, path) }
        }
        var found = stat()
        // The directory of another user is often closed to this one.
        if stat(path, &found) == 0 { try requireOwn(found) }
        let directory = try directory(at: path)
        let status = try directory.status()
        try requireOwn(status)
        guard user == 0 else { return try directory.owned(.required(user)) }
        let owner = try directory.status(of: CacheOwnership.database) ?? status
        return try directory.owned(.given(owner.st_uid, owner.st_gid))
    }

    /// Refuses an entry of the directory that belongs to another user. Nothing may be there.
    package func requireOwn(_ name: String) throws(SystemError) {
        guard case .required(let user) = ownership, let status = try status(of: name), status.st_uid != user else {
            return
        }
        throw .foreign(status.st_uid, "\(path)/\(name)")
    }

    /// Refuses what was opened in a cache if it belongs to another user, or is neither a directory, where one is wanted,
    /// nor a regular file.
    func requireUsable(isDirectory: Bool) throws(SystemError) {
        guard let ownership else { return }
        let status = try status()
        if case .required(let user) = ownership, status.st_uid != user { throw .foreign(status.st_uid, path) }
        guard isDirectory || status.isFile else { throw SystemError(ENXIO, "is not a regular file", path) }
    }

    /// Gives a file that root made in a cache to the owner of that cache, who could not go on with it otherwise. Where
    /// root may not give it away, as in some containers and on some network file systems, it stays root's.
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
