internal import FeedCore
internal import JSONText

/// Makes feed images from items, for the formats whose items may have any number of images, valid and invalid ones.
struct ImageCollector {
    private(set) var images: [FeedImage] = []
    private(set) var itemStarts: [Int] = []
    private(set) var notes = FeedNotes()
    private var budget: TextBudget
    private var itemCount = 0
    private let links: ImageLinks
    private let mostImages: Int
    private let keepsDecoration: Bool
    private let filter: ImageFilter?
    private let beginning: (ItemText) -> String?
    /// The URL against which references without an `xml:base` resolve; nil for the feed's own URL.
    private var base: ResourceURL?

    /// Creates a collector. `beginning` returns the first words of a text.
    init(
        in document: FeedSource, taking selection: ImageSelection, beginning: @escaping (ItemText) -> String?
    ) {
        self.beginning = beginning
        links = ImageLinks(in: document.url)
        mostImages = document.mostImages
        budget = TextBudget(for: document)
        keepsDecoration = selection.all
        filter = ImageFilter(selection)
    }

    /// Sets the base, if the link is a valid URL.
    mutating func setBase(_ link: String) { base = page(link, from: nil) ?? base }

    /// Returns the URL of another page; nil for an invalid reference.
    func page(_ reference: String?, from base: ResourceURL?) -> ResourceURL? {
        guard let reference else { return nil }
        do { return try links.target(of: reference, from: base) } catch { return nil }
    }

    mutating func add(_ given: FeedItem) throws(DecodingFailure) {
        try DecodingFailure.check()
        itemCount += 1
        var item = given.shortened
        // Many items use their URL or their image's URL as id, and reports show the id.
        item.id = item.id?.withoutPasswords
        let number = itemCount
        if let skipReason = item.skipReason {
            notes.add("left out the rest of a text of item \(Self.name(item, number)): \(skipReason)")
        }
        let noteCount = notes.count
        var merged = try resolve(item.images, of: item)
        for substitutes in item.substitutes where merged.isEmpty { merged = try resolve(substitutes, of: item) }
        guard !merged.isEmpty else {
            if notes.count == noteCount { notes.add("item \(Self.name(item, number)) has no image") }
            return
        }
        itemStarts.append(images.count)
        try append(merged, of: item)
    }

    private mutating func append(_ merged: [MergedImages.MergedImage], of item: FeedItem) throws(DecodingFailure) {
        let link = page(item.link?.reference, from: item.link?.base ?? base)
            .flatMap { $0.isRemote ? $0.withoutCredentials : nil }
        var words = item.title
        if words == nil, let text = item.text, merged.contains(where: { $0.description == nil }) {
            words = beginning(text)
        }
        let post = FeedPost(title: item.title, link: link, published: item.published)
        for (index, image) in merged.enumerated() {
            guard images.count < mostImages else { throw .tooMany(mostImages) }
            let url = image.urls[0]
            let id = item.id.map { index == 0 ? $0 : "\($0)#\(index + 1)" } ?? url.text
            let description = image.description?.shortened(to: LongestText.words) ?? words
            let location = image.location?.shortened(to: LongestText.words) ?? item.location
            budget.addImage()
            try budget.spend(id, description, location, item.title, link?.text)
            images.append(
                FeedImage(
                    id: id, description: description, location: location, url: url, post: post,
                    alternatives: image.urls.dropFirst().map(\.withoutCredentials)))
        }
    }

    /// Notes an item that is skipped because it is invalid.
    mutating func skipItem(because reason: String) {
        itemCount += 1
        let number = itemCount
        notes.add("left out item \(number): \(reason)")
    }

    mutating func note(_ note: String) { notes.add(note) }

    // MARK: Images

    private struct Usable {
        let image: NamedImage
        var urls: [ResourceURL] = []
    }

    private mutating func resolve(
        _ images: [NamedImage], of item: FeedItem
    ) throws(DecodingFailure) -> [MergedImages.MergedImage] {
        var usable: [Usable] = []
        for (index, image) in images.enumerated() {
            if index % 256 == 255 { try DecodingFailure.check() }
            if let found = try usableURLs(image, of: item) { usable.append(found) }
        }
        if let filter { try apply(filter, to: &usable) }
        var merged = MergedImages(count: usable.count, sided: usable.count { $0.image.hasSides })
        for found in usable { merged.add(found.image, at: found.urls) }
        return merged.all
    }

