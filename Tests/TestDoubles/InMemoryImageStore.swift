package import FeedCore
internal import Hashing
internal import Synchronization

/// An image store that keeps nothing on disk, records what it is asked, and fails on demand.
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

    /// Everything asked so far, in order, but for appending.
    package var messages: [Message] { received.withLock { $0 } }

    /// From now on this throws; with nil, it works again.
    package func fail(_ message: Message, with failure: FeedError? = .storage(.failed, "disk on fire")) {
        failures.withLock { $0[message] = failure }
    }

    /// Publishing goes wrong for this image alone.
    package func failPublishing(_ url: ResourceURL, with failure: FeedError? = .storage(.failed, "bad sector")) {
        publishFailures.withLock { $0[url.text] = failure }
    }

    /// The bytes rot on the disk.
    package func damage(_ url: ResourceURL) throws(FeedError) {
        try cache.withContents { contents throws(FeedError) in
            if let digest = contents.images[url.text]?.digest { contents.data[digest]?.append(0) }
        }
    }

    package func find(_ urls: [ResourceURL]) async throws(FeedError) -> [StoredImage?] {
        try receive(.find)
        return try cache.withContents { contents throws(FeedError) in urls.map { contents.images[$0.text] } }
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

    /// As if the disk were full: publishing goes wrong for this image, and there is no more to be stored.
    package func exhaust(at url: ResourceURL) {
        failPublishing(url, with: .storage(.failed, "full"))
        exhausted.withLock { $0 = .storage(.failed, "full") }
    }

    package func publish(_ images: [ReceivedImage]) async throws(FeedError) -> [FeedError?] {
        try receive(.publish)
        return try cache.withContents { contents throws(FeedError) in
            images.map { image in
                if let failure = publishFailures.withLock({ $0[image.url.text] }) { return failure }
                guard let bytes = (image.bytes as? StagedBytes)?.take() else {
                    return .storage(.failed, "the image was thrown away before")
                }
                let digest = Self.digest(of: bytes)
                contents.data[digest] = bytes
                contents.images[image.url.text] = StoredImage(
                    digest: digest, size: Int64(bytes.count), type: image.type, validators: image.validators,
                    fetchedAt: image.fetchedAt, folder: "images/sha256")
                contents.failures[image.url.text] = nil
                return nil
            }
        }
    }

    package func confirm(_ images: [ConfirmedImage]) async throws(FeedError) {
        try receive(.confirm)
        try cache.withContents { contents throws(FeedError) in
            for image in images {
                contents.failures[image.url.text] = nil
                if let predecessor = image.predecessor {
                    contents.images[image.url.text] = contents.images[predecessor.text]
                }
                guard let old = contents.images[image.url.text], old.validators != image.validators else { continue }
                contents.images[image.url.text] = StoredImage(
                    digest: old.digest, size: old.size, type: old.type, validators: image.validators,
                    fetchedAt: image.confirmedAt, folder: old.folder)
            }
        }
    }

    package func failures(of urls: [ResourceURL]) async throws(FeedError) -> [RememberedFailure?] {
        try receive(.failures)
        return try cache.withContents { contents throws(FeedError) in urls.map { contents.failures[$0.text] } }
    }

    package func remember(_ failures: [ImageFailure]) async throws(FeedError) {
        try receive(.remember)
        try cache.withContents { contents throws(FeedError) in
            for failure in failures {
                let count = (contents.failures[failure.url.text]?.count ?? 0) + 1
                contents.failures[failure.url.text] = RememberedFailure(
                    error: failure.error, failedAt: failure.failedAt, count: count)
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
                    let urls = contents.feeds[feed.text]?.feed.images.map(\.url.text) ?? []
                    var images = ImageInventory.OfFeed(cached: urls.count { there[$0] != nil })
                    for url in Set(urls) where there[url] == nil {
                        guard let failure = contents.failures[url] else { continue }
                        images.add(failedAt: failure.failedAt, count: failure.count)
                    }
                    return images
                })
        }
    }

    /// Nobody reads many images here.
    package func keepReadersOut(waiting: Bool) async throws(FeedError) -> Bool { true }

    package func removeUnreferenced(_ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try receive(.removeUnreferenced)
        return try remove(mode) { contents in
            let named = Self.named(in: contents, mode)
            contents.images = contents.images.filter { url, image in
                named.contains(url) && (mode.leavesDamagedOut || contents.data[image.digest] != nil)
            }
            contents.failures = contents.failures.filter { named.contains($0.key) }
        }
    }

    package func removeDamaged(
        _ mode: RemovalMode, progress: ProgressStream?
    ) async throws(FeedError) -> ImageRemoval {
        try receive(.removeDamaged)
        return try remove(mode) { contents in
            let named = Self.named(in: contents, mode)
            contents.images = contents.images.filter { url, image in
                !named.contains(url) || contents.data[image.digest].map(Self.digest) == image.digest
            }
        }
    }

    private static func named(in contents: InMemoryCache.Contents, _ mode: RemovalMode) -> Set<String> {
        var left = contents
        for url in mode.feedsLeftOut { left.feeds[url.text] = nil }
        return left.namedURLs
    }

    private func remove(
        _ mode: RemovalMode, _ work: (inout InMemoryCache.Contents) -> Void
    ) throws(FeedError) -> ImageRemoval {
        try cache.withContents { contents throws(FeedError) in
            var left = contents
            work(&left)
            let digests = Set(left.images.values.map(\.digest))
            let gone = Set(contents.images.values.map(\.digest)).subtracting(digests)
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

    /// Nil if there are none: thrown away, published before, or never come.
    func take() -> [UInt8]? {
        bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes?.isEmpty == false ? bytes : nil
        }
    }
}
