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

    /// Returns the images that are the same as one with these identities.
    func matches(of identities: [ImageIdentity]) -> Match {
        var match = Match()
        for identity in identities {
            guard let stem = Self.stem(of: identity.key) else { continue }
            StepCounter.add(stem.utf8.count)
            if let other = identity.isShrunk ? stems[stem] : shrunkStems[stem] { match.indices.append(other) }
            if let (bare, size) = Self.withoutNumber(stem), let other = stems[bare] {
                match.indices.append(other)
                match.number = size
            }
            if let others = numbered[stem] {
                match.indices += others.map(\.index)
                match.numbered += others
            }
            if let file = Self.file(of: identity.key), let others = files[file.name] {
                StepCounter.add(others.count * file.directories.count)
                let same = others.first { Self.differInOneComponent($0.directories, file.directories) }
                if let same { match.indices.append(same.index) }
            }
        }
        return match
    }

    /// Adds the identities of an image's URLs.
    mutating func add(_ identities: [ImageIdentity], at index: Int) {
        for identity in identities {
            guard let stem = Self.stem(of: identity.key) else { continue }
            stems.add(stem, index)
            if identity.isShrunk { shrunkStems.add(stem, index) }
            if let (bare, size) = Self.withoutNumber(stem), numbered[bare, default: []].count < Self.most {
                numbered[bare, default: []].append((index, size))
            }
            guard let file = Self.file(of: identity.key), files[file.name, default: []].count < Self.most else {
                continue
            }
            files[file.name, default: []].append(File(directories: file.directories, index: index))
        }
    }

    // MARK: Parts of a key

    /// Returns the key without the suffix of its file name; nil for a key with a query or without a suffix.
    private static func stem(of key: String) -> String? {
        let bytes = key.utf8
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")),
            (2...5).contains(bytes.distance(from: dot, to: bytes.endIndex)),
            !bytes[dot...].contains(UInt8(ascii: "/")), !bytes.contains(UInt8(ascii: "?"))
        else { return nil }
        return String(key[..<dot])
    }

    /// Splits a stem such as `p-256`.
    private static func withoutNumber(_ stem: String) -> (bare: String, size: Double)? {
        let digits = stem.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count
        guard (2...4).contains(digits), stem.utf8.dropLast(digits).last == UInt8(ascii: "-"),
            let size = Double(Substring(stem.utf8.suffix(digits))), sizes.contains(size)
        else { return nil }
        return (String(Substring(stem.utf8.dropLast(digits + 1))), size)
    }

    /// Splits the key of an image with a long file name into its directories and the name with its host.
    private static func file(of key: String) -> (name: String, directories: [Substring])? {
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
