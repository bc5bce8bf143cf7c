package import FeedCore
internal import Glibc
internal import SystemFiles

/// A cache as a directory on disk.
package enum CacheDirectory {
    /// Opens the cache.
    ///
    /// `write` and `repair` take the lock of the cache, which is held until the last part of the returned cache is
    /// released.
    package static func open(
        path: String, access: CacheAccess,
        sleeping: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async throws(FeedError) -> Cache {
        try await CacheOpener(path: path, schema: .current, sleeping: sleeping).open(access)
    }

    /// Returns whether the path is that of a file of the cache at `path`, or would be mistaken for one.
    ///
    /// For a dangling symbolic link, the answer concerns the link itself. A path that differs from UTF-8 is outside
    /// every cache, because such a cache can't be opened.
    package static func owns(_ file: String, at path: String) -> Bool {
        guard let cache = RealPath.found(path) else { return false }
        let name = FilePath.names(in: file).last.map(String.init) ?? ""
        // The first path is where a symbolic link leads; the second is the path itself, whose directory may be a link.
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

/// Opens caches on its own thread, because most steps wait for the disk.
actor CacheOpener {
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A cache's directory, and the file in it that a process keeps locked while it changes the cache.
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
        case .read: return try openForReading(try existingCache(), rehearsing: false)
        case .readOrEmpty:
            do throws(FeedError) {
                return try await open(.read)
            } catch let error where error.kind == .notFound {
                return try openForReading(nil, rehearsing: false)
            }
        case .rehearseRepair: return try openForReading(try existingCache(), rehearsing: true)
        case .write(let limit): return try await openForWriting(waiting(limit), repairing: false)
        case .repair(let limit): return try await openForWriting(waiting(limit), repairing: true)
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
        let (connection, notices) = try retryingOnFullDisk(in: directory) { () throws(FeedError) in
            repairing ? try file.repair(lock: lock) : try file.openForWriting(lock: lock)
        }
        let directories = try attempt(.cannotCreate) { () throws(SystemError) in
            try ImageDirectories(createdIn: directory)
        }
        if !repairing { try prepareForImages(directories) }
        OpenFileLimit.raise()
        return cache(connection, directories, writable: true, wait, notices)
    }

    /// Prepares to store images.
    ///
    /// A repair skips this step, because it reports the files in `incoming` as leftovers.
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
        // A repair requires an existing cache; every other writer creates one.
        if repairing { try requireCache(directory) }
        let lock = try attempt(.cannotCreate) { () throws(SystemError) in try directory.makeFile(CacheLayout.lock) }
        let found: Lock = (directory, lock)
        try await wait.lock(found.lock, .exclusive, cache: path)
        // The path must still lead to this lock, because the next process opens the lock by its path.
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

    /// Opens the database again after emptying `incoming` if the disk is full: the leftovers of a killed run may occupy
    /// the space that SQLite needs.
    private func retryingOnFullDisk<Opened>(
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
            waits: SQLiteFeedWaitStore(database: database),
            reportedFailures: SQLiteReportedFailureStore(database: database),
            search: ImageFinder(database: database, directories: directories), notices: notices,
            close: {
                await images.admitReaders()
                await database.close()
            })
    }

    private func waiting(_ limit: Duration) -> LockWait { LockWait(limit: limit, sleeping: sleeping) }

    /// Returns nil if the path is missing.
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

    /// Throws if the directory belongs to something else, so that a mistyped name is reported instead of shown as an
    /// empty cache.
    private func requireCache(_ directory: Descriptor) throws(FeedError) {
        let belongsToOthers = try attempt(.failed) { () throws(SystemError) in
            try CacheLayout.belongsToOthers(directory)
        }
        guard belongsToOthers else { return }
        throw .notFound("\(path): is no feedsync cache: it holds other files, and no \(CacheLayout.database)")
            .hinting("name the cache's directory with --cache")
    }

    /// Returns the path for SQLite, which opens files by path; everything else is opened relative to the directory.
    private func resolvedPath(_ fault: FeedError.StorageFault) throws(FeedError) -> String {
        try attempt(fault) { () throws(SystemError) in
            if let resolved = try RealPath.of(path) { return resolved }
            if errno == ENOENT { return path }
            throw SystemError("can't be resolved", path)
        }
    }
}
