internal import FeedCore

/// The name of a feed on the pages, and in their names.
struct FeedName {
    let title: String
    /// Where it comes from.
    let origin: String

    init(_ feed: GalleryFeed) {
        origin = feed.url.place
        title = HTMLWriter.visible(feed.title) ?? origin
    }

    /// It has no dot: one precedes the number of a page.
    var slug: String {
        let slug = Slug.make(origin, limit: 40)
        return slug.isEmpty ? "feed" : slug
    }
}
