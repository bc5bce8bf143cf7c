internal import FeedCore

/// The distinct images of an item: several mentions of one image become one, which begins with the best rendition.
struct MergedImages {
    struct MergedImage {
        /// The URLs, best first.
        var urls: [ResourceURL]
        var description: String?
        var location: String?
        /// Whether only `<img>` tags name the image.
        var isTag: Bool
        /// The size of the best rendition.
        fileprivate var size: RenditionSize
    }

    /// The images so far. An image that was merged with an earlier one has no URLs.
    private var images: [MergedImage] = []
    /// The indices of merged images, and of the images with which they were merged.
    private var merged: [Int: Int] = [:]
    private var indices = IndexByKey()
    private var similar = SimilarNames()
    /// Whether the item has only one image, which needs no comparison.
    private let isAlone: Bool
    /// Whether the feed states the sides of two or more images.
    private let haveSides: Bool

    var all: [MergedImage] { images.filter { !$0.urls.isEmpty } }

    /// Creates an empty list for `count` images. The feed states the sides of `sided` of them.
    init(count: Int, sided: Int) { (isAlone, haveSides) = (count == 1, sided > 1) }

    mutating func add(_ named: NamedImage, at urls: [ResourceURL]) {
        let words = named.description.flatMap {
            Caption.describes($0) && !Caption.names($0, fileOf: urls[0]) ? $0 : nil
        }
        var image = MergedImage(
            urls: urls, description: words, location: named.location, isTag: named.origin == .tag,
            size: RenditionSize())
        guard !isAlone else {
            image.merge(with: nil)
            return images.append(image)
        }
        let identities = urls.map(ImageIdentity.init)
        var keys: [String] = []
        for identity in identities {
            StepCounter.add(identity.key.utf8.count)
            keys.append(identity.key)
            if let original = identity.originalKey { keys.append(original) }
        }
        if let first = identities.first {
            image.size.marked = first.size
            if let stated = named.renditions.first, named.hasSides {
                image.size.stated = stated.width
                if haveSides { keys.append(first.key(without: [stated.width, stated.height])) }
            }
        }
        var known = keys.compactMap { indices[$0] }
        let names = identities.compactMap(SimilarNames.Name.init)
        if known.isEmpty {
            let match = similar.matches(of: names)
            known = match.indices
            if let number = match.number { image.size.marked = min(image.size.marked, number) }
            for (index, number) in match.numbered {
                images[home(of: index)].size.marked = min(images[home(of: index)].size.marked, number)
            }
        }
        let homes = Set(known.map { home(of: $0) }).sorted()
        for key in keys { indices.add(key, homes.first ?? images.count) }
        similar.add(names, at: homes.first ?? images.count)
        merge(image, with: homes)
    }

    /// Returns the index of the image with which the one at `index` was merged.
    private mutating func home(of index: Int) -> Int {
        guard let next = merged[index] else { return index }
        var home = next
        while let further = merged[home] { home = further }
        merged[index] = home
        return home
    }

    /// Merges an image with the images of these indices, or adds it if there are none.
    private mutating func merge(_ image: MergedImage, with known: [Int]) {
        guard let first = known.first else {
            var image = image
            image.merge(with: nil)
            return images.append(image)
        }
        images[first].merge(with: image)
        // The new image may show that several earlier images are the same.
        StepCounter.add(known.count)
        for other in known.dropFirst() {
            images[first].merge(with: images[other])
            images[other].urls = []
            merged[other] = first
        }
    }
}

/// The index of the image with a key. Most items have few keys, which a linear search finds faster than a dictionary.
struct IndexByKey {
    private static let mostFew = 8

    private var few: [(key: String, index: Int)] = []
    private var many: [String: Int] = [:]

    subscript(key: String) -> Int? {
        many.isEmpty ? few.first { $0.key == key }?.index : many[key]
    }

    /// Adds a key, unless it is known: its first index counts.
    mutating func add(_ key: String, _ index: Int) {
        guard self[key] == nil else { return }
        if few.count < Self.mostFew { return few.append((key, index)) }
        if many.isEmpty { for (key, index) in few { many[key] = index } }
        many[key] = index
    }
}

/// The size of an image, as far as its URL or the feed shows it.
private struct RenditionSize {
    /// The size mark of the URL, which is meaningful only in comparisons.
    var marked = 0.0
    /// The width that the feed states.
    var stated: Double?

    private var width: Double? { stated ?? (marked < ImageURLParts.unsized ? marked : nil) }

    /// Compares two widths where both are known. Otherwise a URL without a size mark leads to the original image, which
    /// is larger.
    func isLess(than other: RenditionSize) -> Bool {
        if let width, let otherWidth = other.width { return width < otherWidth }
        return marked < other.marked
    }
}

extension MergedImages.MergedImage {
    /// Merges the URLs, those of the larger image first. The other image supplies a missing description and location.
    fileprivate mutating func merge(with other: MergedImages.MergedImage?) {
        if other == nil, urls.count == 1 { return }
        let leads = other.map { size.isLess(than: $0.size) } == true
        let others = other?.urls ?? []
        let both = leads ? others + urls : urls + others
        urls = []
        for url in both where urls.count < NamedImage.mostURLs && !urls.contains(url) {
            urls.append(url)
        }
        if leads, let other { size = other.size }
        description = description ?? other?.description
        location = location ?? other?.location
        isTag = isTag && other?.isTag != false
    }
}
