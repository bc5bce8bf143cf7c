internal import FeedCore

/// An item of a feed as its document gives it, from which images are made.
struct FeedItem {
    /// The most images that one item may name, in all renditions: many of them may turn out to be one image.
    static func mostNamed(in document: FeedSource) -> Int { max(document.mostImages, 50_000) }

    var id: String?
    /// Plain text.
    var title: String?
    /// The item's page: a reference, and the `xml:base` that holds at it.
    var link: (reference: String, base: ResourceURL?)?
    var published: Timestamp?
    var location: String?
    var text: ItemText?
    /// The first counts most.
    var images: [NamedImage] = []
    /// Each list counts only if the item has no other image, nor one of a list before.
    var substitutes: [[NamedImage]] = []
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
