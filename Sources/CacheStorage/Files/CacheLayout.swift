internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The names of the entries of a cache directory, and the rules for opening and creating one.
///
/// Only its owner may enter it, because feeds can contain credentials.
enum CacheLayout {
    static let database = CacheOwnership.database
    /// The suffixes of the files that SQLite keeps beside a database.
    static let databaseSuffixes = ["-wal", "-shm", "-journal"]
    /// The file that a process keeps locked while it changes the cache.
    static let lock = "lock"
    static let images = "images"
    /// The directory of images that are being stored.
    ///
    /// It is emptied at the start of a run.
    static let incoming = "incoming"
    /// The directory of the thumbnails of galleries.
    ///
    /// Each name is the digest of the image and a suffix.
    static let thumbnails = "thumbnails"
    /// The directory of the lists of files that galleries and trees have written.
    static let outputs = "outputs"
    /// The directory of files that were found not to match their names.
    static let damaged = "damaged"

    /// The entries that a cache directory can have.
    ///
    /// SQLite keeps further files beside its database.
    private static let entries =
        [images, incoming, thumbnails, lock, outputs, damaged, database]
        + databaseSuffixes.map { database + $0 }

    /// Opens a cache directory.
    ///
    /// Throws if the directory or one of its entries belongs to another user.
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
        try requireOwnIncoming(in: directory)
        try makePrivate(of: directory)
        return directory
    }

    /// Throws if `incoming` holds the files of another program, because each run empties that directory and the name is
    /// common (`--cache /srv/ftp`).
    ///
    /// A lock or a database proves that the directory is a cache. They are examined after `incoming`, because a first
    /// run that starts at the same time creates its lock before it stages an image.
    private static func requireOwnIncoming(in directory: Descriptor) throws(SystemError) {
        guard let found = try directory.existingDirectory(incoming), try !found.isEmpty(),
            try directory.status(of: lock) == nil, try directory.status(of: database) == nil
        else { return }
        throw SystemError(
            ENOTEMPTY, "holds files, and \(directory.path) is no cache; give an empty or a new directory", found.path)
    }

    /// Returns whether a directory belongs to another program: it has entries, and neither a lock, which a run creates
    /// first, nor a database, which may have been copied without the lock.
    ///
    /// The lock is examined after the entries, because a first run that starts at the same time creates its lock before
    /// any other entry.
    static func belongsToOthers(_ directory: Descriptor) throws(SystemError) -> Bool {
        var found = false
        try directory.forEachName { name throws(SystemError) in
            // `lost+found` exists at the root of a file system, and a gallery of an empty cache makes `outputs`.
            if !["lost+found", outputs].contains(String(cString: name)) { found = true }
        }
        guard found, try directory.status(of: lock) == nil else { return false }
        return try directory.status(of: database) == nil
    }

    /// Closes an existing directory to other users.
    ///
    /// A directory that was created by hand or by a service manager may be open to all. If it belongs to another user
    /// or has other entries (`--cache /srv`), it stays open, and only the database is closed.
    private static func makePrivate(of directory: Descriptor) throws(SystemError) {
        let status = try directory.status()
        guard status.isOpenToOthers, status.st_uid == geteuid(), try !holdsForeignEntries(directory) else { return }
        // Closing a directory of root would shut out the owner of the files.
        if case .given(let owner, _) = directory.ownership, owner != status.st_uid { return }
        guard fchmod(directory.number, 0o700) == 0 else { throw SystemError("can't be made private", directory.path) }
    }

    private static func holdsForeignEntries(_ directory: Descriptor) throws(SystemError) -> Bool {
        var found = false
        try directory.forEachName { name throws(SystemError) in
            let name = String(cString: name)
            // `lost+found` exists at the root of a file system.
            let isOurs = [images, incoming, thumbnails, outputs, damaged, lock, "lost+found"].contains(name)
            if !isOurs && !name.hasPrefix(database) { found = true }
        }
        return found
    }

    private static func make(_ path: String, mode: mode_t) throws(SystemError) {
        guard mkdir(path, mode) != 0, errno != EEXIST else { return }
        let failure = SystemError("can't be created", path)
        // `mkdir` gives another error for an existing directory on a read-only medium and at the root of an
        // automounter.
        var status = stat()
        guard stat(path, &status) == 0, status.isDirectory else { throw failure }
    }
}

/// The directories of image data.
///
/// A directory that is nil is missing, which means the same as empty.
struct ImageDirectories: Sendable {
    static let files = "\(CacheLayout.images)/\(digests)"
    private static let digests = "sha256"

    let images: Descriptor?
    let files: Descriptor?
    let incoming: Descriptor?
    let thumbnails: Descriptor?
    private let cache: Descriptor?

    init(createdIn cache: Descriptor) throws(SystemError) {
        self.cache = cache
        let images = try cache.makeDirectory(CacheLayout.images)
        self.images = images
        files = try images.makeDirectory(Self.digests)
        incoming = try cache.makeDirectory(CacheLayout.incoming)
        thumbnails = try cache.existingDirectory(CacheLayout.thumbnails)
    }

    init(existingIn cache: Descriptor?) throws(SystemError) {
        self.cache = cache
        images = try cache?.existingDirectory(CacheLayout.images)
        files = try images?.existingDirectory(Self.digests)
        incoming = try cache?.existingDirectory(CacheLayout.incoming)
        thumbnails = try cache?.existingDirectory(CacheLayout.thumbnails)
    }

    /// Returns the directory of damaged files, or nil if it is missing.
    ///
    /// A run that finds damage creates it.
    func damaged() throws(SystemError) -> Descriptor? { try cache?.existingDirectory(CacheLayout.damaged) }

    func makeDamaged() throws(SystemError) -> Descriptor? { try cache?.makeDirectory(CacheLayout.damaged) }

    /// Returns whether `incoming` and the directory of image files are on one mount, because a file can be renamed only
    /// within a mount.
    func areOnOneMount() throws(SystemError) -> Bool {
        guard let files, let incoming else { return true }
        // A bind mount shares its device with the original, and a btrfs subvolume shares its mount. Therefore both are
        // examined. Renaming "." always fails, and the kernel compares the mounts first.
        if renameat(incoming.number, ".", files.number, ".") != 0, errno == EXDEV { return false }
        return try files.status().st_dev == incoming.status().st_dev
    }

    /// Locks the image files.
    ///
    /// A shared lock prevents other processes from deleting images; an exclusive lock also excludes the processes that
    /// rely on the images. Returns nil if the directory is missing.
    func lockImages(
        _ kind: Descriptor.Lock, _ wait: LockWait, cache: String
    ) async throws(FeedError) -> Descriptor? {
        guard let images else { return nil }
        // The directory is opened again, because a flock belongs to the open file description.
        let lock = try attempt(.failed) { () throws(SystemError) in try images.open(".", O_RDONLY | O_DIRECTORY) }
        try await wait.lock(lock, kind, cache: cache)
        return lock
    }
}
