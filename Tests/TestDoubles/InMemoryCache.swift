package import FeedCore
internal import Synchronization

extension SavedFeed {
    /// Returns the same feed with other current images.
    package func with(images: [FeedImage]) -> SavedFeed {
        var saved = self
        saved.feed = feed.with(images)
        return saved
    }

    /// Returns the same feed with other kept images.
    package func with(
        kept: [FeedImage], count: Int? = nil, keep: Keep? = nil, trouble: FeedTrouble? = nil
    ) -> SavedFeed {
        var saved = self
        saved.kept = kept
        saved.keptCount = count ?? kept.count
        saved.keep = keep ?? self.keep
        saved.trouble = trouble
        return saved
    }

    /// Returns the same feed with other open walks.
    func with(walks: [OpenWalk]) -> SavedFeed {
        var saved = self
        saved.walks = walks
        return saved
    }
}

/// The data that the in-memory stores of one cache share.
///
/// Two stores on one such cache are two instances on the same data.
package final class InMemoryCache: Sendable {
    struct Contents {
        var feeds: [String: SavedFeed] = [:]
        /// The kept images of each feed, newest first.
        var kept: [String: [FeedImage]] = [:]
        var troubles: [String: FeedTrouble] = [:]
        var reportedFailures: [ReportedFailure] = []
        /// The ids of items that had left a feed in an archive.
        var archived: [String: Set<ExactText>] = [:]
        /// The images that the user removed from each feed.
        var removed: [String: RemovedImages] = [:]
        var images: [DataKey: StoredImage] = [:]
        /// The data of items whose URL has other data now, and the URL whose next data an item awaits.
        var own: [ItemKey: OwnData] = [:]
        var failures: [DataKey: RememberedFailure] = [:]
        var data: [Digest: [UInt8]] = [:]
        /// What `import --restore` has taken over of each feed.
        var heads: [String: FeedHead] = [:]

        func isArchived(_ image: FeedImage, of feed: ResourceURL) -> Bool {
            archived[feed.text]?.contains(ExactText(image.id)) == true
        }

        mutating func setRemoved(_ images: RemovedImages, from feed: ResourceURL) {
            removed[feed.text] = images
            deleteImages(of: feed, coveredBy: images)
        }

        mutating func deleteImages(of feed: ResourceURL, coveredBy removed: RemovedImages) {
            if let saved = feeds[feed.text] {
                feeds[feed.text] = saved.with(images: saved.feed.images.filter { !removed.covers($0) })
            }
            kept[feed.text]?.removeAll { removed.covers($0) }
        }

        func isWhole(_ digest: Digest) -> Bool { data[digest].map(InMemoryImageStore.digest) == digest }

        /// Returns the keys of all data that a saved feed references.
        var referenced: Set<DataKey> {
            var keys: Set<DataKey> = []
            for saved in feeds.values {
                for image in items(of: saved.url) {
                    if case .obtained = own[ItemKey(saved.url, image)] { continue }
                    for url in [image.url] + image.alternatives { keys.insert(DataKey(saved.url, url)) }
                }
            }
            return keys
        }

        /// The digests of all data.
        var digests: Set<Digest> {
            let others = own.values.compactMap { if case .obtained(let stored) = $0 { stored.digest } else { nil } }
            return Set(images.values.map(\.digest) + others)
        }

        func items(of feed: ResourceURL) -> [FeedImage] {
            (feeds[feed.text]?.feed.images ?? []) + (kept[feed.text] ?? [])
        }

        func find(_ image: FeedImage, of feed: ResourceURL) -> StoredImage? {
            let own = own[ItemKey(feed, image)]
            if case .obtained(let stored) = own { return stored }
            if case .lost = own, image.lastSeen != nil { return nil }
            for url in [image.url] + image.alternatives {
                guard var stored = images[DataKey(feed, url)] else { continue }
                stored.from = url.key == image.url.key ? nil : url
                if case .awaited = own { stored.standing = .awaited }
                return stored
            }
            return nil
        }

        /// Makes data that of a URL.
        ///
        /// Kept images keep other bytes that they had, and so do all earlier ones if an image awaits the data.
        mutating func insert(_ stored: StoredImage, at key: DataKey) {
            var stored = stored
            if let old = images[key] {
                if old.digest == stored.digest {
                    stored = stored.fetched(at: min(old.fetchedAt, stored.fetchedAt))
                } else {
                    keep(old, at: key)
                }
            }
            images[key] = stored
            settle(key)
        }

        private mutating func keep(_ old: StoredImage, at key: DataKey) {
            let isAwaited = own.contains { $0.key.feed == key.feed && $0.value == .awaited(key.url) }
            for image in items(of: .known(key.feed)) where image.lastSeen != nil || isAwaited {
                let item = ItemKey(.known(key.feed), image)
                let source = ([image.url] + image.alternatives).first { images[DataKey(.known(key.feed), $0)] != nil }
                guard own[item] == nil, let source, source.text == key.url else { continue }
                var stored = old
                stored.from = source.key == image.url.key ? nil : source
                own[item] = .obtained(stored)
            }
        }

        mutating func settle(_ key: DataKey) {
            own = own.filter { $0.key.feed != key.feed || $0.value != .awaited(key.url) }
        }

        func saved(_ url: ResourceURL, withKept: Bool) -> SavedFeed? {
            let kept = kept[url.text] ?? []
            return feeds[url.text].map {
                $0.with(kept: withKept ? kept : [], count: kept.count, trouble: troubles[url.text])
            }
        }

        func summary(_ saved: SavedFeed) -> FeedSummary {
            FeedSummary(
                saved.head, images: saved.feed.images.count + (kept[saved.url.text]?.count ?? 0),
                kept: kept[saved.url.text]?.count ?? 0, naming: saved.naming, movedTo: saved.movedTo,
                trouble: troubles[saved.url.text])
        }
    }

    /// The key of image data and failures.
    struct DataKey: Hashable {
        let feed: String
        let url: String

        init(_ feed: ResourceURL, _ url: ResourceURL) { (self.feed, self.url) = (feed.text, url.text) }
    }

    /// The key of an item with one of its images.
    struct ItemKey: Hashable {
        let feed: String
        let id: ExactText
        let url: String

        init(_ feed: ResourceURL, _ image: FeedImage) {
            (self.feed, id, url) = (feed.text, ExactText(image.id), image.url.text)
        }

        init(_ other: ItemKey, id: String) { (feed, self.id, url) = (other.feed, ExactText(id), other.url) }
    }

    enum OwnData: Hashable {
        case obtained(StoredImage)
        case lost
        case awaited(String)
    }

    private let contents = Mutex(Contents())

    package init() {}

    /// Replaces the bytes of a file under the same name.
    package func swapData(_ bytes: [UInt8], _ other: [UInt8]) throws(FeedError) {
        try withContents { contents throws(FeedError) in
            contents.data[InMemoryImageStore.digest(of: bytes)] = other
        }
    }

    func withContents<Outcome: Sendable>(
        _ work: (inout Contents) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try contents.withLock { contents throws(FeedError) in try work(&contents) }
    }
}

extension StoredImage {
    /// Returns the same data as obtained at another moment.
    func fetched(at moment: Timestamp) -> StoredImage {
        var copy = StoredImage(
            digest: digest, size: size, type: type, validators: validators, fetchedAt: moment, directory: directory,
            from: from)
        copy.standing = standing
        return copy
    }
}
