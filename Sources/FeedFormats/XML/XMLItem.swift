internal import FeedCore

/// An item of an XML feed during the read.
///
/// Each format ranks the sources of its images; a lower rank counts more.
struct XMLItem {
    var id: String?
    var title: String?
    /// The title that replaces a missing one.
    var otherTitle: String?
    /// The item's page on the web.
    var link: (reference: String, base: ResourceURL?)?
    /// The link that replaces a missing one.
    var otherLink: (reference: String, base: ResourceURL?)?
    /// The dates by their rank; the first one counts.
    private var dates: [Timestamp?] = [nil, nil, nil, nil]
    /// The names of the authors, in lower case.
    var authors: Set<String> = []
    var media = MediaRSS()
    var details = ItemDetails()
    /// The videos, sounds and documents.
    var others = OtherMedia()
    /// The images besides those of Media RSS.
    private var ranked: [(rank: Int, image: NamedImage)] = []
    /// The image of an item that has no other.
    var fallbackImage: NamedImage?
    /// The image of an item that has neither.
    private var bareImages = BareImages()
    /// The most images that the item may name, counting all renditions.
    private let mostRenditions: Int
    /// The text with the lowest rank so far.
    private var text: (rank: Int, ItemText)?

    /// The reason why the rest of the item's HTML was skipped, or nil.
    private var skipReason: String?

    init(mostRenditions: Int) { self.mostRenditions = mostRenditions }

    mutating func add(_ image: NamedImage?, rank: Int) throws(DecodingFailure) {
        guard let image else { return }
        ranked.append((rank, image))
        try checkCount()
    }

    mutating func add(text: ItemText, rank: Int) {
        if self.text.map({ rank < $0.rank }) != false { self.text = (rank, text) }
    }

    mutating func add(markup: String, base: ResourceURL?, rank: Int, with reader: HTMLReader) throws(DecodingFailure) {
        let (images, text, skipReason) = HTMLImages.find(
            in: markup, base: base, atMost: mostRenditions + 1, with: reader)
        self.skipReason = self.skipReason ?? skipReason
        add(text: text, rank: rank)
        for image in images { try add(image, rank: rank) }
    }

    /// Begins an element that only its name marks as an image.
    ///
    /// It returns nil for any other element.
    func beginBare(_ element: XMLElement) -> XMLInterest? { BareImages.isName(element.name) ? .text : nil }

    /// Takes the text of an element that `beginBare` began.
    ///
    /// It returns false for any other element.
    mutating func receiveBare(_ text: String, of name: XMLName) -> Bool {
        guard BareImages.isName(name) else { return false }
        bareImages.add(text, named: name.local)
        return true
    }

    mutating func add(bareImage text: String, named name: String) { bareImages.add(text, named: name) }

    /// Adds a date.
    ///
    /// Dates of publication have the ranks 0 and 1, dates of changes have the ranks 2 and 3.
    mutating func add(date text: String, rank: Int) { dates[rank] = dates[rank] ?? FeedDate.read(text) }

    /// Begins an element of Media RSS or a location.
    ///
    /// It returns nil for any other element.
    mutating func beginMedia(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest? {
        let interest = media.begin(element)
        if interest == .children, element.name == XMLName(.media, "content"), !MediaRSS.isImage(element) {
            others.add(
                element.attribute("url"), type: element.attribute("type"),
                medium: element.attribute("medium")?.lowercased())
        }
        try checkCount()
        return interest
    }

    /// Checks during the read, because each image takes many times the memory of its element.
    private func checkCount() throws(DecodingFailure) {
        guard ranked.count + media.count <= mostRenditions else { throw .tooMany(mostRenditions) }
    }

    /// The complete item.
    ///
    /// Media RSS comes first in every format.
    var item: FeedItem {
        let (images, thumbnails) = media.images(by: authors)
        // The sort is stable.
        let others = ranked.sorted { $0.rank < $1.rank }.map(\.image)
        return FeedItem(
            id: id, title: title ?? otherTitle, link: link ?? otherLink, published: dates.lazy.compactMap { $0 }.first,
            location: media.location, details: details, text: text?.1, images: images + others,
            substitutes: [fallbackImage.map { [$0] } ?? [], bareImages.image.map { [$0] } ?? [], thumbnails],
            others: self.others,
            skipReason: skipReason)
    }
}

/// The elements of RSS modules and of Atom that give the details of an item or a feed.
extension ItemDetails {
    private enum Detail {
        case author(rank: Int), rights(rank: Int), tag, keywords
    }

    private static func detail(_ name: XMLName) -> Detail? {
        switch (name.vocabulary, name.local) {
        case (.dublinCore, "creator"): .author(rank: 0)
        case (.plain, "author"), (.plain, "managingeditor"): .author(rank: 1)
        case (.itunes, "author"): .author(rank: 2)
        case (.dublinCore, "rights"), (.atom, "rights"), (.plain, "rights"): .rights(rank: 0)
        case (.media, "copyright"): .rights(rank: 1)
        case (.media, "license"): .rights(rank: 2)
        case (.creativeCommons, "license"): .rights(rank: 3)
        case (.plain, "copyright"): .rights(rank: 4)
        case (.plain, "category"): .tag
        case (.media, "keywords"): .keywords
        default: nil
        }
    }

    /// Begins an element.
    ///
    /// It returns nil for an element that gives no details.
    mutating func begin(_ element: XMLElement, named name: XMLName) -> XMLInterest? {
        if Self.isLicense(element) {
            add(rights: element.attribute("href"), rank: 4)
            return nil
        }
        switch Self.detail(name) {
        case nil: return nil
        case .rights(let rank):
            let url =
                element.attribute("href") ?? element.attribute("url") ?? element.attribute("resource", in: .rdf)
            guard let url, name.vocabulary != .dublinCore else { return .text }
            add(rights: url, rank: rank)
            return .nothing
        case .tag:
            guard let tag = element.attribute("label") ?? element.attribute("term") else { return .text }
            add(tag: tag)
            return .nothing
        case .author, .keywords: return .text
        }
    }

    /// Takes the text of an element that `begin` began.
    ///
    /// It returns false for any other element.
    mutating func receive(_ text: String, of name: XMLName, with html: HTMLReader) -> Bool {
        switch Self.detail(name) {
        case nil: return false
        case .author(let rank):
            // An address in angle brackets looks like an element of HTML.
            let isAddress = text.utf8.contains(UInt8(ascii: "@"))
            add(author: isAddress ? text : PlainText.of(text, with: html), rank: rank)
        case .rights(let rank): add(rights: PlainText.of(text, with: html), rank: rank)
        case .tag: add(tag: PlainText.of(text, with: html))
        case .keywords: for word in text.split(separator: ",") { add(tag: String(word)) }
        }
        return true
    }

    private static func isLicense(_ element: XMLElement) -> Bool {
        element.name.local == "link" && element.isLink("license")
    }
}
