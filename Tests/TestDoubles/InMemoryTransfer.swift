package import FeedCore
internal import Synchronization

/// The import and export of a cache in memory.
package struct InMemoryTransfer: CacheTransfer {

    private let cache: InMemoryCache

    package init(_ cache: InMemoryCache = InMemoryCache()) { self.cache = cache }

    package func read<Outcome: Sendable>(
        lockWait: Duration, _ work: @escaping @Sendable (any CacheSnapshot) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        try work(try snapshot())
    }

    /// Performs the same for a caller that can't wait.
    package func snapshot() throws(FeedError) -> any CacheSnapshot {
        Snapshot(contents: try cache.withContents { contents throws(FeedError) in contents })
    }

    package func takeIn<Outcome: Sendable>(
        _ work: @escaping @Sendable (any CacheIntake) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        try work(InMemoryIntake(cache))
    }

    private struct Snapshot: CacheSnapshot {
        let contents: InMemoryCache.Contents

        func feeds() -> [FeedHead] {
            contents.feeds.values.sorted { $0.url.text < $1.url.text }.map(\.head)
        }

        func removed(from feed: ResourceURL) -> RemovedImages { contents.removed[feed.text] ?? RemovedImages() }

        func forEachImage(
            of feed: ResourceURL, at positions: ClosedRange<Int64>,
            _ visit: (SnapshotImage) throws(FeedError) -> Void
        ) throws(FeedError) {
            guard let saved = contents.saved(feed, withKept: true) else { return }
            let images = saved.feed.images + saved.kept
            for (position, image) in images.enumerated() where positions.contains(Int64(position)) {
                try visit(
                    SnapshotImage(
                        position: Int64(position), image: image, stored: contents.find(image, for: Viewer(feed))))
            }
        }

        var bytes: any ImageBytes { Bytes(data: contents.data) }
    }

    private struct Bytes: ImageBytes {
        let data: [Digest: [UInt8]]

        func read(
            _ digest: Digest, size: Int64, from offset: Int64, into buffer: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard let bytes = data[digest], Int64(bytes.count) == size else { return false }
            let wanted = bytes.dropFirst(Int(offset)).prefix(buffer.count)
            buffer.copyBytes(from: wanted)
            return wanted.count == buffer.count
        }
    }
}

