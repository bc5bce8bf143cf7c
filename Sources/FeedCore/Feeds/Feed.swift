/// A list of images as a server sends it.
package struct Feed: Hashable, Sendable {
    package enum Format: String, Sendable {
        case essential
        case jsonFeed = "jsonfeed"
        case rss, atom
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

extension Feed {
    /// Returns the images that a later version of this feed lacks.
    ///
    /// Items with the same id are the same item.
    package func images(goneFrom later: Feed, lastSeen moment: Timestamp) -> [FeedImage] {
        let known = Set(later.images.lazy.map { ExactText($0.id) })
        let places = Set(later.images.lazy.map(\.url.key))
        return images.compactMap { image in
            if known.contains(ExactText(image.id)) { return nil }
            // An item can have fewer images now and still have this one.
            let item = image.id.utf8.lastIndex(of: UInt8(ascii: "#")).map { String(image.id[..<$0]) }
            if let item, known.contains(ExactText(item)), places.contains(image.url.key) { return nil }
            return image.leaving(moment)
        }
    }

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
