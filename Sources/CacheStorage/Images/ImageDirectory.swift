internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The image data of a cache: files named by their digest, indexed by URL in the database.
actor ImageDirectory: ImageStore {
    /// Two threads, so that one can hash while the other waits for the disk.
    static let hashingThreads = 2

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let executor = QueueExecutor("feedsync.images")
    /// The path of the cache for messages.
    nonisolated let path: String
    let database: Database
    let directories: ImageDirectories
    /// The staging area, or nil if the cache is open for reading only.
    nonisolated let staging: Staging?
    let wait: LockWait
    /// The exclusive lock while it is held for longer than one removal.
    var removalLock: Descriptor?

    init(path: String, database: Database, directories: ImageDirectories, staging: Staging?, wait: LockWait) {
        self.path = path
        self.database = database
        self.directories = directories
        self.staging = staging
        self.wait = wait
    }

    func find(_ images: [FeedImage], of feed: ResourceURL) async throws(FeedError) -> [StoredImage?] {
        guard let files = directories.files else { return images.map { _ in nil } }
        var found = try await findRecords(of: images, of: feed)
        // The files are examined on this actor's thread, so that the database is free for other tasks.
        try attempt(.failed) { () throws(SystemError) in
            for (slot, image) in found.enumerated() {
                guard let image else { continue }
                if try !ImageFile.isThere(image.digest, size: image.size, in: files) { found[slot] = nil }
            }
        }
        return found
    }

    nonisolated func findRecords(
        of images: [FeedImage], of feed: ResourceURL
    ) async throws(FeedError) -> [StoredImage?] {
        if images.isEmpty { return [] }
        return try await database.read { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            var found = [StoredImage?](repeating: nil, count: images.count)
            guard try !index.isEmpty(), let feed = try FeedRow.find(feed, in: connection) else { return found }
            for (slot, image) in images.enumerated() { found[slot] = try index.find(image, of: feed) }
            return found
        }
    }

    func find(_ url: ResourceURL) async throws(FeedError) -> StoredImage? {
        guard let files = directories.files else { return nil }
        let found = try await database.read { connection throws(FeedError) -> StoredImage? in
            let index = ImageIndex(connection: connection)
            if let found = try index.find(anywhere: url.text) { return found }
            return try index.find(imageAt: url)
        }
        guard let found else { return nil }
        let isThere = try attempt(.failed) { () throws(SystemError) in
            try ImageFile.isThere(found.digest, size: found.size, in: files)
        }
        return isThere ? found : nil
    }

    func data(of image: StoredImage) throws(FeedError) -> [UInt8] {
        guard let files = directories.files,
            let bytes = try ImageFile.bytes(image.digest, size: image.size, in: files)
        else {
            throw image.damagedOrGone(from: path)
        }
        return bytes
    }

    nonisolated func stage() throws(FeedError) -> any StagedImage {
        guard let staging else { throw readOnly }
        return StagedFile(staging)
    }

    nonisolated func complete(_ image: any StagedImage) {
        (image as? StagedFile)?.complete()
    }

    nonisolated var exhaustion: FeedError? { staging?.exhaustion }

    nonisolated var mostStaged: Int { OpenFileLimit.forImages }

    nonisolated func confirm(_ images: [ConfirmedImage]) async throws(FeedError) {
        guard staging != nil else { throw readOnly }
        try await database.write { connection throws(FeedError) in
            var writer = DataWriter(connection)
            for image in images { try writer.confirm(image) }
            try writer.finish()
        }
    }

    nonisolated func failures(
        of urls: [ResourceURL], in feed: ResourceURL
    ) async throws(FeedError) -> [RememberedFailure?] {
        try await database.read { connection throws(FeedError) in
            var found = [RememberedFailure?](repeating: nil, count: urls.count)
            let memory = FailureMemory(connection: connection)
            guard try !memory.isEmpty(), let feed = try FeedRow.find(feed, in: connection) else { return found }
            for (slot, url) in urls.enumerated() { found[slot] = try memory.find(url, of: feed.id) }
            return found
        }
    }

    nonisolated func remember(_ failures: [ImageFailure]) async throws(FeedError) {
        guard staging != nil else { throw readOnly }
        try await database.write { connection throws(FeedError) in
            let memory = FailureMemory(connection: connection)
            var feeds = FeedRows(connection)
            for failure in failures { try memory.add(failure, &feeds) }
        }
    }

    nonisolated var readOnly: FeedError { .storage(.failed, "\(path): is open for reading alone") }
}

