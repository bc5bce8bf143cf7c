internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Image data in the cache directory: files named by their digest, indexed by URL in the database.
actor ImageDirectory: ImageStore {
    /// One hashes while the other waits for the disk.
    static let hashingThreads = 2

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let executor = QueueExecutor("feedsync.images")
    /// The cache's, for messages.
    nonisolated let path: String
    let database: Database
    let directories: ImageDirectories
    /// Nil: the cache is open for reading alone.
    nonisolated let staging: Staging?
    let wait: LockWait
    /// While readers of many images are kept out for longer than one removal.
    var removalLock: Descriptor?

    init(path: String, database: Database, directories: ImageDirectories, staging: Staging?, wait: LockWait) {
        self.path = path
        self.database = database
        self.directories = directories
        self.staging = staging
        self.wait = wait
    }

    func find(_ images: [FeedImage], for viewer: Viewer) async throws(FeedError) -> [StoredImage?] {
        guard let files = directories.files else { return images.map { _ in nil } }
        var found = try await database.read { connection throws(FeedError) in
            let index = ImageIndex(connection: connection)
            var found = [StoredImage?](repeating: nil, count: images.count)
            if try index.isEmpty() { return found }
            let circles = try VisibleCircles(viewer, in: connection)
            for (place, image) in images.enumerated() { found[place] = try index.find(image, in: circles) }
            return found
        }
        // On a thread of their own: the database is free for others meanwhile.
        try attempt(.failed) { () throws(SystemError) in
            for (place, image) in found.enumerated() {
                guard let image else { continue }
                if try !ImageFile.isThere(image.digest, size: image.size, in: files) { found[place] = nil }
            }
        }
        return found
    }

    func find(_ url: ResourceURL) async throws(FeedError) -> StoredImage? {
        guard let files = directories.files else { return nil }
        let found = try await database.read { connection throws(FeedError) -> StoredImage? in
            let index = ImageIndex(connection: connection)
            if let found = try index.find(anywhere: url.text) { return found }
            return try index.find(imageAt: url.text)
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
            let index = ImageIndex(connection: connection)
            let memory = FailureMemory(connection: connection)
            for image in images {
                try index.confirm(image)
                try memory.forget(image.url, for: image.recipients)
            }
        }
    }

    nonisolated func failures(
        of urls: [ResourceURL], for viewer: Viewer, onlyOwn: Bool
    ) async throws(FeedError) -> [RememberedFailure?] {
        try await database.read { connection throws(FeedError) in
            let memory = FailureMemory(connection: connection)
            if try memory.isEmpty() { return urls.map { _ in nil } }
            var found: [RememberedFailure?] = []
            found.reserveCapacity(urls.count)
            let circles = try VisibleCircles(viewer, in: connection)
            for url in urls { found.append(try memory.find(url, in: circles, onlyOwn: onlyOwn)) }
            return found
        }
    }

    nonisolated func remember(_ failures: [ImageFailure]) async throws(FeedError) {
        guard staging != nil else { throw readOnly }
        try await database.write { connection throws(FeedError) in
            let memory = FailureMemory(connection: connection)
            for failure in failures { try memory.add(failure) }
        }
    }

    nonisolated var readOnly: FeedError { .storage(.failed, "\(path): is open for reading alone") }
}

extension StoredImage {
    func damagedOrGone(from cache: String) -> FeedError {
        .storage(.failed, "\(cache)/\(path): the image is damaged or gone").hinting("run `feedsync validate --deep`")
    }
}