/// The imported bytes, which are outside of the cache until they are merged.
package final class InMemoryIntake: CacheIntake {
    private let cache: InMemoryCache
    private let incoming = IncomingBlobs()

    package init(_ cache: InMemoryCache = InMemoryCache()) { self.cache = cache }

    package var blobs: any BlobIntake { incoming }

    private final class IncomingBlobs: BlobIntake {
        private let bytes = Mutex<[Digest: [UInt8]]>([:])

        var all: [Digest: [UInt8]] { bytes.withLock { $0 } }

        func add(
            _ part: UnsafeRawBufferPointer, to blob: Digest, from offset: Int64, isEnd: Bool
        ) throws(FeedError) {
            let part = Array(part)
            let follows = bytes.withLock { bytes in
                guard Int64(bytes[blob]?.count ?? 0) == offset, offset > 0 || bytes[blob] == nil else { return false }
                bytes[blob, default: []] += part
                return true
            }
            guard follows else { throw .storage(.failed, "\(blob.hex): is there already, or not so far") }
        }
    }

    package func bytes(of digest: Digest) throws(FeedError) -> [UInt8] {
        guard let bytes = incoming.all[digest] else { throw .storage(.failed, "\(digest.hex): is not there") }
        return bytes
    }

    package func merge<Outcome: Sendable>(
        _ work: (any CacheMerge) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        let data = incoming.all
        return try cache.withContents { contents throws(FeedError) in
            let merge = Merge(contents, data)
            let outcome = try work(merge)
            contents = merge.contents
            return outcome
        }
    }

    private final class Merge: CacheMerge {
        var contents: InMemoryCache.Contents
        private let offered: [Digest: [UInt8]]
        private var feed: ResourceURL?

        init(_ contents: InMemoryCache.Contents, _ offered: [Digest: [UInt8]]) {
            self.contents = contents
            self.offered = offered
        }

        func saved(_ feed: ResourceURL) -> (at: Timestamp, keep: Keep?, keptCount: Int)? {
            contents.feeds[feed.text].map { ($0.savedAt, $0.keep, contents.kept[feed.text]?.count ?? 0) }
        }

        func retrieve(_ feed: ResourceURL) -> SavedFeed? { contents.saved(feed, withKept: true) }

        func removed(from feed: ResourceURL) -> RemovedImages { contents.removed[feed.text] ?? RemovedImages() }

        func setRemoved(_ removed: RemovedImages, from feed: ResourceURL) {
            contents.setRemoved(removed, from: feed)
        }

        func setKept(_ images: [FeedImage], archived: Set<ExactText>, of feed: ResourceURL) {
            let current = Set(contents.feeds[feed.text]?.feed.images.map { ExactText($0.id) } ?? [])
            contents.archived[feed.text, default: []].formUnion(archived)
            contents.kept[feed.text] = images.filter { !current.contains(ExactText($0.id)) }
        }

        func name(_ feed: ResourceURL, keep: Keep?) {
            guard let saved = contents.feeds[feed.text] else { return }
            contents.feeds[feed.text] = SavedFeed(
                url: saved.url, feed: saved.feed, savedAt: saved.savedAt, validators: saved.validators,
                isNamed: true, seesOwnNetwork: saved.seesOwnNetwork, rules: saved.rules ?? "", keep: keep)
        }

        func begin(_ feed: FeedHead) {
            let old = contents.feeds[feed.url.text]
            self.feed = old?.url ?? feed.url
            contents.feeds[feed.url.text] = SavedFeed(
                url: self.feed ?? feed.url,
                feed: Feed(format: feed.format, title: feed.title, language: feed.language, images: []),
                savedAt: feed.savedAt, isNamed: old?.isNamed ?? false, keep: old?.keep)
        }

        func append(_ image: FeedImage) throws(FeedError) {
            guard let feed, let saved = contents.feeds[feed.text] else { throw .storage(.failed, "no feed was begun") }
            contents.feeds[feed.text] = SavedFeed(
                url: saved.url, feed: saved.feed.with(saved.feed.images + [image]),
                savedAt: saved.savedAt, isNamed: saved.isNamed, rules: saved.rules, keep: saved.keep)
        }

        func offer(_ image: OfferedImage, for feed: ResourceURL) throws(FeedError) -> Bool {
            if let key = contents.key(of: image.url, for: Viewer(feed)), let old = contents.images[key],
                contents.isWhole(old.digest)
            {
                if old.digest == image.digest { contents.brought.insert(image.digest) }
                return false
            }
            guard let bytes = offered[image.digest] else {
                throw .storage(.failed, "\(image.digest.hex): was not brought in as an image")
            }
            contents.data[image.digest] = bytes
            insert(image, for: feed)
            return true
        }

        private func insert(_ image: OfferedImage, for feed: ResourceURL) {
            let key = InMemoryCache.DataKey(url: image.url.text, place: .feed(feed.text))
            contents.images[key] = StoredImage(
                digest: image.digest, size: image.size, type: image.type, validators: image.validators,
                fetchedAt: image.fetchedAt, directory: "images/sha256")
            contents.failures[key] = nil
            contents.brought.insert(image.digest)
        }

        func expect(leftOut digests: Set<Digest>) {}

        func adopt(_ image: LeftOutImage, for feed: ResourceURL) -> Adoption {
            guard contents.key(of: image.url, for: Viewer(feed)) == nil else { return .known }
            let places = contents.places(Viewer(feed))
            let found = contents.images.first { key, stored in
                stored.digest == image.digest && contents.isWhole(image.digest)
                    && (places.contains(key.place) || contents.brought.contains(image.digest))
            }
            guard let stored = found?.value else {
                contents.leftOut[feed.text, default: []].append(image)
                return .missing
            }
            insert(image.found(size: stored.size, type: stored.type), for: feed)
            return .taken
        }

        func complete(
            with held: (Digest, ResourceURL) throws(FeedError) -> (size: Int64, type: ImageType)?,
            _ taken: (ResourceURL) -> Void
        ) throws(FeedError) {
            for saved in contents.feeds.values {
                let images = saved.feed.images + (contents.kept[saved.url.text] ?? [])
                let referenced = Set(images.flatMap { [$0.url.key] + $0.alternatives.map(\.key) })
                for image in contents.leftOut[saved.url.text] ?? [] where referenced.contains(image.url.key) {
                    guard let data = try held(image.digest, saved.url) else { continue }
                    if try offer(image.found(size: data.size, type: data.type), for: saved.url) { taken(image.url) }
                }
            }
        }

        func hasData(_ image: FeedImage, of feed: ResourceURL) -> Bool {
            contents.find(image, for: Viewer(feed)) != nil
        }
    }
}

extension BlobIntake {
    /// Adds a whole blob.
    package func add(_ bytes: [UInt8], as digest: Digest, inPiecesOf most: Int = .max) throws(FeedError) {
        var start = 0
        repeat {
            let end = start + min(most, bytes.count - start)
            try bytes[start..<end].withUnsafeBufferPointer { piece throws(FeedError) in
                try add(UnsafeRawBufferPointer(piece), to: digest, from: Int64(start), isEnd: end == bytes.count)
            }
            start = end
        } while start < bytes.count
    }
}
