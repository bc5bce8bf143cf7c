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

/// Use case: merge the feeds of an archive into a cache.
///
/// A saved feed is replaced only by a feed that was saved later, and intact image data stays. The images that were removed
/// from either are removed from the merged feed. An archive is a record,
/// not an instruction: unless it is restored, it names no feed and sets no `keep`.
package struct FeedMerging: Sendable {
    private let isForced: Bool
    private let restores: Bool
    private let now: Timestamp

    /// Creates the rules of a merge.
    ///
    /// `isForced` lets any feed of the archive replace a saved feed. `restores` says that the archive is the user's
    /// own.
    package init(isForced: Bool, restores: Bool = false, now: Timestamp) {
        self.isForced = isForced
        self.restores = restores
        self.now = now
    }

    /// Merges the feeds of an archive.
    ///
    /// `leftOut` has the digests of the data that a thin archive leaves out. `held` returns the size and type of data in
    /// the archive that a feed accepts: it also becomes the data of images that earlier thin archives left out.
    package func merge(
        _ feeds: [any ArchivedFeed], leftOut: Set<Digest> = [],
        held: (Digest, ResourceURL) throws(FeedError) -> (size: Int64, type: ImageType)? = { _, _ in nil },
        into cache: any CacheMerge
    ) throws(FeedError) -> ImportReport {
        var report = ImportReport()
        var offered: Set<ResourceURL.Key> = []
        try cache.expect(leftOut: leftOut)
        for feed in feeds.sorted(by: { isLater($0.head.savedAt, than: $1.head.savedAt) }) {
            let outcome = try merge(feed, into: cache, &report.missing) { offered.insert($0.key) }
            let isHeldBack =
                !restores && (feed.head.keep?.isNone == false || outcome == .added && feed.head.url.isLocal)
            report.feeds.append(
                ImportReport.ImportedFeed(url: feed.head.url, outcome: outcome, isHeldBack: isHeldBack))
        }
        try cache.complete(with: held) { offered.insert($0.key) }
        report.images = offered.count
        return report
    }

    /// Merges one feed and returns the outcome.
    ///
    /// Calls `taken` for each URL that gets data, and adds the number of the images that have none to `missing`.
    private func merge(
        _ feed: any ArchivedFeed, into cache: any CacheMerge, _ missing: inout Int, _ taken: (ResourceURL) -> Void
    ) throws(FeedError) -> ImportReport.Outcome {
        let url = feed.head.url
        let removed = try addRemoved(feed, to: cache)
        let saved = try cache.saved(url)
        let outcome = outcome(feed.head, over: saved?.at)
        let keep = restores && outcome != .kept ? feed.head.keep : saved?.keep
        let mirrors = keep.map { !$0.isNone } ?? false
        let keepsLeft = keep == nil ? outcome != .kept && (saved == nil || restores) : mirrors
        let needsOld = saved.map { mirrors || keepsLeft || outcome == .kept || $0.keptCount > 0 } ?? false
        let old = needsOld ? try cache.retrieve(url) : nil
        if outcome != .kept { try cache.begin(feed.head) }
        if restores { try cache.name(url, keep: keep) }
        var given: [FeedImage] = []
        try feed.forEachImage { image, data throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            if removed.covers(image) { return }
            if mirrors || keepsLeft && image.lastSeen != nil { given.append(image) }
            guard outcome != .kept else { return }
            if image.lastSeen == nil { try cache.append(image) }
            guard image.lastSeen == nil || keepsLeft else { return }
            if try take(data, for: url, into: cache, taken) { return }
            if try !cache.hasData(image, of: url) { missing += 1 }
        }
        let union = KeptUnion(
            old, given, of: feed.head, oldIsLater: outcome == .kept, keepsEarlier: mirrors, restores: restores)
        if union.changes { try cache.setKept(union.images, archived: union.archived, of: url) }
        // Kept images of the cache can have their data in the archive too.
        if outcome == .kept || !keepsLeft && !union.images.isEmpty { try takeData(of: feed, into: cache, taken) }
        return outcome
    }

    /// Takes the data of an image URL, and returns false if the URL has no data.
    private func take(
        _ data: ArchivedData, for feed: ResourceURL, into cache: any CacheMerge, _ taken: (ResourceURL) -> Void
    ) throws(FeedError) -> Bool {
        switch data {
        case .none: return false
        case .held(let image): if try cache.offer(image, for: feed) { taken(image.url) }
        case .leftOut(let image):
            let adoption = try cache.adopt(image, for: feed)
            if adoption == .taken { taken(image.url) }
            return adoption != .missing
        }
        return true
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

    /// Takes the data of the URLs that the feed of the cache references.
    private func takeData(
        of feed: any ArchivedFeed, into cache: any CacheMerge, _ taken: (ResourceURL) -> Void
    ) throws(FeedError) {
        let url = feed.head.url
        guard let merged = try cache.retrieve(url) else { return }
        var referenced: Set<ResourceURL.Key> = []
        for image in merged.feed.images + merged.kept {
            referenced.insert(image.url.key)
            for alternative in image.alternatives { referenced.insert(alternative.key) }
        }
        try feed.forEachImage { _, data throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            guard let dataURL = data.url, referenced.contains(dataURL.key) else { return }
            _ = try take(data, for: url, into: cache, taken)
        }
    }

    private func outcome(_ feed: FeedHead, over savedAt: Timestamp?) -> ImportReport.Outcome {
        guard let savedAt else { return .added }
        return isForced || isLater(feed.savedAt, than: savedAt) ? .replaced : .kept
    }

    /// Whether one moment counts as later.
    ///
    /// A moment ahead of the clock comes from a wrong clock and counts as the earliest; otherwise the feeds of that
    /// machine would always win.
    private func isLater(_ one: Timestamp, than other: Timestamp) -> Bool {
        let (canBe, canOtherBe) = (one.age(at: now) != nil, other.age(at: now) != nil)
        return canBe == canOtherBe ? one > other : canBe
    }
}

/// The kept items of two versions of a feed: every item that either version has and the later version lacks.
private struct KeptUnion {
    /// The images, newest first.
    let images: [FeedImage]
    /// The ids of items that come from the archive.
    ///
    /// Their images are never requested: an archive is a record.
    let archived: Set<ExactText>
    /// Whether there is anything to change in the cache.
    let changes: Bool

    /// Merges the images of both versions.
    ///
    /// `given` are the images of the archive's version: all of them with `keepsEarlier`, else those that have left it and
    /// are kept. With `keepsEarlier`, what only the earlier version contains is kept too. The user's own archive, which
    /// `restores`, can have current items that are requested later.
    init(
        _ old: SavedFeed?, _ given: [FeedImage], of head: FeedHead, oldIsLater: Bool, keepsEarlier: Bool, restores: Bool
    ) {
        let oldImages = old?.feed.images ?? []
        let current = given.filter { $0.lastSeen == nil }
        let left = given.filter { $0.lastSeen != nil }.map { Item(image: $0, isArchived: true) }
        let later = oldIsLater ? oldImages : current
        let moment = oldIsLater ? head.savedAt : old?.savedAt ?? head.savedAt
        let leaving = (keepsEarlier ? oldIsLater ? current : oldImages : []).map {
            Item(image: $0.leaving(moment), isArchived: oldIsLater ? !restores : old?.isFromArchive == true)
        }
        let kept = (old?.kept ?? []).map { Item(image: $0, isArchived: false) }
        let named = Set(later.map { ExactText($0.id) })
        var numbers: [ExactText: Int] = [:]
        var union: [Item] = []
        for item in leaving + left + kept where !named.contains(ExactText(item.image.id)) {
            let number = numbers.number(of: ExactText(item.image.id))
            if number == union.count { union.append(item) } else { union[number].merge(item) }
        }
        // Sorting keeps the order of equals.
        images = union.map(\.image).sorted { $0.newness > $1.newness }
        archived = Set(union.lazy.filter(\.isArchived).map { ExactText($0.image.id) })
        changes = !union.isEmpty || old?.kept.isEmpty == false
    }

    private struct Item {
        var image: FeedImage
        var isArchived: Bool

        /// Takes the version that was in the feed later.
        ///
        /// Where both have the same URLs, the image may be requested if either version may.
        mutating func merge(_ other: Item) {
            let hasSameURLs = image.url == other.image.url && image.alternatives == other.image.alternatives
            let mayBeRequested = hasSameURLs && !(isArchived && other.isArchived)
            if let lastSeen = image.lastSeen, let otherLastSeen = other.image.lastSeen, lastSeen < otherLastSeen {
                self = other
            }
            if mayBeRequested { isArchived = false }
        }
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
        /// The saved feed stays: the archive's version was saved earlier, or ahead of the clock.
        case kept
    }

    package struct ImportedFeed: Hashable, Sendable {
        package let url: ResourceURL
        package let outcome: Outcome
        /// The archive has a `keep` for the feed, or the feed may not be requested before the user names it: only
        /// `--restore` takes that over.
        package let isHeldBack: Bool

        package init(url: ResourceURL, outcome: Outcome, isHeldBack: Bool = false) {
            self.url = url
            self.outcome = outcome
            self.isHeldBack = isHeldBack
        }
    }

    package internal(set) var feeds: [ImportedFeed] = []
    /// The number of URLs that got data and had none, or damaged data, before.
    package internal(set) var images = 0
    /// The number of images of added and replaced feeds that have no data after the merge.
    package internal(set) var missing = 0

    package init() {}
}
