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

    /// The most names that are compared with a new one. It bounds the time for an item of many similar names.
    private static let most = 16
    /// The shortest name that identifies an image in several directories, and the longest component by which their
    /// paths differ.
    private static let shortestName = 16
    private static let longestComponent = 8
    /// The numbers behind a name that can be sizes. Smaller ones count the images of a post.
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
