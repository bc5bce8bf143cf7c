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
            report.feeds.append(
                ImportReport.ImportedFeed(
                    url: feed.head.url, outcome: outcome, hasSettings: feed.head.settings != nil || feed.head.keep != nil))
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
    private func add(_ feed: any ArchivedFeed, to cache: any CacheMerge, _ report: inout ImportReport) throws(FeedError) {
        let url = feed.head.url
        try cache.begin(feed.head.with(naming: .unnamed))
        var kept: [FeedImage] = []
        try feed.forEachImage { image, data throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            let image = image.reaching(onlyPublic: true)
            if image.lastSeen == nil { try cache.append(image) } else { kept.append(image) }
            try take(data, of: image, in: url, isLater: true, into: cache, &report)
        }
        if !kept.isEmpty { try cache.setKept(kept, neverRequested: true, of: url) }
    }

    /// Adds a feed as the archive has it, or merges it with the cache's copy.
    private func restore(
        _ feed: any ArchivedFeed, over known: KnownFeed?, isLater: Bool, into cache: any CacheMerge,
        _ report: inout ImportReport
    ) throws(FeedError) {
        let url = feed.head.url
        let old = known?.savedAt == nil ? nil : try cache.retrieve(url)
        if isLater { try cache.begin(feed.head) }
        try cache.describe(feed.head, isLater: isLater)
        let removed = try addRemoved(feed, to: cache)
        let mirrors = [feed.head.keep, known?.keep].contains { $0?.isNone == false }
        var union = MergedItems(old, oldIsLater: !isLater, at: feed.head.savedAt, keepsEarlier: mirrors)
        try feed.forEachImage { image, data throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            if removed.covers(image) { return }
            let item = union.add(image.reaching(onlyPublic: true))
            if isLater, let item, item.lastSeen == nil { try cache.append(item) }
            guard item != nil || union.references(data.url) else { return }
            try take(data, of: item, in: url, isLater: isLater, into: cache, &report)
        }
        if let kept = union.kept { try cache.setKept(kept, neverRequested: false, of: url) }
        try cache.finish(url)
    }

    /// Takes the data of an image, and counts it.
    private func take(
        _ data: ArchivedData, of image: FeedImage?, in feed: ResourceURL, isLater: Bool, into cache: any CacheMerge,
        _ report: inout ImportReport
    ) throws(FeedError) {
        var offered: OfferedImage?
        switch data {
        case .none: break
        case .held(let held): offered = held
        case .leftOut(let leftOut):
            if let found = try cache.data(of: leftOut.digest) {
                offered = leftOut.found(size: found.size, type: found.type, published: image?.published)
            }
        }
        if let offered {
            if try cache.offer(offered, of: image, in: feed, isLater: isLater, isImported: !restores) { report.images += 1 }
        } else if let image, try !cache.hasData(image, of: feed) {
            report.missing += 1
            if data != .none { report.leftOut += 1 }
        }
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

/// The items of two copies of a feed: those of the later copy, and of the earlier one what stays as kept items.
private struct MergedItems {
    private let oldIsLater: Bool
    private let keepsEarlier: Bool
    private let moment: Timestamp
    /// The ids of the cache's current items, and the URLs of all its items, if its copy is the later one.
    private var current: Set<ExactText> = []
    private var urls: Set<ResourceURL.Key> = []
    private let old: SavedFeed?
    /// The ids of the archive's current items.
    private var archived: Set<ExactText> = []
    private var left: [FeedImage] = []
    private var numbers: [ExactText: Int] = [:]

    /// `moment` is when the archive's copy was saved. With `keepsEarlier`, the current items of the earlier copy stay.
    init(_ old: SavedFeed?, oldIsLater: Bool, at moment: Timestamp, keepsEarlier: Bool) {
        self.old = old
        self.oldIsLater = oldIsLater
        self.moment = moment
        self.keepsEarlier = keepsEarlier
        guard oldIsLater, let old else { return }
        current = Set(old.feed.images.lazy.map { ExactText($0.id) })
        for image in old.feed.images + old.kept {
            urls.insert(image.url.key)
            for alternative in image.alternatives { urls.insert(alternative.key) }
        }
    }

    /// Whether an item of the cache's copy, which is the later one, has this URL.
    func references(_ url: ResourceURL?) -> Bool { url.map { urls.contains($0.key) } ?? false }

    /// Adds an item of the archive, and returns it as the merged feed has it; nil if the merged feed has another version
    /// of it or lacks it.
    mutating func add(_ image: FeedImage) -> FeedImage? {
        let id = ExactText(image.id)
        if current.contains(id) { return nil }
        if image.lastSeen == nil, !oldIsLater {
            archived.insert(id)
            return image
        }
        guard image.lastSeen != nil || keepsEarlier else { return nil }
        let item = image.lastSeen == nil ? image.leaving(moment) : image
        keep(item)
        return item
    }

    private mutating func keep(_ image: FeedImage) {
        let number = numbers.number(of: ExactText(image.id))
        if number == left.count {
            left.append(image)
        } else if let earlier = left[number].lastSeen, let later = image.lastSeen, earlier < later {
            left[number] = image
        }
    }

    /// The kept items of both copies, newest first; nil if there are none in either.
    var kept: [FeedImage]? {
        var union = self
        for image in old?.kept ?? [] { union.keep(image) }
        if !oldIsLater, keepsEarlier, let old { for image in old.feed.images { union.keep(image.leaving(old.savedAt)) } }
        if union.left.isEmpty, old?.kept.isEmpty != false { return nil }
        // Sorting keeps the order of equals.
        return union.left.filter { !archived.contains(ExactText($0.id)) }.sorted { $0.newness > $1.newness }
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
