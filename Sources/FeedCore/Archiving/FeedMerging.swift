/// A feed that comes from elsewhere, with data of its images.
package protocol ArchivedFeed {
    var head: FeedHead { get }
    /// Visits the images in order, each with its data if that came along.
    func forEachImage(_ visit: (FeedImage, OfferedImage?) throws(FeedError) -> Void) throws(FeedError)
}

/// Use case: merge feeds from elsewhere into a cache. A feed that is there gives way only to one saved later, and image
/// data that is there stays; of every image that a feed names afterwards the data is taken.
package struct FeedMerging: Sendable {
    private let isForced: Bool
    private let now: Timestamp

    /// `isForced`: feeds that are there give way to any.
    package init(isForced: Bool, now: Timestamp) {
        self.isForced = isForced
        self.now = now
    }

    package func merge(_ feeds: [any ArchivedFeed], into cache: any CacheMerge) throws(FeedError) -> ImportReport {
        var report = ImportReport()
        var kept: [any ArchivedFeed] = []
        // Of two that have data of one image, the one saved later.
        let ordered = feeds.sorted { isLater($0.head.savedAt, than: $1.head.savedAt) }
        for feed in ordered {
            let saved = try cache.saved(feed.head.url)
            let outcome = outcome(feed.head, over: saved?.at)
            report.feeds.append(ImportReport.ImportedFeed(url: feed.head.url, outcome: outcome))
            let keep = (saved?.keep ?? feed.head.keep).flatMap { $0.isNone ? nil : $0 }
            // Before it is replaced.
            let old = keep == nil ? nil : try cache.retrieve(feed.head.url)
            var given: [FeedImage] = []
            if outcome == .kept {
                kept.append(feed)
                if keep != nil { try feed.forEachImage { image, _ throws(FeedError) in given.append(image) } }
            } else {
                try cache.begin(feed.head)
                try feed.forEachImage { image, offered throws(FeedError) in
                    if Task.isCancelled { throw .cancelled }
                    if keep != nil { given.append(image) }
                    if image.lastSeen == nil { try cache.append(image) }
                    if let offered, keep != nil || image.lastSeen == nil, try cache.offer(offered) {
                        report.images += 1
                    }
                }
            }
            guard let keep else { continue }
            let union = KeptUnion(old, given, of: feed.head, oldIsLater: outcome == .kept)
            try cache.setKept(union.images, of: feed.head.url, by: keep)
        }
        // The feeds are by now what they will be.
        for feed in kept {
            try feed.forEachImage { image, offered throws(FeedError) in
                if Task.isCancelled { throw .cancelled }
                if let offered, try cache.isNamed(image.url), try cache.offer(offered) { report.images += 1 }
            }
        }
        return report
    }

    private func outcome(_ feed: FeedHead, over savedAt: Timestamp?) -> ImportReport.Outcome {
        guard let savedAt else { return .added }
        return isForced || isLater(feed.savedAt, than: savedAt) ? .replaced : .kept
    }

    /// A moment that can't be true, of a clock that was ahead, comes before any that can: else a feed of that machine would
    /// stand for the latest for good, and is none that counts as fresh.
    private func isLater(_ one: Timestamp, than other: Timestamp) -> Bool {
        let (canBe, canOtherBe) = (one.age(at: now) != nil, other.age(at: now) != nil)
        return canBe == canOtherBe ? one > other : canBe
    }
}

/// What is kept of a feed of which there were two versions: all that either has and the later doesn't name.
private struct KeptUnion {
    /// Newest first.
    let images: [FeedImage]

    /// `given` are all images of the version that comes from elsewhere.
    init(_ old: SavedFeed?, _ given: [FeedImage], of head: FeedHead, oldIsLater: Bool) {
        let current = given.filter { $0.lastSeen == nil }
        let (later, earlier) = oldIsLater ? (old?.feed.images ?? [], current) : (current, old?.feed.images ?? [])
        let moment = oldIsLater ? head.savedAt : old?.savedAt ?? head.savedAt
        let named = Set(later.map { ExactText($0.id) })
        var places: [ExactText: Int] = [:]
        var union: [FeedImage] = []
        let all = earlier.map { $0.leaving(moment) } + given.filter { $0.lastSeen != nil } + (old?.kept ?? [])
        for image in all where !named.contains(ExactText(image.id)) {
            let place = places.number(of: ExactText(image.id))
            if place == union.count {
                union.append(image)
            } else if let other = union[place].lastSeen, let lastSeen = image.lastSeen, other < lastSeen {
                union[place] = image
            }
        }
        // Sorting keeps the order of equals.
        images = union.sorted { $0.newness > $1.newness }
    }
}
