internal import FeedCore
internal import JSONText

/// Makes feed images of items, for the formats whose items may name none, one or many, and name them carelessly.
struct ImageCollector {
    /// A feed that is wrong throughout would else fill the memory with complaints.
    private static let mostNotes = 100

    private var found = FeedImages()
    private(set) var itemStarts: [Int] = []
    private var notes: [String] = []
    private var notesLeft = 0
    private var itemCount = 0
    private let links: ImageLinks
    /// What relative references begin at where no `xml:base` says otherwise; nil: at the feed.
    private var base: ResourceURL?

    init(in feed: ResourceURL) { links = ImageLinks(in: feed) }

    /// A link that can't be used leaves it as it was.
    mutating func setBase(_ link: String) { base = page(link, from: nil) ?? base }

    /// Where a reference to another page leads, if it leads anywhere.
    func page(_ reference: String?, from base: ResourceURL?) -> ResourceURL? {
        guard let reference else { return nil }
        do { return try links.target(of: reference, from: base) } catch { return nil }
    }

    var images: [FeedImage] { found.finish() }

    var allNotes: [String] { notesLeft == 0 ? notes : notes + ["and \(notesLeft) images more were left out"] }

    mutating func add(_ item: FeedItem) {
        itemCount += 1
        var images = resolve(item.images, of: item)
        if images.isEmpty { images = resolve(item.thumbnails, of: item) }
        guard !images.isEmpty else { return }
        itemStarts.append(found.count)
        for (index, image) in images.enumerated() {
            let id = item.id.map { index == 0 ? $0 : "\($0)#\(index + 1)" }
            found.append(
                id: id ?? image.url.text, description: image.description ?? item.title,
                location: image.location ?? item.location, url: image.url)
        }
    }

    private struct Found {
        let url: ResourceURL
        var description: String?
        var location: String?
    }

    /// Each URL once; what a second mention knows of it and the first didn't is kept.
    private mutating func resolve(_ references: [ImageReference], of item: FeedItem) -> [Found] {
        var found: [Found] = []
        var places: [ResourceURL.Key: Int] = [:]
        for reference in references {
            do throws(InvalidURL) {
                guard let url = try links.target(of: reference.reference, from: reference.base ?? base) else {
                    continue
                }
                if let place = places[url.key] {
                    found[place].description = found[place].description ?? reference.description
                    found[place].location = found[place].location ?? reference.location
                } else {
                    places[url.key] = found.count
                    found.append(Found(url: url, description: reference.description, location: reference.location))
                }
            } catch {
                note(reference, of: item, error.reason)
            }
        }
        return found
    }

    private mutating func note(_ reference: ImageReference, of item: FeedItem, _ reason: String) {
        guard notes.count < Self.mostNotes else {
            notesLeft += 1
            return
        }
        let name = item.id.map { " (\(JSONWriter.quote($0, limit: 60)))" } ?? ""
        let shown = JSONWriter.quote(Self.withoutPassword(reference.reference), limit: 80)
        notes.append("left out an image of item \(itemCount)\(name): \(shown): \(reason)")
    }

    /// In a URL that is wrong, nothing before the last @ is known not to be a password.
    private static func withoutPassword(_ reference: String) -> String {
        guard let at = reference.utf8.lastIndex(of: UInt8(ascii: "@")) else { return reference }
        return "***\(reference[at...])"
    }
}
