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
            let outcome = try outcome(feed.head, in: cache)
            report.feeds.append(ImportReport.ImportedFeed(url: feed.head.url, outcome: outcome))
            if outcome == .kept {
                kept.append(feed)
                continue
            }
            try cache.begin(feed.head)
            try feed.forEachImage { image, offered throws(FeedError) in
                if Task.isCancelled { throw .cancelled }
                try cache.append(image)
                if let offered, try cache.offer(offered) { report.images += 1 }
            }
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

    private func outcome(_ feed: FeedHead, in cache: any CacheMerge) throws(FeedError) -> ImportReport.Outcome {
        guard let savedAt = try cache.savedAt(feed.url) else { return .added }
        return isForced || isLater(feed.savedAt, than: savedAt) ? .replaced : .kept
    }

    /// A moment that can't be true, of a clock that was ahead, comes before any that can: else a feed of that machine would
    /// stand for the latest for good, and is none that counts as fresh.
    private func isLater(_ one: Timestamp, than other: Timestamp) -> Bool {
        let (canBe, canOtherBe) = (one.age(at: now) != nil, other.age(at: now) != nil)
        return canBe == canOtherBe ? one > other : canBe
    }
}
