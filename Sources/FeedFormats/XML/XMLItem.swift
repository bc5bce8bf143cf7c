internal import FeedCore

/// An item of an XML feed while it is read. Each format numbers the kinds of its images with a rank: a lower rank
/// counts more.
struct XMLItem {
    var id: String?
    var title: String?
    /// Stands in for a missing title.
    var otherTitle: String?
    /// The item's page on the web.
    var link: (reference: String, base: ResourceURL?)?
    /// Stands in for a missing link.
    var otherLink: (reference: String, base: ResourceURL?)?
    var published: Timestamp?
    /// Stands in for a missing date.
    var otherDate: Timestamp?
    /// In small letters.
    var authors: Set<String> = []
    var media = MediaRSS()
    /// The images besides those of Media RSS.
    private var ranked: [(rank: Int, image: NamedImage)] = []
    /// A image that counts where there is no other.
    var loneImage: NamedImage?
    /// The most images that the item may name, counting all renditions.
    private let mostNamed: Int
    /// What it says, and how much that counts.
    private var text: (rank: Int, ItemText)?

    /// Why the rest of its HTML was left out, if it was.
    private var cut: String?

    init(mostNamed: Int) { self.mostNamed = mostNamed }

    mutating func add(_ image: NamedImage?, rank: Int) throws(DecodingFailure) {
        guard let image else { return }
        ranked.append((rank, image))
        try checkCount()
    }

    mutating func add(text: ItemText, rank: Int) {
        if self.text.map({ rank < $0.rank }) != false { self.text = (rank, text) }
    }

    mutating func add(markup: String, base: ResourceURL?, rank: Int, with reader: HTMLReader) throws(DecodingFailure) {
        let (images, cut) = HTMLImages.find(in: markup, base: base, atMost: mostNamed + 1, with: reader)
        self.cut = self.cut ?? cut
        add(text: ItemText(text: markup), rank: rank)
        for image in images { try add(image, rank: rank) }
    }

    /// Nil for an element that tells nothing of images.
    mutating func beginMedia(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest? {
        let interest = media.begin(element)
        try checkCount()
        return interest
    }

    /// Checks while reading, as each image takes many times the memory of its element.
    private func checkCount() throws(DecodingFailure) {
        guard ranked.count + media.count <= mostNamed else { throw .tooMany(mostNamed) }
    }

    /// Media RSS comes first in every format.
    var item: FeedItem {
        let (images, thumbnails) = media.images(by: authors)
        // Sorting keeps the order of equals.
        let others = ranked.sorted { $0.rank < $1.rank }.map(\.image)
        return FeedItem(
            id: id, title: title ?? otherTitle, link: link ?? otherLink, published: published ?? otherDate,
            location: media.location, text: text?.1, images: images + others,
            substitutes: [loneImage.map { [$0] } ?? [], thumbnails], cut: cut)
    }
}
