internal import FeedCore
internal import Hashing

/// The name of a feed on its pages and in their file names.
struct FeedName {
    /// The feed's title, or its origin if the title is invisible.
    let title: String
    /// Where the feed comes from.
    let origin: String

    init(_ feed: GalleryFeed) {
        origin = feed.url.place
        title = HTMLWriter.visible(feed.head.title) ?? origin
    }

    /// Returns the origin in the characters of a file name.
    ///
    /// It has no dot, since a dot precedes the number of a page.
    var slug: String {
        let slug = Slug.make(origin, limit: 40)
        return slug.isEmpty ? "feed" : slug
    }
}

/// The file names of pages and subscriptions.
///
/// A name depends only on what the file is about, so that links from outside the gallery stay valid while the gallery
/// changes.
enum PageNames {
    /// The file with which a visitor begins.
    static let index = "index.html"
    /// The pages with the newest images of all feeds.
    static let newest = "newest"

    /// Returns the name of a feed's pages.
    ///
    /// It is made of the feed's URL, because the title may change.
    static func name(of feed: GalleryFeed) throws(FeedError) -> String {
        try "\(FeedName(feed).slug)-\(ShortHash.of(feed.url.text, digits: 8))"
    }

    /// Returns the file of one page: `name.html`, `name.2.html`.
    static func file(_ name: String, page: Int = 1) -> String { page == 1 ? "\(name).html" : "\(name).\(page).html" }
}

/// The file names of a subscription in its two formats.
struct SubscriptionNames {
    /// The subscription to all feeds.
    static let all = SubscriptionNames(json: "feed.json", atom: "atom.xml", page: PageNames.index)

    let json: String
    let atom: String
    /// The page that shows the same images.
    let page: String

    private init(json: String, atom: String, page: String) {
        self.json = json
        self.atom = atom
        self.page = page
    }

    /// Makes the names of the subscription to one feed.
    init(_ pageName: String) {
        self.init(json: "\(pageName).json", atom: "\(pageName).xml", page: PageNames.file(pageName))
    }
}

/// The first digits of a text's SHA-256 in hex.
///
/// They are enough to tell the feeds and images of one gallery apart.
enum ShortHash {
    static func of(_ text: String, digits: Int) throws(FeedError) -> String {
        try String(SHA256.digest(of: text).hex.prefix(digits))
    }
}

/// A feed with its images in the order of its pages: the current images, and then the kept ones.
struct ShownFeed {
    let feed: GalleryFeed
    let name: FeedName
    let pageName: String
    let tiles: [Tile]
    /// The index of the first kept image.
    let firstKept: Int
    /// The distribution of the tiles over the feed's pages.
    let layout: PageLayout

    init(_ feed: GalleryFeed, tiles: [Tile]) throws(FeedError) {
        self.feed = feed
        name = FeedName(feed)
        pageName = try PageNames.name(of: feed)
        let current = tiles.filter { $0.image.lastSeen == nil }
        let kept = tiles.filter { $0.image.lastSeen != nil }
        self.tiles = (Self.newestFirst(current) + Self.newestFirst(kept)).markingAnchors()
        firstKept = current.count
        layout = try PageLayout(of: self.tiles)
    }

    /// The number of images, in words.
    var count: String { HTMLWriter.count(tiles.count, "image") }

    /// The date of the newest image, or the time when the feed was saved if its images have no dates.
    var newest: Timestamp { tiles.compactMap(\.image.published).max() ?? feed.head.savedAt }

    /// Sorts images by date.
    ///
    /// An image without a date stays behind the image that precedes it in the feed. Images before the first date count
    /// as published when the latest data was fetched.
    private static func newestFirst(_ tiles: [Tile]) -> [Tile] {
        var last = tiles.compactMap(\.fetchedAt).max() ?? Timestamp.writable.upperBound
        let dated = tiles.map { tile in
            var tile = tile
            last = tile.image.published ?? last
            tile.sortDate = last
            return tile
        }
        // The sort is stable, so images of the same date keep the feed's order.
        return dated.sorted { $0.sortDate > $1.sortDate }
    }
}

extension [Tile] {
    /// Returns the tiles, of which only the first one with an anchor carries it.
    func markingAnchors() -> [Tile] {
        var seen: Set<String> = []
        return map { tile in
            var tile = tile
            tile.carriesAnchor = seen.insert(tile.anchor).inserted
            return tile
        }
    }
}

/// An image with its file in the gallery and its feed.
struct ShownImage {
    let tile: Tile
    let placed: PlacedImage
    let feed: ShownFeed

    /// The URL of the image on its feed's first page, relative to the pages.
    var link: String { "\(PageNames.file(feed.pageName))#\(tile.anchor)" }
}

extension [ShownFeed] {
    /// The feed that was saved last.
    var lastSaved: GalleryFeed? { map(\.feed).max { $0.head.savedAt < $1.head.savedAt } }

    /// Returns the newest images of all feeds, each once.
    func newestImages(_ count: Int) -> [ShownImage] {
        var seen: Set<Digest> = []
        return flatMap { $0.newestImages(count) }
            .sorted { $0.tile.sortDate > $1.tile.sortDate }
            .filter { seen.insert($0.placed.digest).inserted }
            .prefix(count).map(\.self)
    }
}

extension ShownFeed {
    /// Returns the newest current images and the newest kept ones, at most `count` of each.
    fileprivate func newestImages(_ count: Int) -> [ShownImage] {
        var images: [ShownImage] = []
        // Both parts are sorted by date.
        for part in [tiles[..<firstKept], tiles[firstKept...]] {
            var found = 0
            for tile in part where found < count {
                guard let placed = tile.placed else { continue }
                images.append(ShownImage(tile: tile, placed: placed, feed: self))
                found += 1
            }
        }
        return images
    }
}
