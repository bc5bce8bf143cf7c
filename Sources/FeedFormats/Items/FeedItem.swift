internal import FeedCore

/// An item of a feed, as its document gives it: what may become images.
struct FeedItem {
    /// No item has so many. Each takes many times the memory of its `<img>`, until the item is done with.
    static let mostImages = 50_000

    var id: String?
    /// As plain text.
    var title: String?
    var location: String?
    /// In the order in which they count.
    var images: [ImageReference] = []
    /// Count where no other image is.
    var thumbnails: [ImageReference] = []
    /// Why not all of its HTML was read, if so.
    var cut: String?

    /// Each of its images has its texts.
    var shortened: FeedItem {
        var item = self
        item.id = id.map(TextLimits.shortenedID)
        item.title = title.map(TextLimits.shortened)
        item.location = location.map(TextLimits.shortened)
        return item
    }
}

/// A picture that an item names.
struct ImageReference {
    /// A URL, perhaps relative, perhaps wrong.
    let reference: String
    /// The `xml:base` that held there.
    var base: ResourceURL?
    /// Its own title, caption or alternative text, as plain text.
    var description: String?
    var location: String?
    /// Of the same picture, the best first: one of them stands in where this can't be used.
    var otherRenditions: [ImageReference] = []

    init?(_ reference: String?, base: ResourceURL? = nil, description: String? = nil) {
        guard let reference else { return nil }
        self.reference = reference
        self.base = base
        self.description = description
    }
}
