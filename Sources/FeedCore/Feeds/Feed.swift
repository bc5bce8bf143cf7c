/// A list of images as a server sends it.
package struct Feed: Hashable, Sendable {
    /// The name of a format.
    ///
    /// An archive can have a name that only a later version knows.
    package struct Format: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let essential = Format(rawValue: "essential")
        package static let jsonFeed = Format(rawValue: "jsonfeed")
        package static let rss = Format(rawValue: "rss")
        package static let atom = Format(rawValue: "atom")
    }

    package let format: Format
    package let title: String?
    /// The language of the texts, as a well-formed tag such as `pt-BR`.
    package let language: String?
    package let images: [FeedImage]

    package init(format: Format, title: String? = nil, language: String? = nil, images: [FeedImage]) {
        self.format = format
        self.title = title
        self.language = language.flatMap(LanguageTag.wellFormed)
        self.images = images
    }

    /// Returns the feed with other images.
    package func with(_ images: [FeedImage]) -> Feed {
        Feed(format: format, title: title, language: language, images: images)
    }
}

/// The tag of a language by RFC 5646, such as `en` or `pt-BR`.
package enum LanguageTag {
    private static let maxLength = 35

    /// Returns the tag without its white space; nil unless it has the form of one.
    package static func wellFormed(_ text: String) -> String? {
        let tag = text.filter { !$0.isWhitespace }
        guard tag.utf8.count <= maxLength else { return nil }
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = parts.first, first.count >= 2 else { return nil }
        let areWellFormed = parts.allSatisfy { part in
            (1...8).contains(part.count)
                && part.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
        }
        return areWellFormed ? tag : nil
    }
}

/// What distinguishes two versions of a feed.
struct FeedChanges {
    /// The images that have left the feed.
    private(set) var left: [FeedImage] = []
    /// The images that are new in the feed.
    private(set) var new: [FeedImage] = []
    /// The ids of images that have another id now.
    private(set) var renamed: [(old: String, new: String)] = []

    /// Compares the versions.
    ///
    /// Images with the same id are the same image. So are two images with the same URLs, words, link and date, because
    /// some servers make new ids for each response. `returned` are kept images that the feed contains again.
    init(from old: Feed, to later: Feed, returned: [FeedImage] = [], lastSeen moment: Timestamp) {
        let before = Set(old.images.lazy.map { ExactText($0.id) }).union(returned.lazy.map { ExactText($0.id) })
        let now = Set(later.images.lazy.map { ExactText($0.id) })
        var arrived: [Place: [FeedImage]] = [:]
        for image in later.images where !before.contains(ExactText(image.id)) {
            arrived[Place(image), default: []].append(image)
        }
        let urls = Set(later.images.lazy.map(\.url.key))
        var taken: Set<ExactText> = []
        for image in old.images where !now.contains(ExactText(image.id)) {
            // An item can have fewer images now and still have this one.
            let item = image.id.utf8.lastIndex(of: UInt8(ascii: "#")).map { String(image.id[..<$0]) }
            if let item, now.contains(ExactText(item)), urls.contains(image.url.key) { continue }
            if let same = arrived[Place(image)]?.popLast() {
                renamed.append((image.id, same.id))
                taken.insert(ExactText(same.id))
            } else {
                left.append(image.leaving(moment))
            }
        }
        for image in later.images {
            let id = ExactText(image.id)
            if !before.contains(id), !taken.contains(id) { new.append(image) }
        }
    }

    /// Everything but the id that identifies an image.
    struct Place: Hashable {
        let urls: [ResourceURL.Key]
        let words: [ExactText?]
        let link: ResourceURL.Key?
        let published: Timestamp?

        init(_ image: FeedImage) {
            urls = [image.url.key] + image.alternatives.map(\.key)
            words = [image.title, image.description].map { $0.map(ExactText.init) }
            link = image.link?.key
            published = image.published
        }
    }
}

extension Feed {
    /// Returns the kept images that are absent from this feed.
    func withoutNamed(_ kept: [FeedImage]) -> [FeedImage] {
        guard !kept.isEmpty else { return [] }
        let named = Set(images.lazy.map { ExactText($0.id) })
        return kept.filter { !named.contains(ExactText($0.id)) }
    }

    /// Returns the earlier URLs of images whose URLs differ only in the query.
    ///
    /// The query can be a signature that the server makes anew each time.
    func predecessors(in earlier: [FeedImage]) -> [ResourceURL.Key: ResourceURL] {
        var places: [ExactText: ResourceURL] = [:]
        for image in earlier where image.url.hasQuery { places[ExactText(image.id)] = image.url }
        guard !places.isEmpty else { return [:] }
        var predecessors: [ResourceURL.Key: ResourceURL] = [:]
        for image in images where image.url.hasQuery {
            guard let old = places[ExactText(image.id)], old.key != image.url.key,
                old.withoutQuery == image.url.withoutQuery
            else { continue }
            predecessors[image.url.key] = old
        }
        return predecessors
    }
}
