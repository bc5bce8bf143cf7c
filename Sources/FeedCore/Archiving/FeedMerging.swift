/// A feed of an archive, with the data of its images.
package protocol ArchivedFeed {
    var head: FeedHead { get }
    /// Returns the images that were removed from the feed.
    func removed() throws(FeedError) -> RemovedImages
    /// Visits the images in order, each with what the archive says about its data.
    func forEachImage(_ visit: (FeedImage, ArchivedData) throws(FeedError) -> Void) throws(FeedError)
}

/// What an archive says about the data of an image.
package enum ArchivedData: Hashable, Sendable {
    case none
    case held(OfferedImage)
    /// A thin archive leaves the data out, because an earlier archive contains it.
    case leftOut(LeftOutImage)

    /// The image URL that the data belongs to.
    var url: ResourceURL? {
        switch self {
        case .none: nil
        case .held(let image): image.url
        case .leftOut(let image): image.url
        }
    }
}

/// Use case: take the feeds of an archive into a cache.
///
/// | import      | a feed that the cache lacks                        | a feed that the cache has                            |
/// |-------------|----------------------------------------------------|------------------------------------------------------|
/// | plain       | is added without a name, settings or removals. Its | stays exactly as it is                               |
/// |             | kept items are never requested                     |                                                      |
/// | `--restore` | is added with everything that the archive says     | is merged: the later copy decides, the removals of   |
/// |             |                                                    | both apply, and items of either copy stay as kept    |
/// |             |                                                    | ones, if either has a `keep`                         |
package struct FeedMerging: Sendable {
    private let isForced: Bool
    private let restores: Bool
    private let now: Timestamp

    /// Creates the rules of a merge.
    ///
    /// With `isForced`, the archive's copy of a feed counts as the later one. `restores` says that the archive is the
    /// user's own.
    package init(isForced: Bool, restores: Bool = false, now: Timestamp) {
        self.isForced = isForced
        self.restores = restores
        self.now = now
    }

    /// Takes the feeds of an archive into a cache.
    package func merge(_ feeds: [any ArchivedFeed], into cache: any CacheMerge) throws(FeedError) -> ImportReport {
        var report = ImportReport()
        for feed in feeds {
            let known = try cache.find(feed.head.url)
            let outcome = outcome(of: feed.head, over: known)
            report.feeds.append(.init(feed.head, outcome))
            if restores {
                try restore(feed, over: known, isLater: outcome != .kept, into: cache, &report)
            } else if known == nil {
                try add(feed, to: cache, &report)
            }
        }
        return report
    }

    private func outcome(of feed: FeedHead, over known: KnownFeed?) -> ImportReport.Outcome {
        guard let known else { return .added }
        guard restores else { return .kept }
        guard let savedAt = known.savedAt else { return .added }
        return isForced || min(feed.savedAt, now) > min(savedAt, now) ? .replaced : .kept
    }

    /// Adds a feed that is requested only once the user has named it.
    private func add(
        _ feed: any ArchivedFeed, to cache: any CacheMerge, _ report: inout ImportReport
    ) throws(FeedError) {
        // A fault in the list makes the archive invalid, although the list has no effect.
        _ = try feed.removed()
        try cache.begin(feed.head.with(naming: .unnamed))
        var data = DataMerge(of: feed.head.url, in: cache, isLater: true, isImported: true)
        var kept: [FeedImage] = []
        try feed.forEachImage { image, archived throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            let image = image.reaching(onlyPublic: true)
            if image.lastSeen == nil { try cache.append(image) } else { kept.append(image) }
            try data.take(archived, of: image)
        }
        if !kept.isEmpty { try cache.setKept(kept, neverRequested: true, of: feed.head.url) }
        try data.finish(&report)
    }

    /// Adds a feed as the archive has it, or merges it with the cache's copy.
    private func restore(
        _ feed: any ArchivedFeed, over known: KnownFeed?, isLater: Bool, into cache: any CacheMerge,
        _ report: inout ImportReport
    ) throws(FeedError) {
        let head = feed.head
        if known == nil { try cache.begin(head) }
        let removed = try addRemoved(feed, to: cache)
        let old = known?.savedAt == nil ? nil : try cache.retrieve(head.url)
        if known != nil, isLater { try cache.begin(head) }
        let mirrors = [head.keep, known?.keep].contains { $0?.isNone == false }
        var items = MergedItems(old, isLater: isLater, savedAt: head.savedAt, keepsEarlier: mirrors)
        var data = DataMerge(of: head.url, in: cache, isLater: isLater, over: items.ofCache)
        try feed.forEachImage { image, archived throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            if removed.covers(image) { return }
            let item = items.add(image.reaching(onlyPublic: true))
            if isLater, let item, item.lastSeen == nil { try cache.append(item) }
            guard item != nil || items.references(archived.url) else { return }
            try data.take(archived, of: item)
        }
        let kept = items.kept
        if let kept { try cache.setKept(kept, neverRequested: false, of: head.url) }
        try cache.describe(head, isLater: isLater)
        try data.finish(&report, with: (kept ?? []) + (isLater ? [] : old?.feed.images ?? []))
    }

    /// Adds the removed images of the archive to those of the cache, and returns all of them.
    private func addRemoved(
        _ feed: any ArchivedFeed, to cache: any CacheMerge
    ) throws(FeedError) -> RemovedImages {
        let url = feed.head.url
        let known = try cache.removed(from: url)
        let all = known.union(try feed.removed())
        guard all.count <= RemovedImages.most else { throw RemovedImages.tooMany(from: url) }
        if all != known { try cache.setRemoved(all, from: url) }
        return all
    }
}

