internal import FeedCore

/// The distinct images of an item: several mentions of one image become one, which begins with the best rendition.
struct MergedImages {
    struct MergedImage {
        /// The URLs, best first.
        var urls: [ResourceURL]
        var description: String?
        var location: String?
        /// The size of the best rendition.
        fileprivate var size: RenditionSize
    }

    /// The images so far. An image that was merged with an earlier one has no URLs.
    private var images: [MergedImage] = []
    private var indices = IndexByKey()
    /// Whether the item has only one image, which needs no comparison.
    private let isAlone: Bool
    /// Whether the feed states the sides of two or more images.
    private let haveSides: Bool

    var all: [MergedImage] { images.filter { !$0.urls.isEmpty } }

    /// Creates an empty list for `count` images. The feed states the sides of `sided` of them.
    init(count: Int, sided: Int) { (isAlone, haveSides) = (count == 1, sided > 1) }

    mutating func add(_ named: NamedImage, at urls: [ResourceURL]) {
        let words = named.description.flatMap { Self.isFileName($0, of: urls[0]) ? nil : $0 }
        var image = MergedImage(urls: urls, description: words, location: named.location, size: RenditionSize())
        guard !isAlone else {
            image.merge(with: nil)
            return images.append(image)
        }
        var keys: [String] = []
        for (index, url) in urls.enumerated() {
            let identity = ImageIdentity(of: url)
            StepCounter.add(identity.key.utf8.count)
            keys.append(identity.key)
            if index == 0 { image.size.marked = identity.size }
        }
        if named.hasSides, let stated = named.renditions.first, let first = urls.first {
            image.size.stated = stated.width
            if haveSides { keys.append(ImageIdentity(of: first).key(without: [stated.width, stated.height])) }
        }
        let known = Set(keys.compactMap { indices[$0] }).sorted()
        for key in keys { indices.add(key, known.first ?? images.count) }
        guard let first = known.first else {
            image.merge(with: nil)
            return images.append(image)
        }
        images[first].merge(with: image)
        // The new image may show that several earlier images are the same.
        StepCounter.add(known.count)
        for other in known.dropFirst() where !images[other].urls.isEmpty {
            images[first].merge(with: images[other])
            images[other].urls = []
        }
    }
}

extension MergedImages {
    /// The index of the image with a key. Most items have few keys, which a linear search finds faster than a
    /// dictionary.
    private struct IndexByKey {
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

    /// Returns whether the description is the file name without its suffix, which software filled in.
    private static func isFileName(_ words: String, of url: ResourceURL) -> Bool {
        let path = url.text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] } ?? path
        let rest = name.dropFirst(words.utf8.count)
        return rest.first == UInt8(ascii: ".") && name.starts(with: words.utf8)
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
    }
}
