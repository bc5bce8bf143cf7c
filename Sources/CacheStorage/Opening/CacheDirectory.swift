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
        // Where it leads, if it is a link; else the directory may be one.
        let given = RealPath.found(FilePath.directory(of: file) ?? ".").map { "\($0)/\(name)" }
        return [RealPath.found(file), given].contains { path in
            guard let path, path.utf8.starts(with: "\(cache)/".utf8) else { return false }
            let names = FilePath.names(in: String(path.dropFirst(cache.count)))
            guard names.count > 1 else {
                return names.first.map { $0 == CacheLayout.lock || $0.hasPrefix(CacheLayout.database) } ?? false
            }
            return [CacheLayout.images, CacheLayout.incoming, CacheLayout.outputs].contains(String(names[0]))
        }
    }
}

/// Opens caches, with a thread to itself: much of it waits for the disk.
actor CacheOpener {
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A cache's directory, and the file in it that whoever changes the cache holds locked.
    private typealias Lock = (directory: Descriptor, lock: Descriptor)

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

    private func openForReading(_ directory: Descriptor?, rehearsing: Bool) throws(FeedError) -> Cache {
        let resolved = directory == nil ? path : try resolvedPath(.failed)
        let file = DatabaseFile(in: directory, resolvedPath: resolved, schema: schema)
        let (connection, notices) = rehearsing ? try file.rehearseRepair() : (try file.openForReading(), notices: [])
        let directories = try attempt(.failed) { () throws(SystemError) in try ImageDirectories(existingIn: directory) }
        return cache(connection, directories, writable: false, waiting(.zero), notices)
    }

    private func openForWriting(_ wait: LockWait, repairing: Bool) async throws(FeedError) -> Cache {
        let (directory, lock) = try await lockedDirectory(wait, repairing: repairing)
        let file = DatabaseFile(in: directory, resolvedPath: try resolvedPath(.cannotCreate), schema: schema)
        let (connection, notices) = try makingRoom(in: directory) { () throws(FeedError) in
            repairing ? try file.repair(lock: lock) : (try file.openForWriting(lock: lock), notices: [])
        }
        let directories = try attempt(.cannotCreate) { () throws(SystemError) in
            try ImageDirectories(createdIn: directory)
        }
        if !repairing { try prepareForImages(directories) }
        OpenFileLimit.raise()
        return cache(connection, directories, writable: true, wait, notices)
    }

    /// Repairing stores none, and counts what a killed run left among the leftovers.
    private func prepareForImages(_ directories: ImageDirectories) throws(FeedError) {
        guard try attempt(.failed, directories.areOnOneMount) else {
            throw .storage(
                .cannotCreate,
                "\(path): \(ImageDirectories.files) and \(CacheLayout.incoming) are on different mounts"
            ).hinting("have the whole cache on one: with --cache DIR, or a symbolic link to its directory")
        }
        try attempt(.failed) { () throws(SystemError) in _ = try directories.incoming?.removeContents() }
    }

    private func lockedDirectory(_ wait: LockWait, repairing: Bool) async throws(FeedError) -> Lock {
        let directory = try attempt(.cannotCreate) { () throws(SystemError) in try CacheLayout.create(path) }
        // Whoever has something to save makes it a cache.
        if repairing { try requireCache(directory) }
        let lock = try attempt(.cannotCreate) { () throws(SystemError) in try directory.makeFile(CacheLayout.lock) }
        let found: Lock = (directory, lock)
        try await wait.lock(found.lock, .exclusive, cache: path)
        // Whoever comes later goes by what the path names now.
        let isInPlace = try attempt(.failed) { () throws(SystemError) in
            var current = stat()
            let own = try found.lock.status()
            return stat("\(path)/\(CacheLayout.lock)", &current) == 0 && current.isSame(as: own)
        }
        guard isInPlace else {
            throw .storage(.failed, "\(path): another directory or lock has taken its place while this run waited")
        }
        return found
    }

    /// On a full disk, what a killed run left in `incoming` may be the room that SQLite lacks to open anything.
    private func makingRoom<Opened>(
        in directory: Descriptor, _ open: () throws(FeedError) -> sending Opened
    ) throws(FeedError) -> sending Opened {
        do throws(FeedError) {
            return try open()
        } catch {
            guard error.lacksRoom else { throw error }
            let madeRoom = try attempt(.failed) { () throws(SystemError) in
                try directory.existingDirectory(CacheLayout.incoming)?.removeContents() ?? 0 > 0
            }
            guard madeRoom else { throw error }
            return try open()
        }
    }

    private func cache(
        _ connection: sending SQLiteConnection, _ directories: ImageDirectories, writable: Bool, _ wait: LockWait,
        _ notices: [String] = []
    ) -> Cache {
        let database = Database(connection)
        let staging = writable ? directories.incoming.map { Staging($0) } : nil
        let images = ImageDirectory(
            path: path, database: database, directories: directories, staging: staging, wait: wait)
        let transfer = DirectoryTransfer(
            path: path, database: database, directories: directories, staging: staging, wait: wait)
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
        let directory: Descriptor
        do {
            directory = try CacheLayout.open(path)
        } catch {
            if error.code == ENOENT { return nil }
            throw error.feedError(error.code == ENOTDIR ? .cannotCreate : .failed)
        }
        try requireCache(directory)
        return directory
    }

    /// Another directory, by a mistyped name, is told of as such, not as an empty cache.
    private func requireCache(_ directory: Descriptor) throws(FeedError) {
        let isOthers = try attempt(.failed) { () throws(SystemError) in try CacheLayout.isOthers(directory) }
        guard isOthers else { return }
        throw .notFound("\(path): is no feedsync cache: it holds other files, and no \(CacheLayout.database)")
            .hinting("name the cache's directory with --cache")
    }

    /// SQLite goes by the path, all else by the directory that is open.
    private func resolvedPath(_ fault: FeedError.StorageFault) throws(FeedError) -> String {
        try attempt(fault) { () throws(SystemError) in
            if let resolved = try RealPath.of(path) { return resolved }
            if errno == ENOENT { return path }
            throw SystemError("can't be resolved", path)
        }
    }
}
