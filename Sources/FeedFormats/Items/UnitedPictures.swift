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
    /// Where among them a picture is, by what it is known by.
    private var places: [String: Int] = [:]
    private let isAlone: Bool

    /// What is alone need not be told from others.
    init(isAlone: Bool) { self.isAlone = isAlone }

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
        if let stated = named.addresses.first, stated.width > 0, let first = addresses.first {
            picture.size = stated.width
            keys.append(PictureIdentity(of: first).key(without: [stated.width, stated.height]))
        }
        let place = keys.compactMap { places[$0] }.first ?? all.count
        for key in keys where places[key] == nil { places[key] = place }
        if place < all.count {
            all[place].unite(with: picture)
        } else {
            picture.unite(with: nil)
            all.append(picture)
        }
    }
}

extension UnitedPictures {
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
