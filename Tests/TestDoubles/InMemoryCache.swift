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
        var failures: [DataKey: RememberedFailure] = [:]
        var data: [Digest: [UInt8]] = [:]
        /// The data that archives brought.
        var brought: Set<Digest> = []
        /// The images of each feed whose data thin archives left out.
        var leftOut: [String: [LeftOutImage]] = [:]

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

        /// Returns the keys of all data that a saved feed references and may see.
        var referenced: Set<DataKey> {
            var keys: Set<DataKey> = []
            for saved in feeds.values {
                let viewer = Viewer(saved.url)
                for image in saved.feed.images + (kept[saved.url.text] ?? []) {
                    for url in [image.url] + image.alternatives {
                        for place in places(viewer) { keys.insert(DataKey(url: url.text, place: place)) }
                    }
                }
            }
            return keys
        }

        /// Returns the circles of the data that a viewer sees, its own circle first.
        func places(_ viewer: Viewer) -> [DataKey.Place] {
            let saved = feeds[viewer.feed.text]
            let sees = viewer.seesOwnNetwork ?? saved?.seesOwnNetwork ?? false
            return (saved == nil ? [] : [.feed(viewer.feed.text)]) + (sees ? [.ownNetwork] : []) + [.everybody]
        }

        /// Returns the key of a URL's data that a viewer sees.
        func key(of url: ResourceURL, for viewer: Viewer) -> DataKey? {
            places(viewer).map { DataKey(url: url.text, place: $0) }.first { images[$0] != nil }
        }

        func find(_ image: FeedImage, for viewer: Viewer) -> StoredImage? {
            for url in [image.url] + image.alternatives {
                guard let key = key(of: url, for: viewer), let stored = images[key] else { continue }
                let isOfOneFeed = if case .feed = key.place { true } else { false }
                return StoredImage(
                    digest: stored.digest, size: stored.size, type: stored.type, validators: stored.validators,
                    fetchedAt: stored.fetchedAt, directory: stored.directory,
                    from: url.key == image.url.key ? nil : url, isOfOneFeed: isOfOneFeed)
            }
            return nil
        }

        func place(of recipient: Recipient) -> DataKey.Place {
            switch recipient.circle {
            case .everybody: .everybody
            case .ownNetwork: .ownNetwork
            case .oneFeed: recipient.feed.flatMap { feeds[$0.text] == nil ? nil : .feed($0.text) } ?? .nobody
            }
        }

        /// Deletes the data that a recipient saw in narrower circles than that of its new data.
        mutating func deleteNarrower(than place: DataKey.Place, _ url: ResourceURL, _ recipient: Recipient) {
            guard let feed = recipient.feed else { return }
            for narrower in places(Viewer(feed)).prefix(while: { $0 != place }) {
                images[DataKey(url: url.text, place: narrower)] = nil
            }
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
                kept: kept[saved.url.text]?.count ?? 0, isNamed: saved.isNamed, movedTo: saved.movedTo,
                trouble: troubles[saved.url.text])
        }
    }

    /// The key of image data and failures.
    struct DataKey: Hashable {
        enum Place: Hashable {
            case everybody, ownNetwork
            case feed(String)
            case nobody
        }

        let url: String
        let place: Place
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
