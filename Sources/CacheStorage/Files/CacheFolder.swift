internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The folder of a cache, in which credentials may lie: nobody but its owner gets in.
enum CacheFolder {
    static let database = CacheOwnership.database
    /// The file that whoever changes the cache holds locked.
    static let lock = "lock"
    static let images = "images"
    /// What lies here is in flight, and gone at the start of a run.
    static let incoming = "incoming"
    /// Galleries keep small pictures here, each under its image's digest and an ending.
    static let thumbnails = "thumbnails"
    /// Galleries and trees keep the lists of their files here.
    static let outputs = "outputs"

    /// What the directory of a cache can hold. SQLite keeps further files beside its database.
    private static let entries =
        [images, incoming, thumbnails, lock, "outputs", "damaged", database]
        + DatabaseFile.companions.map { database + $0 }

    /// Opens the directory of a cache, and refuses it if it, or an entry of it, belongs to another user.
    static func open(_ path: String) throws(SystemError) -> Descriptor {
        let folder = try Descriptor.cacheDirectory(at: path)
        for entry in entries { try folder.requireOwn(entry) }
        return folder
    }

    static func create(_ path: String) throws(SystemError) -> Descriptor {
        let steps = FilePath.steps(to: path)
        for step in steps.dropLast() { try make(step, mode: 0o777) }
        if let last = steps.last { try make(last, mode: 0o700) }
        let folder = try open(path)
        try leaveIncomingAlone(in: folder)
        try keepOthersOut(of: folder)
        return folder
    }

    /// Each run empties `incoming`, a name that others use too (`--cache /srv/ftp`): where no run has ever left its lock,
    /// nor a database, what lies there isn't ours. In this order, as a first run beside this one makes its lock before it
    /// stages anything.
    private static func leaveIncomingAlone(in folder: Descriptor) throws(SystemError) {
        guard let found = try folder.existingFolder(incoming), try !found.isEmpty(),
            try folder.status(of: lock) == nil, try folder.status(of: database) == nil
        else { return }
        throw SystemError(
            ENOTEMPTY, "holds files, and \(folder.path) is no cache; give an empty or a new folder", found.path)
    }

    /// Whether it holds things, but not the lock, which a run makes before all else, nor a database, which alone may have
    /// been copied. In this order, as a first run beside this one makes its lock before other things.
    static func isOthers(_ folder: Descriptor) throws(SystemError) -> Bool {
        var found = false
        try folder.forEachName { name throws(SystemError) in
            // A file system has it at its root.
            if String(cString: name) != "lost+found" { found = true }
        }
        guard found, try folder.status(of: lock) == nil else { return false }
        return try folder.status(of: database) == nil
    }

    /// One that was there before, made by hand or by a service manager, may be open to all. If it is somebody else's, or
    /// holds other things too, it isn't ours to close (`--cache /srv`): then the database alone is kept from others.
    private static func keepOthersOut(of folder: Descriptor) throws(SystemError) {
        let status = try folder.status()
        guard status.isOpenToOthers, status.st_uid == geteuid(), try !holdsOthersThings(folder) else { return }
        // In a directory of root's, the owner of the files would be shut out too.
        if case .given(let owner, _) = folder.ownership, owner != status.st_uid { return }
        guard fchmod(folder.number, 0o700) == 0 else { throw SystemError("can't be made private", folder.path) }
    }

    private static func holdsOthersThings(_ folder: Descriptor) throws(SystemError) -> Bool {
        var found = false
        try folder.forEachName { name throws(SystemError) in
            let name = String(cString: name)
            // A file system has lost+found at its root.
            let isOurs = [images, incoming, thumbnails, outputs, lock, "lost+found"].contains(name)
            if !isOurs && !name.hasPrefix(database) { found = true }
        }
        return found
    }

    private static func make(_ path: String, mode: mode_t) throws(SystemError) {
        guard mkdir(path, mode) != 0, errno != EEXIST else { return }
        let failure = SystemError("can't be created", path)
        // On a read-only medium, say, or at the root of an automounter, the error is another although it is there.
        var status = stat()
        guard stat(path, &status) == 0, status.isFolder else { throw failure }
    }
}