package struct ExportReport: Hashable, Sendable {
    package let feeds: Int
    package let images: Int
    /// The number of bytes of everything in the archive before compression.
    package let bytes: Int64

    package init(feeds: Int, images: Int, bytes: Int64) {
        self.feeds = feeds
        self.images = images
        self.bytes = bytes
    }
}

package struct ImportReport: Hashable, Sendable {
    package enum Outcome: String, Sendable {
        case added, replaced
        /// The saved feed stays, or its copy is the later one.
        case kept
    }

    package struct ImportedFeed: Hashable, Sendable {
        package let url: ResourceURL
        package let outcome: Outcome
        /// Whether the archive has settings of the feed, which only `--restore` takes over.
        package let hasSettings: Bool

        package init(url: ResourceURL, outcome: Outcome, hasSettings: Bool = false) {
            self.url = url
            self.outcome = outcome
            self.hasSettings = hasSettings
        }

        init(_ feed: FeedHead, _ outcome: Outcome) {
            self.init(url: feed.url, outcome: outcome, hasSettings: feed.settings != nil || feed.keep != nil)
        }
    }

    package internal(set) var feeds: [ImportedFeed] = []
    /// The number of images that got data.
    package internal(set) var images = 0
    /// The number of images that have no data after the import.
    package internal(set) var missing = 0
    /// The number of images whose data a thin archive leaves out and the cache lacks.
    package internal(set) var leftOut = 0

    package init() {}
}

/// When an archive was written: archives are merged in this order.
package struct ArchiveAge: Comparable, Sendable {
    /// When the newest of its feeds was saved.
    package let savedAt: Timestamp
    package let isThin: Bool

    package init(savedAt: Timestamp, isThin: Bool) {
        self.savedAt = savedAt
        self.isThin = isThin
    }

    /// A thin archive comes after the full archive of the same moment, which has the images that it leaves out.
    package static func < (left: ArchiveAge, right: ArchiveAge) -> Bool {
        left.savedAt == right.savedAt ? !left.isThin && right.isThin : left.savedAt < right.savedAt
    }
}