extension StoredImage {
    func damagedOrGone(from cache: String) -> FeedError {
        .storage(.failed, "\(cache)/\(path): the image is damaged or gone").hinting("run `feedsync validate --deep`")
    }
}

extension ImageDirectory {
    /// Takes the exclusive lock, which waits for processes that rely on many images, such as an export or a gallery.
    ///
    /// Returns nil if `removalLock` is held already.
    func lockForDeleting() async throws(FeedError) -> Descriptor? {
        guard removalLock == nil else { return nil }
        return try await lockForDeleting(wait)
    }

    private func lockForDeleting(_ wait: LockWait) async throws(FeedError) -> Descriptor {
        guard staging != nil, let lock = try await directories.lockImages(.exclusive, wait, cache: path) else {
            throw readOnly
        }
        return lock
    }

    func admitReaders() { removalLock = nil }

    func keepReadersOut(waiting: Bool) async throws(FeedError) -> Bool {
        do throws(FeedError) {
            let wait = waiting ? wait : LockWait(limit: .zero, sleeping: wait.sleeping)
            removalLock = try await lockForDeleting(wait)
            return true
        } catch let error where !waiting && error.kind == .storage(.locked) {
            return false
        }
    }
}

extension ImageDirectory {
    /// Counts files instead of rows, because a file may have been deleted, and because a file whose image was replaced
    /// takes space until it is deleted.
    ///
    /// A file of another size than its row says counts as missing.
    nonisolated func inventory(of feeds: [ResourceURL]) async throws(FeedError) -> ImageInventory {
        try await database.read { connection throws(FeedError) in
            var found: [Digest: FoundFile] = [:]
            if let files = directories.files {
                found = try attempt(.failed) { () throws(SystemError) in try Self.files(in: files) }
            }
            let index = ImageIndex(connection: connection)
            let memory = FailureMemory(connection: connection)
            let hasFailures = try !memory.isEmpty()
            for (digest, size) in try index.sizes() where found[digest]?.size != size { found[digest] = nil }
            var perFeed: [ImageInventory.OfFeed] = []
            for (number, feed) in feeds.enumerated() {
                var images = ImageInventory.OfFeed()
                var failed: Set<ResourceURL.Key> = []
                try index.forEachImage(of: feed) { row, url, stored throws(FeedError) in
                    if let stored, found[stored.digest]?.size == stored.size {
                        images.cached += 1
                        if found[stored.digest]?.lastFeed != number {
                            found[stored.digest]?.lastFeed = number
                            images.bytes += stored.size
                        }
                    } else if hasFailures, let url = ResourceURL(stored: url),
                        let failure = try memory.find(url, of: row.id), failure.error.smallSize == nil,
                        failed.insert(url.key).inserted
                    {
                        images.add(failedAt: failure.failedAt, count: failure.count)
                    }
                }
                perFeed.append(images)
            }
            let totals = ImageTotals(count: found.count, bytes: found.values.reduce(0) { $0 + $1.size })
            return ImageInventory(totals: totals, perFeed: perFeed)
        }
    }

    private struct FoundFile {
        let size: Int64
        /// The index of the last feed for which the file was counted.
        var lastFeed: Int?
    }

    /// Returns the files that have names of images.
    private static func files(in files: Descriptor) throws(SystemError) -> [Digest: FoundFile] {
        var found: [Digest: FoundFile] = [:]
        try files.forEachName { name throws(SystemError) in
            guard let digest = Digest(hex: String(cString: name)) else { return }
            do throws(SystemError) {
                if let status = try files.status(of: name), status.isFile {
                    found[digest] = FoundFile(size: Int64(status.st_size))
                }
            } catch {
                // A file that can't be examined counts as missing.
                guard error.concernsOneFile(in: files) else { throw error }
            }
        }
        return found
    }
}
