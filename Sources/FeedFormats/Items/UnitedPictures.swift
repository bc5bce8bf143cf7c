internal import FeedCore

/// The pictures of an item, each once: mentions of one picture are united, and the mention with the best rendition comes
/// first.
struct UnitedPictures {
    struct Picture {
        /// The best first.
        var addresses: [ResourceURL]
        var description: String?
        var location: String?
        /// Of the best.
        fileprivate var size: Double
    }

    private(set) var all: [Picture] = []
    private var places = Places()
    /// What is alone need not be told from others.
    private let isAlone: Bool
    /// Whether the feed states the sides of several.
    private let haveSides: Bool

    /// `sided` is the number of those whose sides the feed states.
    init(count: Int, sided: Int) { (isAlone, haveSides) = (count == 1, sided > 1) }

    mutating func add(_ named: NamedPicture, at addresses: [ResourceURL]) {
        let words = named.description.flatMap { Self.isFileName($0, of: addresses[0]) ? nil : $0 }
        var picture = Picture(addresses: addresses, description: words, location: named.location, size: 0)
        guard !isAlone else {
            picture.unite(with: nil)
            return all.append(picture)
        }
        var keys: [String] = []
        for (index, url) in addresses.enumerated() {
            let identity = PictureIdentity(of: url)
            keys.append(identity.key)
            if index == 0 { picture.size = identity.size }
        }
        if named.hasSides, let stated = named.addresses.first, let first = addresses.first {
            picture.size = stated.width
            if haveSides { keys.append(PictureIdentity(of: first).key(without: [stated.width, stated.height])) }
        }
        let place = keys.compactMap { places[$0] }.first ?? all.count
        for key in keys { places.add(key, place) }
        if place < all.count {
            all[place].unite(with: picture)
        } else {
            picture.unite(with: nil)
            all.append(picture)
        }
    }
}

extension UnitedPictures {
    /// Where among all a picture is, by what it is known by. Most items have few, which are found without a dictionary.
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

extension UnitedPictures.Picture {
    /// The larger leads. The second adds what the first lacks.
    fileprivate mutating func unite(with other: UnitedPictures.Picture?) {
        if other == nil, addresses.count == 1 { return }
        let leads = other.map { $0.size > size } == true
        let others = other?.addresses ?? []
        let both = leads ? others + addresses : addresses + others
        addresses = []
        for url in both where addresses.count < SourceSet.most && !addresses.contains(url) { addresses.append(url) }
        size = max(size, other?.size ?? 0)
        description = description ?? other?.description
        location = location ?? other?.location
    }
}
