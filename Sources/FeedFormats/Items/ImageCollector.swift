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
    private let mostImages: Int
    private let takesAll: Bool
    private let filter: ImageFilter?
    private let beginning: (ItemText) -> String?
    /// Relative references without an `xml:base` resolve against this; if it is nil, against the feed's URL.
    private var base: ResourceURL?

    /// `beginning` are the first words of a text.
    init(
        in document: FeedSource, taking selection: ImageSelection, beginning: @escaping (ItemText) -> String?
    ) {
        self.beginning = beginning
        links = ImageLinks(in: document.url)
        mostImages = document.mostImages
        budget = TextBudget(for: document)
        takesAll = selection.all
        filter = ImageFilter(selection)
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
        var item = given.shortened
        // An item is often known by its URL, or that of its image, and is shown by it.
        item.id = item.id?.withoutPasswords
        let number = itemCount
        if let cut = item.cut {
            notes.add("left out the rest of a text of item \(Self.name(item, number)): \(cut)")
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

    private mutating func append(_ merged: [MergedImages.Image], of item: FeedItem) throws(DecodingFailure) {
        let link = page(item.link?.reference, from: item.link?.base ?? base)
            .flatMap { $0.isRemote ? $0.withoutCredentials : nil }
        var words = item.title
        if words == nil, let text = item.text, merged.contains(where: { $0.description == nil }) {
            words = beginning(text)
        }
        let post = FeedPost(title: item.title, link: link, published: item.published)
        for (index, image) in merged.enumerated() {
            guard images.count < mostImages else { throw .tooMany(mostImages) }
            let url = image.addresses[0]
            let id = item.id.map { index == 0 ? $0 : "\($0)#\(index + 1)" } ?? url.text
            let description = image.description?.shortened(to: LongestText.words) ?? words
            let location = image.location?.shortened(to: LongestText.words) ?? item.location
            budget.addImage()
            try budget.spend(id, description, location, item.title, link?.text)
            images.append(
                FeedImage(
                    id: id, description: description, location: location, url: url, post: post,
                    alternatives: image.addresses.dropFirst().map(\.withoutCredentials)))
        }
    }

    /// Notes an item that no images can be made of.
    mutating func pass(over reason: String) {
        itemCount += 1
        let number = itemCount
        notes.add("left out item \(number): \(reason)")
    }

    mutating func note(_ note: String) { notes.add(note) }

    // MARK: Images

    private struct Usable {
        let image: NamedImage
        var addresses: [ResourceURL] = []
    }

    private mutating func resolve(
        _ images: [NamedImage], of item: FeedItem
    ) throws(DecodingFailure) -> [MergedImages.Image] {
        var usable: [Usable] = []
        for (index, image) in images.enumerated() {
            if index % 256 == 255 { try DecodingFailure.check() }
            if let found = try usableAddresses(image, of: item) { usable.append(found) }
        }
        if let filter { try leaveOut(by: filter, &usable) }
        var united = MergedImages(count: usable.count, sided: usable.count { $0.image.hasSides })
        for found in usable { united.add(found.image, at: found.addresses) }
        return united.all
    }

    /// Nil without any, and for decoration.
    private mutating func usableAddresses(
        _ image: NamedImage, of item: FeedItem
    ) throws(DecodingFailure) -> Usable? {
        var usable = Usable(image: image)
        var reason: String?
        var decoration = image.decoration
        for address in image.addresses where usable.addresses.count <= NamedImage.mostAddresses {
            let base = address.base ?? base
            StepCounter.add(address.reference.utf8.count + (base?.text.utf8.count ?? 0))
            let url: ResourceURL?
            do throws(InvalidURL) {
                url = try links.target(of: address.reference, from: base)
            } catch {
                reason = reason ?? error.reason
                // That it is invalid may have shown only at the end of the whole.
                try budget.spend(address.reference, base?.text)
                continue
            }
            guard let url else {
                try budget.spend(address.reference)
                reason = reason ?? "a data: URL, which holds the image itself"
                continue
            }
            try budget.spend(url.text, url.credentials)
            // A password is kept of the address that counts, and of no other.
            guard usable.addresses.isEmpty || url.credentials == nil else { continue }
            decoration = decoration ?? Decoration.of(url)
            usable.addresses.append(url)
        }
        if let decoration, !takesAll {
            note(image, of: item, decoration.what)
            return nil
        }
        guard usable.addresses.isEmpty else { return usable }
        if let reason { note(image, of: item, reason) }
        return nil
    }

    /// It is as if the feed didn't name them.
    private func leaveOut(by filter: ImageFilter, _ usable: inout [Usable]) throws(DecodingFailure) {
        var taken = try filter.takes(usable.flatMap(\.addresses))[...]
        for index in usable.indices {
            usable[index].addresses.removeAll { _ in taken.popFirst() == false }
        }
        usable.removeAll(where: \.addresses.isEmpty)
    }

    // MARK: Notes

    private mutating func note(_ image: NamedImage, of item: FeedItem, _ reason: String) {
        let number = itemCount
        notes.add("left out an image of item \(Self.name(item, number)): \(Self.shown(image)): \(reason)")
    }

    private static func name(_ item: FeedItem, _ number: Int) -> String {
        item.id.map { "\(number) (\(JSONWriter.quote($0, limit: 60)))" } ?? "\(number)"
    }

    /// In an invalid URL, anything before the last @ may be a password.
    private static func shown(_ image: NamedImage) -> String {
        let reference = image.addresses.first?.reference ?? ""
        let at = reference.utf8.lastIndex(of: UInt8(ascii: "@"))
        return JSONWriter.quote(at.map { "***\(reference[$0...])" } ?? reference, limit: 80)
    }
}