    /// Returns the image with its valid URLs; nil for decoration and for an image without a valid URL.
    private mutating func usableURLs(
        _ image: NamedImage, of item: FeedItem
    ) throws(DecodingFailure) -> Usable? {
        var usable = Usable(image: image)
        var reason: String?
        var decoration = image.decoration
        for rendition in image.renditions where usable.urls.count <= NamedImage.mostURLs {
            let base = rendition.base ?? base
            StepCounter.add(rendition.reference.utf8.count + (base?.text.utf8.count ?? 0))
            let url: ResourceURL?
            do throws(InvalidURL) {
                url = try links.target(of: rendition.reference, from: base)
            } catch {
                reason = reason ?? error.reason
                // The URL parser may have read the whole reference before it found the error.
                try budget.spend(rendition.reference, base?.text)
                continue
            }
            guard let url else {
                try budget.spend(rendition.reference)
                reason = reason ?? "a data: URL, which holds the image itself"
                continue
            }
            try budget.spend(url.text, url.credentials)
            // Credentials are kept for the first URL only.
            guard usable.urls.isEmpty || url.credentials == nil else { continue }
            decoration = decoration ?? Decoration.of(url)
            usable.urls.append(url)
        }
        if let decoration, !keepsDecoration {
            note(image, of: item, decoration.what)
            return nil
        }
        guard usable.urls.isEmpty else { return usable }
        if let reason { note(image, of: item, reason) }
        return nil
    }

    /// Removes the URLs that the filter rejects, as if the feed had omitted them.
    private func apply(_ filter: ImageFilter, to usable: inout [Usable]) throws(DecodingFailure) {
        var accepted = try filter.accepts(usable.flatMap(\.urls))[...]
        for index in usable.indices {
            usable[index].urls.removeAll { _ in accepted.popFirst() == false }
        }
        usable.removeAll(where: \.urls.isEmpty)
    }

    // MARK: Notes

    private mutating func note(_ image: NamedImage, of item: FeedItem, _ reason: String) {
        let number = itemCount
        notes.add("left out an image of item \(Self.name(item, number)): \(Self.quoted(image)): \(reason)")
    }

    private static func name(_ item: FeedItem, _ number: Int) -> String {
        item.id.map { "\(number) (\(JSONWriter.quote($0, limit: 60)))" } ?? "\(number)"
    }

    /// Returns the quoted reference for a message. It replaces everything before the last @, because an invalid URL may
    /// contain a password.
    private static func quoted(_ image: NamedImage) -> String {
        let reference = image.renditions.first?.reference ?? ""
        let at = reference.utf8.lastIndex(of: UInt8(ascii: "@"))
        return JSONWriter.quote(at.map { "***\(reference[$0...])" } ?? reference, limit: 80)
    }
}

/// The notes on skipped parts of a feed, which the user reads. Their number is limited to bound the memory for a feed
/// of invalid items.
struct FeedNotes {
    private static let most = 100

    private var notes: [String] = []
    private var omitted = 0

    var count: Int { notes.count + omitted }

    var all: [String] { omitted == 0 ? notes : notes + ["and \(omitted) more were left out"] }

    mutating func add(_ note: @autoclosure () -> String) {
        if notes.count < Self.most { notes.append(note()) } else { omitted += 1 }
    }
}

/// Limits the memory for texts that a feed writes once and each of its images holds: ids, titles, the beginnings of
/// URLs. The limit grows with the size of the feed plus the number of its images, rather than with their product.
struct TextBudget {
    private static let ofEachImage = 1024

    private var left: Int

    init(for document: FeedSource) {
        let size = document.bytes.count
        left = (1 << 20) + max(2 * size, min(8 * size, 64 << 20))
    }

    mutating func addImage() { left += Self.ofEachImage }

    mutating func spend(_ texts: String?...) throws(DecodingFailure) {
        for text in texts { left -= text?.utf8.count ?? 0 }
        guard left >= 0 else { throw .excess }
    }
}
