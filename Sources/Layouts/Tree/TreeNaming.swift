internal import FeedCore
@_spi(_Unicode) internal import Swift

/// Chooses the paths of images in the tree.
struct TreeNaming {
    /// The number of bytes reserved for a number behind the stem of a name.
    private static let roomForNumber = 10
    private static let day: Int64 = 86_400_000_000

    let template: TreeTemplate
    private var directories = FeedDirectories()
    /// The dates that were written so far, because many images share a day.
    private var days: [Int64: String] = [:]
    /// The last directory, because many images in a row share it.
    private var lastDirectory: (text: [String], path: String)?

    init(_ template: TreeTemplate) { self.template = template }

    /// Returns the files of a feed, the `index`th of the tree, in the order of the feed.
    ///
    /// With `newest`, these are the newest images only.
    mutating func files(
        of feed: GalleryFeed, at index: Int, newest: Int?, numbering memory: inout TreeMemory
    ) throws(FeedError) -> [TreeFile] {
        let (slug, tag) = (directories.name(of: feed), try FeedTag(feed.url))
        var chosen: [(position: Int, number: Int)] = []
        for position in TreeOrder.chosen(feed.images, newest: newest) {
            chosen.append((position, memory.number(ofImage: feed.images[position].image.id, in: tag)))
        }
        chosen.sort { $0.position < $1.position }
        var files: [TreeFile] = []
        files.reserveCapacity(chosen.count)
        for (position, number) in chosen {
            let image = feed.images[position]
            guard let stored = image.known else { continue }
            let date = image.image.published ?? stored.fetchedAt
            let values = FieldValues(
                feed: slug, day: self.day(of: date), image: image.image, stored: stored, number: number)
            let ending = ".\(stored.type.fileExtension)"
            files.append(
                TreeFile(
                    feed: index, position: position, tag: tag,
                    content: FileContent(digest: stored.digest, size: stored.size), date: date,
                    directory: directory(values),
                    stem: SafeName.make(
                        values.text(template.file), limit: SafeName.maxLength - Self.roomForNumber - ending.utf8.count),
                    ending: ending, isLost: image.stored == nil))
        }
        return files
    }

    private mutating func day(of date: Timestamp) -> String {
        let (day, rest) = date.microseconds.quotientAndRemainder(dividingBy: Self.day)
        let number = rest < 0 ? day - 1 : day
        if let known = days[number] { return known }
        let text = date.day
        days[number] = text
        return text
    }

    private mutating func directory(_ values: FieldValues) -> String {
        let text = template.directories.map { values.text($0) }
        if let last = lastDirectory, last.text == text { return last.path }
        let path = text.map { SafeName.make($0) }.joined(separator: "/")
        lastDirectory = (text, path)
        return path
    }
}

/// The order of a feed's images in time.
enum TreeOrder {
    /// Returns the positions of the images that get a file, older images first: of several images with the same bytes,
    /// the newest; with `newest`, the newest ones only.
    ///
    /// An image without a date takes the date of the next older one with a date, because feeds begin with the newest
    /// image.
    static func chosen(_ images: [GalleryImage], newest: Int?) -> [Int] {
        var order: [(moment: Int64, age: Int, position: Int)] = []
        order.reserveCapacity(images.count)
        var moment = Int64.min
        for position in images.indices.reversed() {
            moment = images[position].image.published?.microseconds ?? moment
            if images[position].known != nil { order.append((moment, order.count, position)) }
        }
        order.sort { ($0.moment, $0.age) < ($1.moment, $1.age) }
        var chosen: [Int] = []
        var digests: Set<Digest> = []
        digests.reserveCapacity(min(order.count, newest ?? .max))
        for (_, _, position) in order.reversed() where chosen.count < newest ?? .max {
            guard let stored = images[position].known, digests.insert(stored.digest).inserted else { continue }
            chosen.append(position)
        }
        return chosen.reversed()
    }
}

/// The values of a template's fields for one image.
private struct FieldValues {
    let feed: String
    let day: String
    let image: FeedImage
    let stored: StoredImage
    let number: Int

    func text(_ pieces: [TreeTemplate.Piece]) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let literal): text += literal
            case .field(let field): text += value(field)
            }
        }
        return text
    }

    private func value(_ field: TreeTemplate.Field) -> String {
        switch field {
        case .feed: feed
        case .date: day
        case .year: String(day.prefix(4))
        case .month: String(day.dropFirst(5).prefix(2))
        case .title: title
        case .author: image.author ?? ""
        case .id: image.id
        // The width is the same for all numbers, because the name of an image must not change when the feed grows.
        case .n: number < 100 ? String(repeating: "0", count: number < 10 ? 2 : 1) + String(number) : String(number)
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
