internal import FeedCore
internal import Hashing

/// Addresses last: each follows from what it leads to alone, not from what else is in the gallery.
enum Address {
    /// The name of a feed's pages. The feed's title has no part in it, since that may change.
    static func pages(of feed: GalleryFeed) throws(FeedError) -> String {
        try "\(FeedName(feed).slug)-\(ShortHash.of(feed.url.text, digits: 8))"
    }

    /// The gallery as a feed.
    static let jsonFeed = "feed.json"
    static let atomFeed = "atom.xml"

    /// The file of a page: `name.html`, `name.2.html`.
    static func file(_ name: String, page: Int = 1) -> String { page == 1 ? "\(name).html" : "\(name).\(page).html" }
}

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

/// The first digits of a text's SHA-256 in hex: enough to tell apart what a gallery has.
enum ShortHash {
    static func of(_ text: String, digits: Int) throws(FeedError) -> String {
        try String(SHA256.digest(of: text).hex.prefix(digits))
    }
}
