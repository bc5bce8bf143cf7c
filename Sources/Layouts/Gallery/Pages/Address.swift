internal import FeedCore

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
