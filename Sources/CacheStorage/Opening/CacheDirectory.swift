package import FeedCore
internal import Glibc
internal import SystemFiles

/// The cache as a directory on disk.
package enum CacheDirectory {
    /// The lock that `write` and `repair` take lives as long as anything of the cache that is returned.
    package static func open(
        path: String, access: CacheAccess,
        sleeping: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async throws(FeedError) -> Cache {
        try await CacheOpener(path: path, schema: .current, sleeping: sleeping).open(access)
    }

    /// Whether a file of this path is one of the own files of the cache at `path`, or would be taken for one. Of a
    /// link to nothing this is said as of the link alone. What is no text is nothing of a cache, which can't be opened there.
    package static func owns(_ file: String, at path: String) -> Bool {
        guard let cache = RealPath.found(path) else { return false }
        let name = FilePath.names(in: file).last.map(String.init) ?? ""
        // Where it leads, if it is a link; else the folder may be one.
        let given = RealPath.found(FilePath.folder(of: file) ?? ".").map { "\($0)/\(name)" }
        return [RealPath.found(file), given].contains { path in
            guard let path, path.utf8.starts(with: "\(cache)/".utf8) else { return false }
            let names = FilePath.names(in: String(path.dropFirst(cache.count)))
            guard names.count > 1 else {
                return names.first.map { $0 == CacheFolder.lock || $0.hasPrefix(CacheFolder.database) } ?? false
            }
            return [CacheFolder.images, CacheFolder.incoming, CacheFolder.outputs].contains(String(names[0]))
        }
    }
}

/// Opens caches, with a thread to itself: much of it waits for the disk.
actor CacheOpener {
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A cache's folder, and the file in it that whoever changes the cache holds locked.
    private typealias Lock = (folder: Descriptor, lock: Descriptor)

    private let executor = QueueExecutor("feedsync.opening")
    private let path: String
    private let schema: CacheSchema
    private let sleeping: @Sendable (Duration) async throws -> Void

    init(path: String, schema: CacheSchema, sleeping: @escaping @Sendable (Duration) async throws -> Void) {
        self.path = path
        self.schema = schema
        self.sleeping = sleeping
    }

    func open(_ access: CacheAccess) async throws(FeedError) -> Cache {
        switch access {
        case .read: try openForReading(try existingCache(), rehearsing: false)
        case .none: try openForReading(nil, rehearsing: false)
        case .rehearseRepair: try openForReading(try existingCache(), rehearsing: true)
        case .write(let limit): try await openForWriting(waiting(limit), repairing: false)
        case .repair(let limit): try await openForWriting(waiting(limit), repairing: true)
        }
    }

    private func openForReading(_ folder: Descriptor?, rehearsing: Bool) throws(FeedError) -> Cache {
        let resolved = folder == nil ? path : try resolvedPath(.failed)
        let file = DatabaseFile(in: folder, resolvedPath: resolved, schema: schema)
        let (connection, notices) = rehearsing ? try file.rehearseRepair() : (try file.openForReading(), notices: [])
        let folders = try attempt(.failed) { () throws(SystemError) in try ImageFolders(existingIn: folder) }
        return cache(connection, folders, writable: false, waiting(.zero), notices)
    }

    private func openForWriting(_ wait: LockWait, repairing: Bool) async throws(FeedError) -> Cache {
        let (folder, lock) = try await lockedFolder(wait, repairing: repairing)
        let file = DatabaseFile(in: folder, resolvedPath: try resolvedPath(.cannotCreate), schema: schema)
        let (connection, notices) = try makingRoom(in: folder) { () throws(FeedError) in
            repairing ? try file.repair(lock: lock) : (try file.openForWriting(lock: lock), notices: [])
        }
        let folders = try attempt(.cannotCreate) { () throws(SystemError) in try ImageFolders(createdIn: folder) }
        if !repairing { try prepareForImages(folders) }
        OpenFileLimit.raise()
        return cache(connection, folders, writable: true, wait, notices)
    }

    /// Repairing stores none, and counts what a killed run left among the leftovers.
    private func prepareForImages(_ folders: ImageFolders) throws(FeedError) {
        guard try attempt(.failed, folders.areOnOneMount) else {
            throw .storage(
                .cannotCreate,
                "\(path): \(ImageFolders.files) and \(CacheFolder.incoming) are on different mounts"
            ).hinting("have the whole cache on one: with --cache DIR, or a symbolic link to its folder")
        }
        try attempt(.failed) { () throws(SystemError) in _ = try folders.incoming?.removeContents() }
    }

    private func lockedFolder(_ wait: LockWait, repairing: Bool) async throws(FeedError) -> Lock {
        let folder = try attempt(.cannotCreate) { () throws(SystemError) in try CacheFolder.create(path) }
        // Whoever has something to save makes it a cache.
        if repairing { try requireCache(folder) }
        let lock = try attempt(.cannotCreate) { () throws(SystemError) in try folder.makeFile(CacheFolder.lock) }
        let found: Lock = (folder, lock)
        try await wait.lock(found.lock, .exclusive, cache: path)
        // Whoever comes later goes by what the path names now.
        let isInPlace = try attempt(.failed) { () throws(SystemError) in
            var current = stat()
            let own = try found.lock.status()
            return stat("\(path)/\(CacheFolder.lock)", &current) == 0 && current.isSame(as: own)
        }
        guard isInPlace else {
            throw .storage(.failed, "\(path): another folder or lock has taken its place while this run waited")
        }
        return found
    }

    /// On a full disk, what a killed run left in `incoming` may be the room that SQLite lacks to open anything.
    private func makingRoom<Opened>(
        in folder: Descriptor, _ open: () throws(FeedError) -> sending Opened
    ) throws(FeedError) -> sending Opened {
        do throws(FeedError) {
            return try open()
        } catch {
            guard error.lacksRoom else { throw error }
            let madeRoom = try attempt(.failed) { () throws(SystemError) in
                try folder.existingFolder(CacheFolder.incoming)?.removeContents() ?? 0 > 0
            }
            guard madeRoom else { throw error }
            return try open()
        }
    }

    private func cache(
        _ connection: sending SQLiteConnection, _ folders: ImageFolders, writable: Bool, _ wait: LockWait,
        _ notices: [String] = []
    ) -> Cache {
        let database = Database(connection)
        let staging = writable ? folders.incoming.map { Staging($0) } : nil
        let images = ImageDirectory(path: path, database: database, folders: folders, staging: staging, wait: wait)
        let transfer = DirectoryTransfer(path: path, database: database, folders: folders, staging: staging, wait: wait)
        return Cache(
            feeds: SQLiteFeedStore(database: database), images: images, transfer: transfer,
            waits: SQLiteFeedWaitStore(database: database), notices: notices,
            close: {
                await images.letReadersIn()
                await database.close()
            })
    }

    private func waiting(_ limit: Duration) -> LockWait { LockWait(limit: limit, sleeping: sleeping) }

    /// Nil if there is nothing at the path.
    private func existingCache() throws(FeedError) -> Descriptor? {
        let folder: Descriptor
        do {
            folder = try CacheFolder.open(path)
        } catch {
            if error.code == ENOENT { return nil }
            throw error.feedError(error.code == ENOTDIR ? .cannotCreate : .failed)
        }
        try requireCache(folder)
        return folder
    }

    /// Another folder, by a mistyped name, is told of as such, not as an empty cache.
    private func requireCache(_ folder: Descriptor) throws(FeedError) {
        let isOthers = try attempt(.failed) { () throws(SystemError) in try CacheFolder.isOthers(folder) }
        guard isOthers else { return }
        throw .notFound("\(path): is no feedsync cache: it holds other files, and no \(CacheFolder.database)")
            .hinting("name the cache's folder with --cache")
    }

    /// SQLite goes by the path, all else by the folder that is open.
    private func resolvedPath(_ fault: FeedError.StorageFault) throws(FeedError) -> String {
        try attempt(fault) { () throws(SystemError) in
            if let resolved = try RealPath.of(path) { return resolved }
            if errno == ENOENT { return path }
            throw SystemError("can't be resolved", path)
        }
    }
}
