package import FeedCore
internal import Hashing
internal import Synchronization

/// An image store in memory.
///
/// It records all calls and fails on demand.
package final class InMemoryImageStore: ImageStore {
    package enum Message: Hashable, Sendable {
        case find, data, stage, append, publish, confirm, failures, remember, files, inventory, removeUnreferenced
        case removeDamaged
    }

    private let cache: InMemoryCache
    private let received = Mutex<[Message]>([])
    private let failures = Mutex<[Message: FeedError]>([:])
    private let publishFailures = Mutex<[String: FeedError]>([:])
    private let exhausted = Mutex<FeedError?>(nil)

    package init(_ cache: InMemoryCache = InMemoryCache()) { self.cache = cache }

    /// All calls so far in order, except those that append bytes.
    package var messages: [Message] { received.withLock { $0 } }

    /// The error that every later call throws; with nil, the store works again.
    package func fail(_ message: Message, with failure: FeedError? = .storage(.failed, "disk on fire")) {
        failures.withLock { $0[message] = failure }
    }

    /// Makes the publishing of this image fail.
    package func failPublishing(_ url: ResourceURL, with failure: FeedError? = .storage(.failed, "bad sector")) {
        publishFailures.withLock { $0[url.text] = failure }
    }

    /// Damages the bytes of an image, as a failing disk would.
    package func damage(_ url: ResourceURL) throws(FeedError) {
        try cache.withContents { contents throws(FeedError) in
            for (key, image) in contents.images where key.url == url.text { contents.data[image.digest]?.append(0) }
        }
    }

    package func find(_ images: [FeedImage], of feed: ResourceURL) async throws(FeedError) -> [StoredImage?] {
        try receive(.find)
        return try cache.withContents { contents throws(FeedError) in images.map { contents.find($0, of: feed) } }
    }

    package func findRecords(of images: [FeedImage], of feed: ResourceURL) async throws(FeedError) -> [StoredImage?] {
        // This store loses no files.
        try cache.withContents { contents throws(FeedError) in images.map { contents.find($0, of: feed) } }
    }

    package func find(_ url: ResourceURL) async throws(FeedError) -> StoredImage? {
        try receive(.find)
        return try cache.withContents { contents throws(FeedError) in
            let found = contents.images.filter { $0.key.url == url.text }.map(\.value)
            if let last = found.max(by: { $0.fetchedAt < $1.fetchedAt }) { return last }
            for saved in contents.feeds.values {
                for image in contents.items(of: saved.url) where image.url.key == url.key {
                    if let found = contents.find(image, of: saved.url) { return found }
                }
            }
            return nil
        }
    }

    package func data(of image: StoredImage) async throws(FeedError) -> [UInt8] {
        try receive(.data)
        return try cache.withContents { contents throws(FeedError) in
            guard let bytes = contents.data[image.digest], Self.digest(of: bytes) == image.digest else {
                throw .storage(.failed, "\(image.path): the image is damaged or gone")
            }
            return bytes
        }
    }

    package func stage() throws(FeedError) -> any StagedImage {
        try receive(.stage)
        return StagedBytes { [self] in failures.withLock { $0[.append] } }
    }

    package func complete(_ image: any StagedImage) {}

    package var mostStaged: Int { .max }

    package var exhaustion: FeedError? { exhausted.withLock { $0 } }

    /// Simulates a full disk: publishing this image fails, and later bytes are refused.
    package func exhaust(at url: ResourceURL) {
        failPublishing(url, with: .storage(.failed, "full"))
        exhausted.withLock { $0 = .storage(.failed, "full") }
    }

    package func publish(
        _ images: [ReceivedImage]
    ) async throws(FeedError) -> [Result<StoredImage, FeedError>] {
        try receive(.publish)
        return try cache.withContents { contents throws(FeedError) in
            images.map { image in
                if let failure = publishFailures.withLock({ $0[image.url.text] }) { return .failure(failure) }
                guard let bytes = (image.bytes as? StagedBytes)?.take() else {
                    return .failure(.storage(.failed, "the image was thrown away before"))
                }
                let digest = Self.digest(of: bytes)
                contents.data[digest] = bytes
                let stored = StoredImage(
                    digest: digest, size: Int64(bytes.count), type: image.type, validators: image.validators,
                    fetchedAt: image.fetchedAt, directory: "images/sha256")
                for feed in image.feeds {
                    let key = InMemoryCache.DataKey(feed, image.url)
                    contents.insert(stored, at: key)
                    contents.failures[key] = nil
                }
                return .success(stored)
            }
        }
    }

    package func confirm(_ images: [ConfirmedImage]) async throws(FeedError) {
        try receive(.confirm)
        try cache.withContents { contents throws(FeedError) in
            for image in images {
                for feed in image.feeds { Self.confirm(image, of: feed, in: &contents) }
            }
        }
    }

    private static func confirm(
        _ image: ConfirmedImage, of feed: ResourceURL, in contents: inout InMemoryCache.Contents
    ) {
        let key = InMemoryCache.DataKey(feed, image.url)
        contents.failures[key] = nil
        contents.settle(key)
        guard let old = contents.images[InMemoryCache.DataKey(feed, image.predecessor ?? image.url)] else { return }
        contents.images[key] = StoredImage(
            digest: old.digest, size: old.size, type: old.type, validators: image.validators,
            fetchedAt: old.fetchedAt, directory: old.directory)
    }

    package func failures(
        of urls: [ResourceURL], in feed: ResourceURL
    ) async throws(FeedError) -> [RememberedFailure?] {
        try receive(.failures)
        return try cache.withContents { contents throws(FeedError) in
            urls.map { contents.failures[InMemoryCache.DataKey(feed, $0)] }
        }
    }

    package func remember(_ failures: [ImageFailure]) async throws(FeedError) {
        try receive(.remember)
        try cache.withContents { contents throws(FeedError) in
            for failure in failures {
                for feed in failure.feeds {
                    let key = InMemoryCache.DataKey(feed, failure.url)
                    let count = (contents.failures[key]?.count ?? 0) + 1
                    contents.failures[key] = RememberedFailure(
                        error: failure.error, failedAt: failure.failedAt, count: count)
                }
            }
        }
    }

    package func files(lockWait: Duration) async throws(FeedError) -> any ImageFiles {
        try receive(.files)
        return ImageFilesInMemory(cache: cache)
    }

    package func inventory(of feeds: [ResourceURL]) async throws(FeedError) -> ImageInventory {
        try receive(.inventory)
        return try cache.withContents { contents throws(FeedError) in
            let there = contents.images.filter { contents.data[$0.value.digest]?.count == Int($0.value.size) }
            let sizes = Dictionary(there.values.map { ($0.digest, $0.size) }) { first, _ in first }
            return ImageInventory(
                totals: ImageTotals(count: sizes.count, bytes: sizes.values.reduce(0, +)),
                perFeed: feeds.map { feed in
                    var images = ImageInventory.OfFeed()
                    var failed: Set<String> = []
                    var counted: Set<Digest> = []
                    for image in contents.feeds[feed.text]?.feed.images ?? [] {
                        if let stored = contents.find(image, of: feed),
                            contents.data[stored.digest]?.count == Int(stored.size)
                        {
                            images.cached += 1
                            if counted.insert(stored.digest).inserted { images.bytes += stored.size }
                            continue
                        }
                        let failure = contents.failures[InMemoryCache.DataKey(feed, image.url)]
                        guard let failure, failed.insert(image.url.text).inserted else { continue }
                        images.add(failedAt: failure.failedAt, count: failure.count)
                    }
                    return images
                })
        }
    }

    /// Always succeeds, because in memory there are no readers that rely on the images.
    package func keepReadersOut(waiting: Bool) async throws(FeedError) -> Bool { true }

    package func removeUnreferenced(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try receive(.removeUnreferenced)
        return try remove(mode) { contents in
            let referenced = Self.referenced(in: contents, mode)
            contents.images = contents.images.filter { key, image in
                referenced.contains(key) && contents.data[image.digest] != nil
            }
            contents.failures = contents.failures.filter { referenced.contains($0.key) }
        }
    }

    package func removeDamaged(
        _ mode: RemovalMode, progress: ProgressStream?
    ) async throws(FeedError) -> DamageRemoval {
        try receive(.removeDamaged)
        return try cache.withContents { contents throws(FeedError) in
            var images: [DamageRemoval.DamagedImage] = []
            for saved in contents.feeds.values.sorted(by: { $0.url.text < $1.url.text })
            where !mode.feedsLeftOut.contains(where: { $0.key == saved.url.key }) {
                for image in saved.feed.images + (contents.kept[saved.url.text] ?? []) {
                    for url in [image.url] + image.alternatives {
                        guard let digest = contents.images[.init(saved.url, url)]?.digest, contents.data[digest] != nil,
                            !contents.isWhole(digest)
                        else { continue }
                        images.append(
                            DamageRemoval.DamagedImage(
                                url: url.withoutCredentials, feed: saved.url.withoutCredentials, digest: digest))
                    }
                }
            }
            let damaged = Set(images.map(\.digest))
            if !mode.isDryRun {
                contents.images = contents.images.filter { !damaged.contains($0.value.digest) }
                for digest in damaged { contents.data[digest] = nil }
            }
            return DamageRemoval(files: damaged.count, images: images)
        }
    }

    private static func referenced(
        in contents: InMemoryCache.Contents, _ mode: RemovalMode
    ) -> Set<InMemoryCache.DataKey> {
        var left = contents
        for url in mode.feedsLeftOut { left.feeds[url.text] = nil }
        for saved in left.feeds.values {
            guard let removed = mode.imagesLeftOut[saved.url.key] else { continue }
            left.deleteImages(of: saved.url, coveredBy: removed)
        }
        for items in mode.keptLeftOut { left.letGo(from: items.feed, by: items.keep, now: items.now) }
        return left.referenced
    }

    private func remove(
        _ mode: RemovalMode, _ work: (inout InMemoryCache.Contents) -> Void
    ) throws(FeedError) -> ImageRemoval {
        try cache.withContents { contents throws(FeedError) in
            var left = contents
            work(&left)
            let digests = left.digests
            let gone = contents.digests.subtracting(digests)
            left.data = contents.data.filter { digests.contains($0.key) }
            let freed = contents.data.filter { !digests.contains($0.key) }.reduce(0) { $0 + $1.value.count }
            if !mode.isDryRun { contents = left }
            return ImageRemoval(images: gone.count, bytesFreed: Int64(freed))
        }
    }

    private func receive(_ message: Message) throws(FeedError) {
        received.withLock { $0.append(message) }
        if let failure = failures.withLock({ $0[message] }) { throw failure }
    }

    package static func digest(of bytes: [UInt8]) -> Digest {
        do throws(FeedError) {
            let hash = try SHA256()
            try hash.update(bytes)
            return try hash.finish()
        } catch {
            preconditionFailure(error.message)
        }
    }
}

private final class StagedBytes: StagedImage {
    private let bytes = Mutex<[UInt8]?>([])
    private let failure: @Sendable () -> FeedError?

    init(failure: @escaping @Sendable () -> FeedError?) { self.failure = failure }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        if let failure = failure() { throw failure }
        bytes.withLock { $0?.append(contentsOf: chunk) }
    }

    func discard() { bytes.withLock { $0 = nil } }

    /// Returns the bytes; nil if they were discarded, were published before, or never arrived.
    func take() -> [UInt8]? {
        bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes?.isEmpty == false ? bytes : nil
        }
    }
}
