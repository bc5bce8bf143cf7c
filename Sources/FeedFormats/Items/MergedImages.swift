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

        /// Makes the image of an item that has none, which is still to be found on this page.
        init(on page: ResourceURL) { self.init(urls: [page], isTag: false, size: RenditionSize()) }

        fileprivate init(
            urls: [ResourceURL], description: String? = nil, location: String? = nil, isTag: Bool, size: RenditionSize
        ) {
            self.urls = urls
            self.description = description
            self.location = location
            self.isTag = isTag
            self.size = size
        }
    }

    /// The images so far.
    ///
    /// An image that was merged with an earlier one has no URLs.
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

    /// Creates an empty list for `count` images.
    ///
    /// The feed states the sides of `sided` of them.
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
        if known.isEmpty {
            let match = similar.matches(of: identities)
            known = match.indices
            if let number = match.number { image.size.marked = min(image.size.marked, number) }
            for (index, number) in match.numbered {
                images[home(of: index)].size.marked = min(images[home(of: index)].size.marked, number)
            }
        }
        let homes = Set(known.map { home(of: $0) }).sorted()
        for key in keys { indices.add(key, homes.first ?? images.count) }
        similar.add(identities, at: homes.first ?? images.count)
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

/// The index of the image with a key.
///
/// Most items have few keys, which a linear search finds faster than a dictionary.
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

    /// Compares two widths where both are known.
    ///
    /// Otherwise a URL without a size mark leads to the original image, which is larger.
    func isLess(than other: RenditionSize) -> Bool {
        if let width, let otherWidth = other.width { return width < otherWidth }
        return marked < other.marked
    }
}

extension MergedImages.MergedImage {
    /// Merges the URLs, those of the larger image first.
    ///
    /// The other image supplies a missing description and location.
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

/// The names of an item's image files, of which several may be the same image although their keys differ: a shrunken
/// image may have another suffix, end in a number, or lie in another directory.
struct SimilarNames {
    /// The images that are the same as a new one.
    struct Match {
        var indices: [Int] = []
        /// The size that the number behind the new image's name states.
        var number: Double?
        /// The images whose names end in numbers, with the sizes that these state.
        var numbered: [(index: Int, size: Double)] = []
    }

    private struct IndexEntry {
        let identity: ImageIdentity
        let index: Int
        /// The position of the entry before it with the same core, or nil.
        let previous: Int?
    }

    /// The most names with the same core that are compared with a new one.
    ///
    /// It bounds the time for an item of many similar names.
    private static let most = 16
    private static let dot = UInt8(ascii: ".")
    private static let slash = UInt8(ascii: "/")

    private var entries: [IndexEntry] = []
    /// The position of the last entry with a core.
    ///
    /// Only images with equal cores are compared.
    private var positions: [UInt64: Int] = [:]

    /// Returns the images that are the same as one with these identities.
    func matches(of identities: [ImageIdentity]) -> Match {
        var match = Match()
        guard !entries.isEmpty else { return match }
        for identity in identities {
            var position = Self.core(of: identity.key).flatMap { positions[$0] }
            var compared = 0
            while let current = position, compared < Self.most {
                compare(identity, with: entries[current], &match)
                position = entries[current].previous
                compared += 1
            }
        }
        return match
    }

    private func compare(_ identity: ImageIdentity, with entry: IndexEntry, _ match: inout Match) {
        let other = entry.identity
        StepCounter.add(identity.key.utf8.count + other.key.utf8.count)
        guard let stem = Self.stem(of: identity.key), let otherStem = Self.stem(of: other.key) else { return }
        if let size = Self.number(behind: otherStem, in: stem) {
            match.number = size
        } else if let size = Self.number(behind: stem, in: otherStem) {
            match.numbered.append((entry.index, size))
        } else {
            let isResized = (identity.isShrunk || other.isShrunk) && stem.elementsEqual(otherStem)
            guard isResized || DirectoryPair.isSame(identity.key, other.key) else { return }
        }
        match.indices.append(entry.index)
    }

    /// Adds the identities of an image's URLs.
    mutating func add(_ identities: [ImageIdentity], at index: Int) {
        for identity in identities {
            guard let core = Self.core(of: identity.key) else { continue }
            entries.append(IndexEntry(identity: identity, index: index, previous: positions[core]))
            positions[core] = entries.count - 1
        }
    }

    // MARK: Parts of a key

    /// Returns the key without the suffix of its file name; nil for a key with a query or without a suffix.
    private static func stem(of key: String) -> Substring.UTF8View? {
        let end = key.utf8.suffix(6)
        guard let dot = end.lastIndex(of: dot), (2...5).contains(key.utf8.distance(from: dot, to: key.utf8.endIndex)),
            !key.utf8[dot...].contains(slash), !key.utf8[dot...].contains(UInt8(ascii: "?"))
        else { return nil }
        return key.utf8[..<dot]
    }

    /// Returns the hash of the file name without its suffix and without a number behind it.
    ///
    /// It is the same for all similar names.
    private static func core(of key: String) -> UInt64? {
        guard let stem = stem(of: key) else { return nil }
        var name = stem.suffix(from: stem.lastIndex(of: slash) ?? stem.startIndex)
        let digits = name.reversed().prefix { (0x30...0x39).contains($0) }.count
        if digits > 0, name.dropLast(digits).last == UInt8(ascii: "-") { name = name.dropLast(digits + 1) }
        StepCounter.add(name.count)
        return name.fnv1a
    }

    /// The numbers behind a name that can be sizes.
    ///
    /// Smaller ones count the images of a post.
    private static let sizes = 32.0...9999

    /// Returns the number in a stem such as `p-256` for the stem `p`.
    private static func number(behind stem: Substring.UTF8View, in numbered: Substring.UTF8View) -> Double? {
        let length = stem.count
        guard numbered.count > length, numbered.starts(with: stem) else { return nil }
        let rest = numbered.dropFirst(length)
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: "-"), (2...4).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }), let size = Double(Substring(digits))
        else { return nil }
        return sizes.contains(size) ? size : nil
    }
}

/// Compares the directories of two images with the same long file name on one host.
private enum DirectoryPair {
    /// The shortest name that identifies an image in several directories.
    private static let shortestName = 16
    /// The longest component by which the paths may differ.
    private static let longestComponent = 8

    /// Returns whether the paths differ in one short component, or one of them lacks it.
    static func isSame(_ one: String, _ other: String) -> Bool {
        let slash = UInt8(ascii: "/")
        let same = one.utf8.reversed().prefix { $0 != slash }.count
        guard same >= shortestName, one.utf8.suffix(same + 1).elementsEqual(other.utf8.suffix(same + 1)) else {
            return false
        }
        let parts = [one, other].map { $0.utf8.split(separator: slash, omittingEmptySubsequences: false) }
            .sorted { $0.count < $1.count }
        let (short, long) = (parts[0], parts[1])
        guard long.count - short.count <= 1 else { return false }
        let beginning = zip(short, long).prefix { $0.elementsEqual($1) }.count
        // The first part is the host.
        guard beginning > 0, beginning < long.count, long[beginning].count <= longestComponent else { return false }
        let isReplaced = short.count == long.count
        guard !isReplaced || short[beginning].count <= longestComponent else { return false }
        let rest = short[(beginning + (isReplaced ? 1 : 0))...]
        return rest.elementsEqual(long[(beginning + 1)...]) { $0.elementsEqual($1) }
    }
}
