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

    /// The parts of a key that are compared.
    struct Name {
        fileprivate let stem: String
        /// The stem without a number behind it, and the number.
        fileprivate let bare: (stem: String, size: Double)?
        /// The host and the long name of the file, and the directories between them.
        fileprivate let file: (name: String, directories: [Substring])?
        fileprivate let isShrunk: Bool

        /// Returns nil for a key without a name of a file.
        init?(_ identity: ImageIdentity) {
            guard let stem = SimilarNames.stem(of: identity.key) else { return nil }
            StepCounter.add(stem.utf8.count)
            self.stem = stem
            bare = SimilarNames.withoutNumber(stem)
            file = SimilarNames.file(of: identity.key)
            isShrunk = identity.isShrunk
        }
    }

    private struct File {
        let directories: [Substring]
        let index: Int
    }

    /// The most names that are compared with a new one.
    ///
    /// It bounds the time for an item of many similar names.
    private static let most = 16
    /// The shortest name that identifies an image in several directories, and the longest component by which their
    /// paths differ.
    private static let shortestName = 16
    private static let longestComponent = 8
    /// The numbers behind a name that can be sizes.
    ///
    /// Smaller ones count the images of a post.
    private static let sizes = 32.0...9999

    /// The images by their key without its suffix.
    private var stems = IndexByKey()
    /// The stems of images whose paths state a size.
    private var shrunkStems = IndexByKey()
    /// The images whose names end in a number, by their stem without it.
    private var numbered: [String: [(index: Int, size: Double)]] = [:]
    /// The images by their host and long file name.
    private var files: [String: [File]] = [:]

    /// Returns the images that are the same as one with these names.
    func matches(of names: [Name]) -> Match {
        var match = Match()
        for name in names {
            if let other = name.isShrunk ? stems[name.stem] : shrunkStems[name.stem] { match.indices.append(other) }
            if let (stem, size) = name.bare, let other = stems[stem] {
                match.indices.append(other)
                match.number = size
            }
            if !numbered.isEmpty, let others = numbered[name.stem] {
                match.indices += others.map(\.index)
                match.numbered += others
            }
            if let file = name.file, let others = files[file.name] {
                StepCounter.add(others.count * file.directories.count)
                let same = others.first { Self.differInOneComponent($0.directories, file.directories) }
                if let same { match.indices.append(same.index) }
            }
        }
        return match
    }

    /// Adds the names of an image.
    mutating func add(_ names: [Name], at index: Int) {
        for name in names {
            stems.add(name.stem, index)
            if name.isShrunk { shrunkStems.add(name.stem, index) }
            if let (stem, size) = name.bare, numbered[stem, default: []].count < Self.most {
                numbered[stem, default: []].append((index, size))
            }
            if let file = name.file, files[file.name, default: []].count < Self.most {
                files[file.name, default: []].append(File(directories: file.directories, index: index))
            }
        }
    }

    // MARK: Parts of a key

    /// Returns the key without the suffix of its file name; nil for a key with a query or without a suffix.
    fileprivate static func stem(of key: String) -> String? {
        let bytes = key.utf8
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")),
            (2...5).contains(bytes.distance(from: dot, to: bytes.endIndex)),
            !bytes[dot...].contains(UInt8(ascii: "/")), !bytes.contains(UInt8(ascii: "?"))
        else { return nil }
        return String(key[..<dot])
    }

    /// Splits a stem such as `p-256`.
    fileprivate static func withoutNumber(_ stem: String) -> (stem: String, size: Double)? {
        let digits = stem.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count
        guard (2...4).contains(digits), stem.utf8.dropLast(digits).last == UInt8(ascii: "-"),
            let size = Double(Substring(stem.utf8.suffix(digits))), sizes.contains(size)
        else { return nil }
        return (String(Substring(stem.utf8.dropLast(digits + 1))), size)
    }

    /// Splits the key of an image with a long file name into its directories and the name with its host.
    fileprivate static func file(of key: String) -> (name: String, directories: [Substring])? {
        guard let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")), !key.utf8.contains(UInt8(ascii: "?")),
            key.utf8[slash...].count > shortestName
        else { return nil }
        let directories = key[..<slash].split(separator: "/", omittingEmptySubsequences: false)
        guard directories.count <= 32, let host = directories.first else { return nil }
        return ("\(host)\(key[slash...])", Array(directories.dropFirst()))
    }

    /// Returns whether two paths differ in one short component, or one of them lacks it.
    private static func differInOneComponent(_ one: [Substring], _ other: [Substring]) -> Bool {
        let (short, long) = one.count <= other.count ? (one, other) : (other, one)
        guard long.count - short.count <= 1 else { return false }
        let same = zip(short, long).prefix { $0 == $1 }.count
        guard same < long.count, long[same].utf8.count <= longestComponent else { return false }
        guard short.count == long.count else { return short[same...] == long[(same + 1)...] }
        return short[same].utf8.count <= longestComponent && short[(same + 1)...] == long[(same + 1)...]
    }
}
