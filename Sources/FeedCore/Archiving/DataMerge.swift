/// Takes the image data of one feed of an archive into a cache.
///
/// A URL has the data of the later copy of the feed, else that of the other copy. So has each image: where its URL has
/// other data than the image had in its own copy, the image gets data of its own.
struct DataMerge {
    /// An image for which the data of its URL may be wrong.
    private struct OpenImage {
        let image: FeedImage
        /// The data that the archive has for the image.
        let data: OfferedImage?
        let isLeftOut: Bool
    }

    private let feed: ResourceURL
    private let cache: any CacheMerge
    /// Whether the archive's copy of the feed is the later one.
    private let isLater: Bool
    /// Whether only a plain import vouches for the data.
    private let isImported: Bool
    /// The images of the cache's copy, which can have other alternatives.
    private let ofCache: [ImageKey: FeedImage]
    /// The URLs whose data the archive has decided, each with whether the cache had the same bytes.
    private var decided: [ResourceURL.Key: Bool] = [:]
    /// What the cache had at the URLs that got other data; nil for a URL that had none, or damaged data.
    private var replaced: [ResourceURL.Key: StoredImage?] = [:]
    /// The images of the archive whose URL has the right data.
    private var settled: Set<ImageKey> = []
    private var open: [OpenImage] = []
    private var added = 0

    init(
        of feed: ResourceURL, in cache: any CacheMerge, isLater: Bool, isImported: Bool = false,
        over ofCache: [ImageKey: FeedImage] = [:]
    ) {
        self.feed = feed
        self.cache = cache
        self.isLater = isLater
        self.isImported = isImported
        self.ofCache = ofCache
    }

    /// Takes what the archive has for an image; nil for an image that the merged feed lacks.
    mutating func take(_ archived: ArchivedData, of image: FeedImage?) throws(FeedError) {
        var data: OfferedImage?
        switch archived {
        case .none: break
        case .held(let held): data = held
        case .leftOut(let leftOut):
            if let found = try cache.data(of: leftOut.digest) {
                data = leftOut.found(size: found.size, type: found.type, published: image?.published)
            }
        }
        let isOfURL = if let data { try decide(data) } else { false }
        guard let image else { return }
        // A better URL of the image may still get data.
        if isOfURL, let data, data.url.key == image.url.key, try settle(image, data) { return }
        let isLeftOut = if case .leftOut = archived { data == nil } else { false }
        open.append(OpenImage(image: image, data: data, isLeftOut: isLeftOut))
    }

    /// Makes data that of its URL if the archive decides it, and returns whether the URL has this data.
    private mutating func decide(_ data: OfferedImage) throws(FeedError) -> Bool {
        let key = data.url.key
        let known = try cache.data(at: data.url, of: feed)
        if let hadSame = decided[key] {
            return known.map { data.isSame(as: $0) || hadSame && data.digest == $0.digest } ?? false
        }
        let intact = try known.flatMap { stored throws(FeedError) in try cache.isIntact(stored) ? stored : nil }
        if let intact, intact.digest == data.digest {
            decided[key] = true
            let other = OfferedImage(intact, at: data.url)
            let both = isLater ? data.merging(other) : other.merging(data)
            let wasImported = intact.standing == .imported && !isImported
            if wasImported || !both.isSame(as: intact) { try cache.insert(both, of: feed, isImported: isImported) }
            return true
        }
        guard isLater || intact == nil else { return false }
        decided[key] = false
        if !ofCache.isEmpty { replaced.updateValue(intact, forKey: key) }
        try cache.insert(data, of: feed, isImported: isImported)
        added += 1
        return true
    }

    /// Returns whether the data of the image's URL is right for it.
    private mutating func settle(_ image: FeedImage, _ data: OfferedImage) throws(FeedError) -> Bool {
        guard !ofCache.isEmpty else { return true }
        if isLater {
            try cache.setOwn(.none, of: image, in: feed)
        } else if let old = ofCache[ImageKey(image)] {
            // The image may have had data of an alternative.
            let isNew = replaced.index(forKey: image.url.key) != nil && !old.alternatives.isEmpty
            guard !isNew, try has(old, data) else { return false }
        }
        settled.insert(ImageKey(image))
        return true
    }

