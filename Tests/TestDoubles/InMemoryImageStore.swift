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

    package func find(_ images: [FeedImage], for viewer: Viewer) async throws(FeedError) -> [StoredImage?] {
        try receive(.find)
        return try cache.withContents { contents throws(FeedError) in
            images.map { contents.find($0, for: viewer) }
        }
    }

    package func findRecords(
        of images: [FeedImage], for viewer: Viewer
    ) async throws(FeedError) -> [StoredImage?] {
        // This store loses no files.
        try cache.withContents { contents throws(FeedError) in
            images.map { contents.find($0, for: viewer) }
        }
    }

    package func find(_ url: ResourceURL) async throws(FeedError) -> StoredImage? {
        try receive(.find)
        return try cache.withContents { contents throws(FeedError) in
            let found = contents.images.filter { $0.key.url == url.text }.map(\.value)
            if let last = found.max(by: { $0.fetchedAt < $1.fetchedAt }) { return last }
            for saved in contents.feeds.values {
                let images = saved.feed.images + (contents.kept[saved.url.text] ?? [])
                for image in images where image.url.key == url.key {
                    if let found = contents.find(image, for: Viewer(saved.url)) { return found }
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
                for recipient in image.recipients {
                    let place = contents.place(of: recipient)
                    Self.insert(stored, at: .init(url: image.url.text, place: place), in: &contents)
                    contents.deleteNarrower(than: place, image.url, recipient)
                    Self.forgetFailures(of: image.url, recipient, in: &contents)
                }
                return .success(stored)
            }
        }
    }

    /// The time when the same bytes were first obtained stays.
    private static func insert(
        _ stored: StoredImage, at key: InMemoryCache.DataKey, in contents: inout InMemoryCache.Contents
    ) {
        let old = contents.images[key]
        let first = old?.digest == stored.digest ? min(old?.fetchedAt ?? stored.fetchedAt, stored.fetchedAt) : nil
        contents.images[key] = StoredImage(
            digest: stored.digest, size: stored.size, type: stored.type, validators: stored.validators,
            fetchedAt: first ?? stored.fetchedAt, directory: stored.directory)
    }

    private static func forgetFailures(
        of url: ResourceURL, _ recipient: Recipient, in contents: inout InMemoryCache.Contents
    ) {
        contents.failures[.init(url: url.text, place: contents.place(of: recipient))] = nil
        if let feed = recipient.feed { contents.failures[.init(url: url.text, place: .feed(feed.text))] = nil }
    }

    package func confirm(_ images: [ConfirmedImage]) async throws(FeedError) {
        try receive(.confirm)
        try cache.withContents { contents throws(FeedError) in
            for image in images {
                for recipient in image.recipients {
                    Self.forgetFailures(of: image.url, recipient, in: &contents)
                    Self.confirm(image, recipient, in: &contents)
                }
            }
        }
    }

    private static func confirm(
        _ image: ConfirmedImage, _ recipient: Recipient, in contents: inout InMemoryCache.Contents
    ) {
        let places = recipient.feed.map { contents.places(Viewer($0)) } ?? [.everybody]
        let known = places.map { InMemoryCache.DataKey(url: (image.predecessor ?? image.url).text, place: $0) }
            .first { contents.images[$0] != nil }
        guard let known, let old = contents.images[known] else { return }
        var place = known.place
        if image.predecessor != nil {
            let own = Recipient(image: recipient.image, feed: recipient.feed, circle: .oneFeed)
            place = contents.place(of: own)
        } else if let widest = places.lastIndex(of: contents.place(of: recipient)),
            widest < places.firstIndex(of: known.place) ?? 0
        {
            return
        }
        contents.images[.init(url: image.url.text, place: place)] =
            StoredImage(
                digest: old.digest, size: old.size, type: old.type, validators: image.validators,
                fetchedAt: old.fetchedAt, directory: old.directory)
    }

    package func failures(
        of urls: [ResourceURL], for viewer: Viewer, onlyOwn: Bool
    ) async throws(FeedError) -> [RememberedFailure?] {
        try receive(.failures)
        return try cache.withContents { contents throws(FeedError) in
            let own = InMemoryCache.DataKey.Place.feed(viewer.feed.text)
            let places = contents.places(viewer).filter { !onlyOwn || $0 == own }
            return urls.map { url in
                places.compactMap { contents.failures[.init(url: url.text, place: $0)] }
                    .max { $0.failedAt < $1.failedAt }
            }
        }
    }

    package func remember(_ failures: [ImageFailure]) async throws(FeedError) {
        try receive(.remember)
        try cache.withContents { contents throws(FeedError) in
            for failure in failures {
                for place in Set(failure.recipients.map(contents.place)) where place != .nobody {
                    let key = InMemoryCache.DataKey(url: failure.url.text, place: place)
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
                        if let stored = contents.find(image, for: Viewer(feed)),
                            contents.data[stored.digest]?.count == Int(stored.size)
                        {
                            images.cached += 1
                            if counted.insert(stored.digest).inserted { images.bytes += stored.size }
                            continue
                        }
                        let failure = contents.places(Viewer(feed))
                            .compactMap { contents.failures[.init(url: image.url.text, place: $0)] }.first
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
                        guard let key = contents.key(of: url, for: Viewer(saved.url)),
                            let digest = contents.images[key]?.digest, contents.data[digest] != nil,
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

    /// Returns the bytes; nil if they were discarded, were published before, or never arrived.
    func take() -> [UInt8]? {
        bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes?.isEmpty == false ? bytes : nil
        }
    }
}
