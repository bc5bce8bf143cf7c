internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The folder of a cache, in which credentials may lie: nobody but its owner gets in.
enum CacheFolder {
    /// The file that whoever changes the cache holds locked.
    static let lock = "lock"
    static let images = "images"
    /// What lies here is in flight, and gone at the start of a run.
    static let incoming = "incoming"

    /// Without links. Nil where nothing can be found there; `errno` says why.
    static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func create(_ path: String) throws(SystemError) -> Descriptor {
        let steps = FilePath.steps(to: path)
        for step in steps.dropLast() { try make(step, mode: 0o777) }
        if let last = steps.last { try make(last, mode: 0o700) }
        let folder = try Descriptor.folder(at: path)
        try leaveIncomingAlone(in: folder)
        try keepOthersOut(of: folder)
        return folder
    }

    /// Each run empties `incoming`, a name that others use too (`--cache /srv/ftp`): where no run has ever left its lock,
    /// nor a database, what lies there isn't ours. In this order, as a first run beside this one makes its lock before it
    /// stages anything.
    private static func leaveIncomingAlone(in folder: Descriptor) throws(SystemError) {
        guard let found = try folder.existingFolder(incoming), try !found.isEmpty(),
            try folder.status(of: lock) == nil, try folder.status(of: DatabaseFile.name) == nil
        else { return }
        throw SystemError(
            ENOTEMPTY, "holds files, and \(folder.path) is no cache; give an empty or a new folder", found.path)
    }

    /// One that was there before, made by hand or by a service manager, may be open to all. If it is somebody else's, or
    /// holds other things too, it isn't ours to close (`--cache /srv`): then the database alone is kept from others.
    private static func keepOthersOut(of folder: Descriptor) throws(SystemError) {
        let status = try folder.status()
        guard status.st_mode & 0o077 != 0, status.st_uid == geteuid(), try !holdsOthersThings(folder) else { return }
        guard fchmod(folder.number, 0o700) == 0 else { throw SystemError("can't be made private", folder.path) }
    }

    private static func holdsOthersThings(_ folder: Descriptor) throws(SystemError) -> Bool {
        var found = false
        try folder.forEachName { name throws(SystemError) in
            let name = String(cString: name)
            // A file system has lost+found at its root.
            let isOurs = [images, incoming, lock, "lost+found"].contains(name)
            if !isOurs && !name.hasPrefix(DatabaseFile.name) { found = true }
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

/// The folders of image data. Nil: not there, which is as good as empty.
struct ImageFolders: Sendable {
    static let files = "\(CacheFolder.images)/\(digests)"
    private static let digests = "sha256"

    let images: Descriptor?
    let files: Descriptor?
    let incoming: Descriptor?

    init(createdIn cache: Descriptor) throws(SystemError) {
        let images = try cache.makeFolder(CacheFolder.images)
        self.images = images
        files = try images.makeFolder(Self.digests)
        incoming = try cache.makeFolder(CacheFolder.incoming)
    }

    init(existingIn cache: Descriptor?) throws(SystemError) {
        images = try cache?.existingFolder(CacheFolder.images)
        files = try images?.existingFolder(Self.digests)
        incoming = try cache?.existingFolder(CacheFolder.incoming)
    }

    /// Shared, it keeps out whoever deletes images, and exclusive also whoever relies on their staying. Nil: there are
    /// none.
    func lockImages(
        _ kind: Descriptor.Lock, _ wait: LockWait, cache: String
    ) async throws(FeedError) -> Descriptor? {
        guard let images else { return nil }
        // A description of its own, for a lock belongs to that.
        let lock = try attempt(.failed) { () throws(SystemError) in try images.open(".", O_RDONLY | O_DIRECTORY) }
        try await wait.lock(lock, kind, cache: cache)
        return lock
    }
}

/// A batch of images keeps its files open until all are on disk together.
enum OpenFileLimit {
    private static let wanted: rlim_t = 8192

    /// What the rest of the program may hold open: the database, the lock, and connections.
    private static let otherFiles = 64

    /// Raised as far as the system grants, up to what is wanted.
    static func raise() {
        guard var limit = current, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        setrlimit(resource, &limit)
    }

    /// Files that can be open for images.
    static var forImages: Int {
        let limit = Int(clamping: min(current?.rlim_cur ?? wanted, wanted))
        return max(1, limit - otherFiles)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static var current: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }
}
