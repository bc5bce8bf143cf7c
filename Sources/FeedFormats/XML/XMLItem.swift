internal import FeedCore

/// An item of an XML feed while it is read. Each format numbers the kinds of its pictures with a rank: a lower rank
/// counts more.
struct XMLItem {
    var id: String?
    var title: String?
    /// Stands in for a missing title.
    var otherTitle: String?
    var media = MediaRSS()
    /// The pictures besides those of Media RSS.
    private var ranked: [(rank: Int, reference: ImageReference)] = []

    /// Why the rest of its HTML was left out, if it was.
    private var cut: String?

    mutating func add(_ reference: ImageReference?, rank: Int) throws(DecodingFailure) {
        guard let reference else { return }
        ranked.append((rank, reference))
        try checkCount()
    }

    mutating func add(markup: String, base: ResourceURL?, rank: Int, with reader: HTMLReader) throws(DecodingFailure) {
        let (images, cut) = HTMLImages.find(in: markup, with: reader)
        self.cut = self.cut ?? cut
        for image in images {
            try add(ImageReference(image.source, base: base, description: image.description), rank: rank)
        }
    }

    /// Nil for an element that tells nothing of pictures.
    mutating func beginMedia(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest? {
        let interest = media.begin(element)
        try checkCount()
        return interest
    }

    /// Checks while reading, as each picture takes many times the memory of its element.
    private func checkCount() throws(DecodingFailure) {
        guard ranked.count + media.count <= FeedItem.mostImages else { throw .crowd }
    }

    /// Media RSS comes first in every format.
    var item: FeedItem {
        let (images, thumbnails) = media.references
        // Sorting keeps the order of equals.
        let others = ranked.sorted { $0.rank < $1.rank }.map(\.reference)
        return FeedItem(
            id: id, title: title ?? otherTitle, location: media.location, images: images + others,
            thumbnails: thumbnails, cut: cut)
    }
}
