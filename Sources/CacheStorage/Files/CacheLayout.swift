internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The directory of a cache, in which credentials may lie: nobody but its owner gets in.
enum CacheLayout {
    static let database = CacheOwnership.database
    /// The file that whoever changes the cache holds locked.
    static let lock = "lock"
    static let images = "images"
    /// What lies here is in flight, and gone at the start of a run.
    static let incoming = "incoming"
    /// Galleries keep small images here, each under its image's digest and an ending.
    static let thumbnails = "thumbnails"
    /// Galleries and trees keep the lists of their files here.
    static let outputs = "outputs"

    /// What the directory of a cache can hold. SQLite keeps further files beside its database.
    private static let entries =
        [images, incoming, thumbnails, lock, "outputs", "damaged", database]
        + DatabaseFile.companions.map { database + $0 }

    /// Opens the directory of a cache, and refuses it if it, or an entry of it, belongs to another user.
    static func open(_ path: String) throws(SystemError) -> Descriptor {
        let directory = try Descriptor.cacheDirectory(at: path)
        for entry in entries { try directory.requireOwn(entry) }
        return directory
    }

    static func create(_ path: String) throws(SystemError) -> Descriptor {
        let steps = FilePath.steps(to: path)
        for step in steps.dropLast() { try make(step, mode: 0o777) }
        if let last = steps.last { try make(last, mode: 0o700) }
        let directory = try open(path)
        try leaveIncomingAlone(in: directory)
        try keepOthersOut(of: directory)
        return directory
    }

    /// Each run empties `incoming`, a name that others use too (`--cache /srv/ftp`): where no run has ever left its lock,
    /// nor a database, what lies there isn't ours. In this order, as a first run beside this one makes its lock before it
    /// stages anything.
    private static func leaveIncomingAlone(in directory: Descriptor) throws(SystemError) {
        guard let found = try directory.existingDirectory(incoming), try !found.isEmpty(),
            try directory.status(of: lock) == nil, try directory.status(of: database) == nil
        else { return }
        throw SystemError(
            ENOTEMPTY, "holds files, and \(directory.path) is no cache; give an empty or a new directory", found.path)
    }

    /// Whether it holds things, but not the lock, which a run makes before all else, nor a database, which alone may have
    /// been copied. In this order, as a first run beside this one makes its lock before other things.
    static func isOthers(_ directory: Descriptor) throws(SystemError) -> Bool {
        var found = false
        try directory.forEachName { name throws(SystemError) in
            // A file system has it at its root.
            if String(cString: name) != "lost+found" { found = true }
        }
        guard found, try directory.status(of: lock) == nil else { return false }
        return try directory.status(of: database) == nil
    }

    /// One that was there before, made by hand or by a service manager, may be open to all. If it is somebody else's, or
    /// holds other things too, it isn't ours to close (`--cache /srv`): then the database alone is kept from others.
    private static func keepOthersOut(of directory: Descriptor) throws(SystemError) {
        let status = try directory.status()
        guard status.isOpenToOthers, status.st_uid == geteuid(), try !holdsOthersThings(directory) else { return }
        // In a directory of root's, the owner of the files would be shut out too.
        if case .given(let owner, _) = directory.ownership, owner != status.st_uid { return }
        guard fchmod(directory.number, 0o700) == 0 else { throw SystemError("can't be made private", directory.path) }
    }

    private static func holdsOthersThings(_ directory: Descriptor) throws(SystemError) -> Bool {
        var found = false
        try directory.forEachName { name throws(SystemError) in
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
        guard stat(path, &status) == 0, status.isDirectory else { throw failure }
    }
}
