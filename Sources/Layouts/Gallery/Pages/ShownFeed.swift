internal import FeedCore

/// A feed with its images in the order of its pages: those that it names, and then those that left it.
struct ShownFeed {
    let feed: GalleryFeed
    let name: FeedName
    /// The name of its pages.
    let pages: String
    let tiles: [Tile]
    /// The place of the first image that left the feed.
    let firstGone: Int

    init(_ feed: GalleryFeed, tiles: [Tile]) throws(FeedError) {
        self.feed = feed
        name = FeedName(feed)
        pages = try Address.pages(of: feed)
        let named = tiles.filter { $0.image.lastSeen == nil }
        let gone = tiles.filter { $0.image.lastSeen != nil }
        self.tiles = Self.newestFirst(named) + Self.newestFirst(gone)
        firstGone = named.count
    }

    var count: String { HTMLWriter.count(tiles.count, "image") }

    /// When something new was in it last.
    var newest: Timestamp { tiles.compactMap(\.image.published).max() ?? feed.savedAt }

    /// A image with no date stays behind the one that the feed has before it, and the first ones are as new as what was
    /// had last.
    private static func newestFirst(_ tiles: [Tile]) -> [Tile] {
        var last = tiles.compactMap(\.fetchedAt).max() ?? Timestamp.writable.upperBound
        let dated = tiles.map { tile in
            var tile = tile
            last = tile.image.published ?? last
            tile.since = last
            return tile
        }
        // Sorting keeps the order of equals.
        return dated.sorted { $0.since > $1.since }
    }
}

/// A image that is there, and which feed it is of.
struct ShownImage {
    let tile: Tile
    let placed: PlacedImage
    let feed: ShownFeed

    /// On the feed's page.
    var address: String { "\(Address.file(feed.pages))#\(tile.address)" }
}

extension [ShownFeed] {
    /// The newest images of all feeds, each once.
    func newestImages(_ count: Int) -> [ShownImage] {
        var seen: Set<Digest> = []
        // No feed has more among them.
        return flatMap { feed in feed.images.sorted { $0.tile.since > $1.tile.since }.prefix(count) }
            .sorted { $0.tile.since > $1.tile.since }
            .filter { seen.insert($0.placed.digest).inserted }
            .prefix(count).map(\.self)
    }
}

extension ShownFeed {
    fileprivate var images: [ShownImage] {
        var images: [ShownImage] = []
        // Swift 6.3's optimizer breaks off where this is a `compactMap`.
        for tile in tiles {
            if let placed = tile.placed { images.append(ShownImage(tile: tile, placed: placed, feed: self)) }
        }
        return images
    }
}