    /// Gives images data of their own where their URLs have other data.
    ///
    /// `images` are those of the merged feed, apart from the current ones of the archive.
    mutating func finish(_ report: inout ImportReport, with images: [FeedImage] = []) throws(FeedError) {
        for open in open { try finish(open, &report) }
        report.images += added
        guard !replaced.isEmpty else { return }
        settled.formUnion(open.lazy.map { ImageKey($0.image) })
        for image in images where !settled.contains(ImageKey(image)) {
            let isReplaced = ([image.url] + image.alternatives).contains { replaced.index(forKey: $0.key) != nil }
            if !isReplaced { continue }
            if let earlier = try earlier(image) {
                _ = try give(earlier, to: image)
            } else if image.lastSeen == nil, let found = try cache.data(of: image, in: feed, before: [:]) {
                // The archive has only the data of another image.
                try cache.setOwn(.awaited(found.from ?? image.url), of: image, in: feed)
            }
        }
    }

    private mutating func finish(_ open: OpenImage, _ report: inout ImportReport) throws(FeedError) {
        let image = open.image
        // The next sync of the feed replaces the data of URLs, and would leave other data.
        let sharesData = isImported && image.lastSeen == nil
        if !sharesData, let data = try data(of: open) {
            if try give(data, to: image), data.digest == open.data?.digest { report.images += 1 }
            return
        }
        if let found = try cache.data(of: image, in: feed, before: [:]) {
            guard !sharesData, try markMissing(open, found) else { return }
        }
        // Where the cache's copy stays, the archive brings no missing images.
        if isLater { report.missing += 1 }
        if open.isLeftOut { report.leftOut += 1 }
    }

    /// Marks an image of which the archive has no data, although its URL has that of another image.
    ///
    /// Returns false if that data may be its own.
    private func markMissing(_ open: OpenImage, _ found: StoredImage) throws(FeedError) -> Bool {
        if found.standing == .awaited { return true }
        let source = found.from ?? open.image.url
        if open.image.lastSeen == nil {
            try cache.setOwn(.awaited(source), of: open.image, in: feed)
            return true
        }
        guard open.isLeftOut || decided[source.key] != nil else { return false }
        try cache.setOwn(.lost, of: open.image, in: feed)
        return true
    }

    /// Returns the data that an image has in the later copy, else in the earlier one.
    private func data(of open: OpenImage) throws(FeedError) -> OfferedImage? {
        guard let earlier = try earlier(open.image) else { return open.data }
        guard let data = open.data else { return earlier }
        let (later, other) = isLater ? (data, earlier) : (earlier, data)
        return later.digest == other.digest ? later.merging(other) : later
    }

    /// Returns the intact data that an image of the cache's copy had before the merge.
    private func earlier(_ image: FeedImage) throws(FeedError) -> OfferedImage? {
        guard let old = ofCache[ImageKey(image)],
            let stored = try cache.data(of: old, in: feed, before: replaced), stored.standing != .awaited,
            try cache.isIntact(stored)
        else { return nil }
        return OfferedImage(stored, at: stored.from ?? image.url)
    }

    private func has(_ image: FeedImage, _ data: OfferedImage) throws(FeedError) -> Bool {
        guard let found = try cache.data(of: image, in: feed, before: [:]), found.standing != .awaited else {
            return false
        }
        return data.isSame(as: found)
    }

    /// Gives an image data of its own, unless its URLs have that data.
    ///
    /// Returns whether the image had other data.
    private func give(_ data: OfferedImage, to image: FeedImage) throws(FeedError) -> Bool {
        if try has(image, data) { return false }
        try cache.setOwn(.none, of: image, in: feed)
        if try !has(image, data) { try cache.setOwn(.obtained(data), of: image, in: feed) }
        return true
    }
}
