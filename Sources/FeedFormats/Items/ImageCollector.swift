internal import FeedCore
internal import JSONText

/// Makes feed images of items. It serves the formats whose items may have any number of images, and invalid ones among
/// them.
struct ImageCollector {
    private(set) var images: [FeedImage] = []
    private(set) var itemStarts: [Int] = []
    private(set) var notes = FeedNotes()
    private var budget: TextBudget
    private var itemCount = 0
    private let links: ImageLinks
    /// Relative references without an `xml:base` resolve against this; if it is nil, against the feed's URL.
    private var base: ResourceURL?

    init(in document: FeedSource) {
        links = ImageLinks(in: document.url)
        budget = TextBudget(for: document)
    }

    /// Keeps the base if the link can't be used.
    mutating func setBase(_ link: String) { base = page(link, from: nil) ?? base }

    /// The URL of another page; nil if the reference can't be used.
    func page(_ reference: String?, from base: ResourceURL?) -> ResourceURL? {
        guard let reference else { return nil }
        do { return try links.target(of: reference, from: base) } catch { return nil }
    }

    mutating func add(_ given: FeedItem) throws(DecodingFailure) {
        try DecodingFailure.check()
        itemCount += 1
        guard given.images.count <= FeedItem.mostImages else { throw .crowd }
        var item = given.shortened
        // An item is often known by its URL, or that of its picture, and is shown by it.
        item.id = item.id?.withoutPasswords
        if let cut = item.cut {
            let number = itemCount
            notes.add("left out the rest of a text of item \(Self.name(item, number)): \(cut)")
        }
        var images = try resolve(item.images, of: item)
        if images.isEmpty { images = try resolve(item.thumbnails, of: item) }
        guard !images.isEmpty else { return }
        itemStarts.append(self.images.count)
        for (index, image) in images.enumerated() {
            let id = item.id.map { index == 0 ? $0 : "\($0)#\(index + 1)" } ?? image.url.text
            let description = image.description?.shortened(to: LongestText.words) ?? item.title
            let location = image.location?.shortened(to: LongestText.words) ?? item.location
            try budget.spend(id, description, location)
            self.images.append(FeedImage(id: id, description: description, location: location, url: image.url))
        }
    }

    /// Notes an item that no images can be made of.
    mutating func pass(over reason: String) {
        itemCount += 1
        let number = itemCount
        notes.add("left out item \(number): \(reason)")
    }

    mutating func note(_ note: String) { notes.add(note) }

    private struct Found {
        let url: ResourceURL
        var description: String?
        var location: String?
    }

    /// Keeps each URL once. A second mention adds what the first one lacks.
    private mutating func resolve(
        _ references: [ImageReference], of item: FeedItem
    ) throws(DecodingFailure) -> [Found] {
        var found: [Found] = []
        var places: [ResourceURL.Key: Int] = [:]
        for (index, reference) in references.enumerated() {
            if index % 256 == 255 { try DecodingFailure.check() }
            guard let (url, reference) = usable(reference, of: item) else { continue }
            if let place = places[url.key] {
                found[place].description = found[place].description ?? reference.description
                found[place].location = found[place].location ?? reference.location
            } else {
                try budget.spend(url.text, url.credentials)
                places[url.key] = found.count
                found.append(Found(url: url, description: reference.description, location: reference.location))
            }
        }
        return found
    }

    /// The reference itself, or the best other rendition that can be used.
    private mutating func usable(
        _ given: ImageReference, of item: FeedItem
    ) -> (url: ResourceURL, reference: ImageReference)? {
        var reason: String?
        do throws(InvalidURL) {
            if let url = try target(of: given) { return (url, given) }
        } catch {
            reason = error.reason
        }
        for var rendition in given.otherRenditions {
            do throws(InvalidURL) {
                guard let url = try target(of: rendition) else { continue }
                rendition.description = rendition.description ?? given.description
                rendition.location = rendition.location ?? given.location
                return (url, rendition)
            } catch {
                reason = reason ?? error.reason
            }
        }
        if let reason { note(given, of: item, reason) }
        return nil
    }

    private func target(of reference: ImageReference) throws(InvalidURL) -> ResourceURL? {
        try links.target(of: reference.reference, from: reference.base ?? base)
    }

    private mutating func note(_ reference: ImageReference, of item: FeedItem, _ reason: String) {
        let number = itemCount
        notes.add("left out an image of item \(Self.name(item, number)): \(Self.shown(reference)): \(reason)")
    }

    private static func name(_ item: FeedItem, _ number: Int) -> String {
        item.id.map { "\(number) (\(JSONWriter.quote($0, limit: 60)))" } ?? "\(number)"
    }

    /// In an invalid URL, anything before the last @ may be a password.
    private static func shown(_ given: ImageReference) -> String {
        let at = given.reference.utf8.lastIndex(of: UInt8(ascii: "@"))
        return JSONWriter.quote(at.map { "***\(given.reference[$0...])" } ?? given.reference, limit: 80)
    }
}
