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
            contents.feeds.values.sorted { $0.url.text < $1.url.text }.map { saved in
                var head = saved.head
                let taken = contents.heads[saved.url.text]
                head.naming = saved.naming
                (head.home, head.settings, head.gaps) = (taken?.home, taken?.settings, taken?.gaps)
                head.nextPage = saved.walks.first?.page.url
                return head
            }
        }

        func removed(from feed: ResourceURL) -> RemovedImages { contents.removed[feed.text] ?? RemovedImages() }

        func forEachImage(
            of feed: ResourceURL, at positions: ClosedRange<Int64>,
            _ visit: (SnapshotImage) throws(FeedError) -> Void
        ) throws(FeedError) {
            guard let saved = contents.saved(feed, withKept: true) else { return }
            let images = saved.feed.images + saved.kept
            for (position, image) in images.enumerated() where positions.contains(Int64(position)) {
                var stored = contents.find(image, of: feed)
                if stored?.standing == .awaited { stored = nil }
                try visit(SnapshotImage(position: Int64(position), image: image, stored: stored))
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

        func find(_ feed: ResourceURL) -> KnownFeed? {
            contents.feeds[feed.text].map { KnownFeed(savedAt: $0.savedAt, keep: $0.keep) }
        }

        func retrieve(_ feed: ResourceURL) -> SavedFeed? { contents.saved(feed, withKept: true) }

        func removed(from feed: ResourceURL) -> RemovedImages { contents.removed[feed.text] ?? RemovedImages() }

        func setRemoved(_ removed: RemovedImages, from feed: ResourceURL) {
            contents.setRemoved(removed, from: feed)
        }

        func setKept(_ images: [FeedImage], neverRequested: Bool, of feed: ResourceURL) {
            let current = Set(contents.feeds[feed.text]?.feed.images.map { ExactText($0.id) } ?? [])
            if neverRequested { contents.archived[feed.text, default: []].formUnion(images.map { ExactText($0.id) }) }
            contents.kept[feed.text] = images.filter { !current.contains(ExactText($0.id)) }
        }

        func describe(_ feed: FeedHead, isLater: Bool) {
            guard let saved = contents.feeds[feed.url.text] else { return }
            contents.heads[feed.url.text] = feed
            let walks = feed.nextPage.map { [OpenWalk(resumingAt: $0, after: feed.savedAt)] } ?? []
            contents.feeds[feed.url.text] = SavedFeed(
                url: saved.url, feed: saved.feed, savedAt: saved.savedAt, validators: saved.validators,
                walks: saved.walks.isEmpty ? walks : saved.walks, naming: max(saved.naming, feed.naming),
                reachesPrivate: saved.reachesPrivate, rules: saved.rules ?? "",
                keep: isLater ? feed.keep ?? saved.keep : saved.keep)
        }

        func begin(_ feed: FeedHead) {
            let old = contents.feeds[feed.url.text]
            self.feed = old?.url ?? feed.url
            contents.feeds[feed.url.text] = SavedFeed(
                url: self.feed ?? feed.url,
                feed: Feed(format: feed.format, title: feed.title, language: feed.language, images: []),
                savedAt: feed.savedAt, walks: old?.walks ?? [], naming: old?.naming ?? feed.naming, keep: old?.keep)
        }

        func append(_ image: FeedImage) throws(FeedError) {
            guard let feed, let saved = contents.feeds[feed.text] else { throw .storage(.failed, "no feed was begun") }
            contents.feeds[feed.text] = saved.with(images: saved.feed.images + [image])
        }

        func data(at url: ResourceURL, of feed: ResourceURL) -> StoredImage? { contents.images[.init(feed, url)] }

        func data(
            of image: FeedImage, in feed: ResourceURL, before replaced: [ResourceURL.Key: StoredImage?]
        ) -> StoredImage? {
            var earlier = contents
            for url in [image.url] + image.alternatives {
                if let stored = replaced[url.key] { earlier.images[.init(feed, url)] = stored }
            }
            return earlier.find(image, of: feed)
        }

        func isIntact(_ stored: StoredImage) -> Bool { contents.isWhole(stored.digest) }

        func insert(_ data: OfferedImage, of feed: ResourceURL, isImported: Bool) throws(FeedError) {
            let key = InMemoryCache.DataKey(feed, data.url)
            contents.images[key] = Self.stored(data)
            if isImported { contents.images[key]?.standing = .imported }
            contents.failures[key] = nil
            try add(data)
        }

        func setOwn(_ data: OwnImageData, of image: FeedImage, in feed: ResourceURL) throws(FeedError) {
            let key = InMemoryCache.ItemKey(feed, image)
            switch data {
            case .none: contents.own[key] = nil
            case .obtained(let data):
                var stored = Self.stored(data)
                stored.from = data.url.key == image.url.key ? nil : data.url
                contents.own[key] = .obtained(stored)
                try add(data)
            case .lost: contents.own[key] = .lost
            case .awaited(let url): contents.own[key] = .awaited(url.text)
            }
        }

        private static func stored(_ data: OfferedImage) -> StoredImage {
            StoredImage(
                digest: data.digest, size: data.size, type: data.type, validators: data.validators,
                fetchedAt: data.fetchedAt, directory: "images/sha256")
        }

        private func add(_ data: OfferedImage) throws(FeedError) {
            if contents.isWhole(data.digest) { return }
            guard let bytes = offered[data.digest] else {
                throw .storage(.failed, "\(data.digest.hex): was not brought in as an image")
            }
            contents.data[data.digest] = bytes
        }

        func data(of digest: Digest) -> (size: Int64, type: ImageType)? {
            guard contents.isWhole(digest) else { return nil }
            let own = contents.own.values.lazy.compactMap { if case .obtained(let stored) = $0 { stored } else { nil } }
            let all = contents.images.values.first { $0.digest == digest } ?? own.first { $0.digest == digest }
            return all.map { ($0.size, $0.type) }
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
