package import FeedCore
internal import Synchronization

extension SavedFeed {
    /// The same with other images kept.
    package func with(kept: [FeedImage], count: Int? = nil, keep: Keep? = nil) -> SavedFeed {
        SavedFeed(
            url: url, feed: feed, savedAt: savedAt, validators: validators, pages: pages, isNamed: isNamed,
            movedTo: movedTo, rules: rules, keep: keep ?? self.keep, keptCount: count ?? kept.count, kept: kept)
    }
}

/// What the in-memory stores of one cache share. Two stores on one of these are two instances on the same data.
package final class InMemoryCache: Sendable {
    struct Contents {
        var feeds: [String: SavedFeed] = [:]
        /// What is kept of each feed, newest first.
        var kept: [String: [FeedImage]] = [:]
        var troubles: [String: FeedTrouble] = [:]
        var images: [String: StoredImage] = [:]
        var failures: [String: RememberedFailure] = [:]
        var data: [Digest: [UInt8]] = [:]

        func isWhole(_ digest: Digest) -> Bool { data[digest].map(InMemoryImageStore.digest) == digest }

        var namedURLs: Set<String> {
            Set(feeds.values.flatMap { ($0.feed.images + (kept[$0.url.text] ?? [])).map(\.url.text) })
        }

        func saved(_ url: ResourceURL, withKept: Bool) -> SavedFeed? {
            let kept = kept[url.text] ?? []
            return feeds[url.text].map { $0.with(kept: withKept ? kept : [], count: kept.count) }
        }

        func summary(_ saved: SavedFeed) -> FeedSummary {
            FeedSummary(
                url: saved.url, title: saved.feed.title, format: saved.feed.format, savedAt: saved.savedAt,
                images: saved.feed.images.count + (kept[saved.url.text]?.count ?? 0), isNamed: saved.isNamed,
                movedTo: saved.movedTo, keep: saved.keep, trouble: troubles[saved.url.text])
        }
    }

    private let contents = Mutex(Contents())

    package init() {}

    /// Puts other bytes in place of some that are there, under their name.
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
