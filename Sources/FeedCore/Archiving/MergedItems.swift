/// The items of two copies of a feed: those of the later copy, and of the earlier one what stays as kept items.
struct MergedItems {
    /// The images of the cache's copy.
    let ofCache: [ImageKey: FeedImage]
    private let old: SavedFeed?
    private let isLater: Bool
    private let savedAt: Timestamp
    private let keepsEarlier: Bool
    /// The current items of the later copy.
    private var current: Set<ExactText> = []
    private var places: Set<FeedChanges.Place> = []
    /// The image URLs of the cache's copy, if it is the later one.
    private var urls: Set<ResourceURL.Key> = []
    /// The items of the archive that have left the merged feed.
    private var left: [FeedImage] = []

    /// Begins with the cache's copy, `old`.
    ///
    /// `isLater` says that the archive's copy is the later one, which was saved at `savedAt`.
    /// With `keepsEarlier`, the current items of the earlier copy stay.
    init(_ old: SavedFeed?, isLater: Bool, savedAt: Timestamp, keepsEarlier: Bool) {
        self.old = old
        self.isLater = isLater
        self.savedAt = savedAt
        self.keepsEarlier = keepsEarlier
        let images = old.map { $0.feed.images + $0.kept } ?? []
        ofCache = Dictionary(images.lazy.map { (ImageKey($0), $0) }) { first, _ in first }
        guard !isLater else { return }
        for image in old?.feed.images ?? [] { addCurrent(image) }
        for image in images {
            urls.insert(image.url.key)
            for alternative in image.alternatives { urls.insert(alternative.key) }
        }
    }

    private mutating func addCurrent(_ image: FeedImage) {
        current.insert(ExactText(image.id))
        if old != nil, keepsEarlier { places.insert(FeedChanges.Place(image)) }
    }

    /// Whether an item of the cache's copy, which is the later one, has this URL.
    func references(_ url: ResourceURL?) -> Bool { url.map { urls.contains($0.key) } ?? false }

    /// Adds an item of the archive, and returns it as the merged feed has it; nil if the merged feed lacks it.
    mutating func add(_ image: FeedImage) -> FeedImage? {
        if isLater, image.lastSeen == nil {
            addCurrent(image)
            return image
        }
        if !isLater, current.contains(ExactText(image.id)) { return ofCache[ImageKey(image)] }
        guard let item = image.lastSeen == nil ? leaving(image, at: savedAt) : image else { return nil }
        left.append(item)
        return item
    }

    /// Returns a current item of the earlier copy as a kept item; nil if it does not stay, or is current under another
    /// id.
    private func leaving(_ image: FeedImage, at moment: Timestamp) -> FeedImage? {
        keepsEarlier && !places.contains(FeedChanges.Place(image)) ? image.leaving(moment) : nil
    }

    /// The kept items of both copies, newest first; nil if there are none in either.
    var kept: [FeedImage]? {
        var own = old?.kept ?? []
        if isLater, let old { own += old.feed.images.compactMap { leaving($0, at: old.savedAt) } }
        if own.isEmpty, left.isEmpty, old?.kept.isEmpty != false { return nil }
        own.removeAll { current.contains(ExactText($0.id)) }
        let others = left.filter { !current.contains(ExactText($0.id)) }
        // Both copies can have kept an item. The version that was in the feed last stays.
        let (ownMoments, otherMoments) = (Self.moments(of: own), Self.moments(of: others))
        let kept =
            others.filter { image in
                let id = ExactText(image.id)
                return ownMoments[id].map { $0 <= otherMoments[id] ?? $0 } ?? true
            }
            + own.filter { image in
                let id = ExactText(image.id)
                return otherMoments[id].map { $0 < ownMoments[id] ?? $0 } ?? true
            }
        // Sorting keeps the order of equals.
        return kept.sorted { $0.newness > $1.newness }
    }

    /// Returns when each item was in the feed last.
    private static func moments(of images: [FeedImage]) -> [ExactText: Timestamp] {
        Dictionary(images.lazy.compactMap { image in image.lastSeen.map { (ExactText(image.id), $0) } }) { max($0, $1) }
    }
}
