internal import FeedCore

/// An item of a feed as its document gives it, from which images are made.
struct FeedItem {
    /// No item has so many. Until the item is done, each image takes many times the memory of its `<img>`.
    static let mostImages = 50_000

    var id: String?
    /// Plain text.
    var title: String?
    var location: String?
    /// The first counts most.
    var images: [ImageReference] = []
    /// These count only if the item has no other image.
    var thumbnails: [ImageReference] = []
    /// Why the rest of its HTML was left out, if it was.
    var cut: String?

    /// The item with its texts cut to their limits. Each of its images holds these texts.
    var shortened: FeedItem {
        var item = self
        item.id = id?.shortenedDistinctly(to: LongestText.id)
        item.title = title?.shortened(to: LongestText.words)
        item.location = location?.shortened(to: LongestText.words)
        return item
    }
}

/// A picture that an item names.
struct ImageReference {
    /// A URL, which may be relative or invalid.
    let reference: String
    /// The `xml:base` that holds at the reference.
    var base: ResourceURL?
    /// The picture's own title, caption or alternative text, as plain text.
    var description: String?
    var location: String?
    /// Other renditions of the picture, the best first. One of them stands in if this one can't be used.
    var otherRenditions: [ImageReference] = []

    init?(_ reference: String?, base: ResourceURL? = nil, description: String? = nil) {
        guard let reference else { return nil }
        self.reference = reference
        self.base = base
        self.description = description
    }
}
