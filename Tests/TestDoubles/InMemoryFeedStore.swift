package import FeedCore
internal import Synchronization

/// A feed store in memory.
///
/// It records all calls and fails on demand.
package final class InMemoryFeedStore: FeedStore {
    package enum Message: Hashable, Sendable { case retrieve, delete, insert, confirm, note, summaries }

    private let cache: InMemoryCache
    private let received = Mutex<[Message]>([])
    private let failures = Mutex<[Message: FeedError]>([:])

    package init(_ cache: InMemoryCache = InMemoryCache()) { self.cache = cache }

    /// All calls so far in order; for a change, the calls inside it.
    package var messages: [Message] { received.withLock { $0 } }

    /// The error that every later call throws; with nil, the store works again.
    package func fail(_ message: Message, with failure: FeedError? = .storage(.failed, "disk on fire")) {
        failures.withLock { $0[message] = failure }
    }

    package func retrieve(_ url: ResourceURL, withKept: Bool) async throws(FeedError) -> SavedFeed? {
        try receive(.retrieve)
        return try cache.withContents { contents throws(FeedError) in contents.saved(url, withKept: withKept) }
    }

    package func keptWithoutData(of url: ResourceURL) async throws(FeedError) -> [FeedImage] {
        try cache.withContents { contents throws(FeedError) in
            (contents.kept[url.text] ?? []).filter { image in
                contents.find(image, of: url) == nil && !contents.isArchived(image, of: url)
            }
        }
    }

    package func imageIDs(of url: ResourceURL) async throws(FeedError) -> SavedImageIDs {
        try cache.withContents { contents throws(FeedError) in
            let current = contents.feeds[url.text]?.feed.images ?? []
            return SavedImageIDs((current + (contents.kept[url.text] ?? [])).map(\.id))
        }
    }

    package func countKept(
        of url: ResourceURL, excludedBy keep: Keep, now: Timestamp
    ) async throws(FeedError) -> Int {
        try cache.withContents { contents throws(FeedError) in
            guard let saved = contents.feeds[url.text], let kept = contents.kept[url.text] else { return 0 }
            return kept.count
                - keep.covered(of: kept, besides: saved.feed.images, savedAt: saved.savedAt, now: now).count
        }
    }

    package func change<Outcome: Sendable>(
        _ work: @escaping @Sendable (any FeedStoreChange) throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        try cache.withContents { contents throws(FeedError) in
            let change = Change(of: self, contents)
            let outcome = try work(change)
            contents = change.contents
            return outcome
        }
    }

    package func removed(from url: ResourceURL) async throws(FeedError) -> RemovedImages {
        try cache.withContents { contents throws(FeedError) in contents.removed[url.text] ?? RemovedImages() }
    }

    package func images(at url: ResourceURL) async throws(FeedError) -> [ImageOfFeed] {
        try cache.withContents { contents throws(FeedError) in
            contents.feeds.values.sorted { $0.url.text < $1.url.text }.flatMap { saved in
                (saved.feed.images + (contents.kept[saved.url.text] ?? []))
                    .filter { ([$0.url] + $0.alternatives).contains { $0.key == url.key } }
                    .map { ImageOfFeed($0, of: saved.url.withoutCredentials) }
            }
        }
    }

    package func feeds(withRemoved url: ResourceURL) async throws(FeedError) -> [ResourceURL] {
        try cache.withContents { contents throws(FeedError) in
            contents.removed.filter { $0.value.restoring(url) != nil }.keys.sorted().map(ResourceURL.known)
        }
    }

    package func summaries() async throws(FeedError) -> [FeedSummary] {
        try receive(.summaries)
        return try cache.withContents { contents throws(FeedError) in
            contents.feeds.values.sorted { $0.url.text < $1.url.text }.map(contents.summary)
        }
    }

    private func receive(_ message: Message) throws(FeedError) {
        received.withLock { $0.append(message) }
        if let failure = failures.withLock({ $0[message] }) { throw failure }
    }

    private final class Change: FeedStoreChange {
        private let store: InMemoryFeedStore
        private(set) var contents: InMemoryCache.Contents

        init(of store: InMemoryFeedStore, _ contents: InMemoryCache.Contents) {
            self.store = store
            self.contents = contents
        }

        func savedAt(_ url: ResourceURL) -> Timestamp? { contents.feeds[url.text]?.savedAt }

        func delete(_ url: ResourceURL) throws(FeedError) {
            try store.receive(.delete)
            contents.feeds[url.text] = nil
            contents.kept[url.text] = nil
            contents.troubles[url.text] = nil
            contents.reportedFailures.removeAll { $0.feed.key == url.key }
            contents.removed[url.text] = nil
            contents.images = contents.images.filter { $0.key.feed != url.text }
            contents.failures = contents.failures.filter { $0.key.feed != url.text }
            contents.own = contents.own.filter { $0.key.feed != url.text }
        }

        func deleteCopy(of url: ResourceURL) throws(FeedError) {
            let removed = contents.feeds[url.text]?.naming == .unnamed ? nil : contents.removed[url.text]
            try delete(url)
            contents.removed[url.text] = removed
        }

        func deleteItems(of url: ResourceURL, keepingLeft: Bool) throws(FeedError) {
            try store.receive(.delete)
            guard let saved = contents.feeds[url.text] else { return }
            contents.feeds[url.text] = saved.with(images: [])
            if !keepingLeft { contents.kept[url.text] = nil }
        }

        func insert(_ saved: SavedFeed) throws(FeedError) {
            try store.receive(.insert)
            contents.feeds[saved.url.text] = saved
            contents.troubles[saved.url.text] = nil
        }

        func confirm(_ saved: SavedFeed) throws(FeedError) {
            try store.receive(.confirm)
            guard let old = contents.feeds[saved.url.text] else { throw .notFound("\(saved.url): was never saved") }
            contents.troubles[saved.url.text] = nil
            contents.feeds[saved.url.text] = SavedFeed(
                url: saved.url, feed: old.feed, savedAt: saved.savedAt, validators: saved.validators,
                pages: saved.pages, walks: saved.walks, naming: max(old.naming, saved.naming),
                reachesPrivate: saved.reachesPrivate, movedTo: saved.movedTo,
                rules: saved.rules, keep: saved.keep, interval: saved.interval, linkedPages: saved.linkedPages)
        }

        func setWalks(_ walks: [OpenWalk], of url: ResourceURL) {
            contents.feeds[url.text] = contents.feeds[url.text]?.with(walks: walks)
        }

        func setKeep(_ keep: Keep, of url: ResourceURL) {
            contents.feeds[url.text] = contents.feeds[url.text]?.with(kept: [], keep: keep)
        }

        func keep(_ images: [FeedImage], fromArchive: Bool, of url: ResourceURL) {
            if fromArchive {
                contents.archived[url.text, default: []].formUnion(images.map { ExactText($0.id) })
            }
            // The sort is stable, so equal items keep their order.
            if contents.feeds[url.text] != nil {
                contents.kept[url.text] = (kept(url) + images).sorted { $0.newness > $1.newness }
            }
        }

        func rename(_ ids: [(old: String, new: String)], of url: ResourceURL) {
            for (key, data) in contents.own where key.feed == url.text {
                guard let id = ids.first(where: { ExactText($0.old) == key.id })?.new else { continue }
                contents.own[key] = nil
                contents.own[.init(key, id: id)] = data
            }
        }

        func awaitData(of images: [FeedImage], of url: ResourceURL) {
            for image in images {
                let known = ([image.url] + image.alternatives).first { contents.images[.init(url, $0)] != nil }
                if let known { contents.own[.init(url, image)] = .awaited(known.text) }
            }
        }

        func takeBack(to url: ResourceURL) -> [FeedImage] {
            let named = Set(contents.feeds[url.text]?.feed.images.map { Array($0.id.utf8) } ?? [])
            let all = kept(url)
            contents.kept[url.text] = all.filter { !named.contains(Array($0.id.utf8)) }
            return all.filter { named.contains(Array($0.id.utf8)) }
        }

        func letGo(from url: ResourceURL, by keep: Keep, now: Timestamp) {
            contents.letGo(from: url, by: keep, now: now)
        }

        func countKept(of url: ResourceURL) -> Int { kept(url).count }

        func removed(from url: ResourceURL) -> RemovedImages { contents.removed[url.text] ?? RemovedImages() }

        func setRemoved(_ removed: RemovedImages, from url: ResourceURL) {
            contents.setRemoved(removed, from: url)
        }

        func forgetRules(of url: ResourceURL) {
            guard let saved = contents.feeds[url.text], saved.rules != nil else { return }
            contents.feeds[url.text] = SavedFeed(
                url: saved.url, feed: saved.feed, savedAt: saved.savedAt, validators: saved.validators,
                pages: saved.pages, naming: saved.naming, reachesPrivate: saved.reachesPrivate,
                movedTo: saved.movedTo, rules: "", keep: saved.keep, interval: saved.interval)
        }

        private func kept(_ url: ResourceURL) -> [FeedImage] { contents.kept[url.text] ?? [] }

        func note(_ trouble: FeedTrouble, of url: ResourceURL) throws(FeedError) {
            try store.receive(.note)
            if contents.feeds[url.text] != nil { contents.troubles[url.text] = trouble }
        }
    }
}

extension InMemoryCache.Contents {
    mutating func letGo(from url: ResourceURL, by keep: Keep, now: Timestamp) {
        guard let saved = feeds[url.text] else { return }
        kept[url.text] = keep.covered(
            of: kept[url.text] ?? [], besides: saved.feed.images, savedAt: saved.savedAt, now: now)
    }
}

extension Keep {
    /// Returns the kept images that the rule covers.
    ///
    /// `current` are the images that the feed contains, which stay in any case.
    fileprivate func covered(
        of kept: [FeedImage], besides current: [FeedImage], savedAt: Timestamp, now: Timestamp
    ) -> [FeedImage] {
        switch limit {
        case .none: return []
        case .forever: return kept
        case .age(let age):
            return kept.filter { image in image.lastSeen.map { now - $0 < age } != false }
        case .count(let count):
            // Sorting keeps the order of equals.
            let places = (current + kept).map { $0.published ?? $0.lastSeen ?? savedAt }.enumerated()
                .sorted { $0.element > $1.element }.prefix(count).map(\.offset)
            let newest = Set(places)
            return kept.indices.filter { newest.contains(current.count + $0) }.map { kept[$0] }
        }
    }
}
