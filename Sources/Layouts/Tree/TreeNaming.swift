internal import FeedCore
@_spi(_Unicode) internal import Swift

/// An image as a file of the tree.
struct TreeFile {
    let image: StoredImage
    let date: Timestamp
    /// The path of the directory, relative to the tree; empty for the tree itself.
    var directory: String
    let stem: String
    let ending: String

    /// Returns the path of the file if `number - 1` files have its name already: `a/b.jpg`, `a/b (2).jpg`.
    func path(_ number: Int = 1) -> String {
        let name = number == 1 ? stem + ending : "\(stem) (\(number))\(ending)"
        return directory.isEmpty ? name : "\(directory)/\(name)"
    }

    /// Returns the first paths of the files that can have this path: `a/b (2).jpg` is the second `a/b.jpg`, or the
    /// first file whose title ends in `(2)`.
    static func firstPaths(of path: String) -> [String] {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return [path] }
        let stem = path[..<dot]
        guard stem.utf8.last == UInt8(ascii: ")"), let open = stem.utf8.lastIndex(of: UInt8(ascii: "(")) else {
            return [path]
        }
        let digits = String(stem[stem.utf8.index(after: open)...].dropLast())
        let before = stem[..<open]
        guard let number = Int(digits), number > 1, String(number) == digits, before.utf8.last == UInt8(ascii: " ")
        else {
            return [path]
        }
        return [path, String(before.dropLast()) + path[dot...]]
    }
}

/// Chooses the paths of images in the tree.
struct TreeNaming {
    /// The number of bytes reserved for a number behind the stem of a name.
    private static let roomForNumber = 10

    let template: TreeTemplate
    private var directories = FeedDirectories()

    init(_ template: TreeTemplate) { self.template = template }

    mutating func files(of feed: GalleryFeed) -> [TreeFile] {
        let slug = directories.name(of: feed)
        let width = max(3, String(feed.images.count).count)
        var seen: Set<FileKey> = []
        var files: [TreeFile] = []
        files.reserveCapacity(feed.images.count)
        for (index, image) in feed.images.enumerated() {
            guard let stored = image.stored else { continue }
            let date = image.image.published ?? stored.fetchedAt
            let digits = String(index + 1)
            let values = FieldValues(
                feed: slug, day: date.day, image: image.image, stored: stored,
                number: String(repeating: "0", count: max(0, width - digits.count)) + digits)
            let ending = ".\(stored.type.fileExtension)"
            let file = TreeFile(
                image: stored, date: date,
                directory: template.directories.map { SafeName.make(values.text($0)) }.joined(separator: "/"),
                stem: SafeName.make(
                    values.text(template.file), limit: SafeName.maxLength - Self.roomForNumber - ending.utf8.count),
                ending: ending)
            // The same image under the same name becomes one file.
            if seen.insert(FileKey(digest: stored.digest, path: file.path())).inserted { files.append(file) }
        }
        return files
    }
}

/// The bytes and the first path of a file.
///
/// Two files with the same key are one file.
private struct FileKey: Hashable {
    let digest: Digest
    let path: String
}

/// The values of a template's fields for one image.
private struct FieldValues {
    let feed: String
    let day: String
    let image: FeedImage
    let stored: StoredImage
    let number: String

    func text(_ pieces: [TreeTemplate.Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field): value(field)
            }
        }.joined()
    }

    private func value(_ field: TreeTemplate.Field) -> String {
        switch field {
        case .feed: feed
        case .date: day
        case .year: String(day.prefix(4))
        case .month: String(day.dropFirst(5).prefix(2))
        case .title: title
        case .id: image.id
        case .n: number
        case .digest: stored.digest.hex
        case .ext: stored.type.fileExtension
        }
    }

    private var title: String {
        for text in [image.title, image.description] {
            if let text, text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) { return text }
        }
        return image.id
    }
}

/// Gives each feed a distinct directory name.
private struct FeedDirectories {
    private static let maxLength = 100
    private var names = DistinctNames()

    /// Returns a name made of the feed's title, or else of its URL.
    mutating func name(of feed: GalleryFeed) -> String {
        let slugs = [feed.head.title ?? "", feed.url.place].map(Self.slug)
        return names.name(like: slugs.first { !$0.isEmpty } ?? "feed")
    }

    /// Returns the letters of any script and the digits in lower case, with dashes between them.
    private static func slug(_ text: String) -> String {
        var slug = String.UnicodeScalarView()
        for scalar in text.lowercased()._nfc {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                slug.append(scalar)
            } else if let last = slug.last, last != "-" {
                slug.append("-")
            }
        }
        var cut = String(slug).cut(to: maxLength)
        if cut.last == "-" { cut.removeLast() }
        return cut
    }
}
