internal import FeedCore

/// The images of an item, each once: mentions of one image are united, and the mention with the best rendition comes
/// first.
struct MergedImages {
    struct Image {
        /// The best first.
        var addresses: [ResourceURL]
        var description: String?
        var location: String?
        /// Of the best.
        fileprivate var size: ImageSize
    }

    /// Without addresses where it was united with one before.
    private var found: [Image] = []
    private var places = Places()
    /// What is alone need not be told from others.
    private let isAlone: Bool
    /// Whether the feed states the sides of several.
    private let haveSides: Bool

    var all: [Image] { found.filter { !$0.addresses.isEmpty } }

    /// `sided` is the number of those whose sides the feed states.
    init(count: Int, sided: Int) { (isAlone, haveSides) = (count == 1, sided > 1) }

    mutating func add(_ named: NamedImage, at addresses: [ResourceURL]) {
        let words = named.description.flatMap { Self.isFileName($0, of: addresses[0]) ? nil : $0 }
        var image = Image(addresses: addresses, description: words, location: named.location, size: ImageSize())
        guard !isAlone else {
            image.unite(with: nil)
            return found.append(image)
        }
        var keys: [String] = []
        for (index, url) in addresses.enumerated() {
            let identity = ImageIdentity(of: url)
            StepCounter.add(identity.key.utf8.count)
            keys.append(identity.key)
            if index == 0 { image.size.marked = identity.size }
        }
        if named.hasSides, let stated = named.addresses.first, let first = addresses.first {
            image.size.stated = stated.width
            if haveSides { keys.append(ImageIdentity(of: first).key(without: [stated.width, stated.height])) }
        }
        let known = Set(keys.compactMap { places[$0] }).sorted()
        for key in keys { places.add(key, known.first ?? found.count) }
        guard let first = known.first else {
            image.unite(with: nil)
            return found.append(image)
        }
        found[first].unite(with: image)
        // It may show that several are one.
        StepCounter.add(known.count)
        for other in known.dropFirst() where !found[other].addresses.isEmpty {
            found[first].unite(with: found[other])
            found[other].addresses = []
        }
    }
}

extension MergedImages {
    /// Where among all a image is, by what it is known by. Most items have few, which are found without a dictionary.
    private struct Places {
        private static let mostFew = 8

        private var few: [(key: String, place: Int)] = []
        private var many: [String: Int] = [:]

        subscript(key: String) -> Int? {
            many.isEmpty ? few.first { $0.key == key }?.place : many[key]
        }

        /// The first place that a key is given stays.
        mutating func add(_ key: String, _ place: Int) {
            guard self[key] == nil else { return }
            if few.count < Self.mostFew { return few.append((key, place)) }
            if many.isEmpty { for (key, place) in few { many[key] = place } }
            many[key] = place
        }
    }

    /// A title that nobody wrote: it is the file's name, less its suffix.
    private static func isFileName(_ words: String, of url: ResourceURL) -> Bool {
        let path = url.text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] } ?? path
        let rest = name.dropFirst(words.utf8.count)
        return rest.first == UInt8(ascii: ".") && name.starts(with: words.utf8)
    }
}

/// How large a image is, as far as its address or the feed tells.
private struct ImageSize {
    /// A mark in the address: only good for comparing.
    var marked = 0.0
    /// The width that the feed states.
    var stated: Double?

    private var width: Double? { stated ?? (marked < AddressParts.unsized ? marked : nil) }

    /// A width is compared with a width. Else an address without a mark is of the whole image.
    func isLess(than other: ImageSize) -> Bool {
        if let width, let otherWidth = other.width { return width < otherWidth }
        return marked < other.marked
    }
}

extension MergedImages.Image {
    /// The larger leads. The second adds what the first lacks.
    fileprivate mutating func unite(with other: MergedImages.Image?) {
        if other == nil, addresses.count == 1 { return }
        let leads = other.map { size.isLess(than: $0.size) } == true
        let others = other?.addresses ?? []
        let both = leads ? others + addresses : addresses + others
        addresses = []
        for url in both where addresses.count < NamedImage.mostAddresses && !addresses.contains(url) {
            addresses.append(url)
        }
        if leads, let other { size = other.size }
        description = description ?? other?.description
        location = location ?? other?.location
    }
}
