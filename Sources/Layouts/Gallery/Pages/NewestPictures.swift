internal import FeedCore

/// A picture that is there, and which feed it is of.
struct ShownPicture {
    let tile: Tile
    let placed: PlacedImage
    let feed: ShownFeed

    /// On the feed's page.
    var address: String { "\(Address.file(feed.pages))#\(tile.address)" }
}

extension [ShownFeed] {
    /// The newest pictures of all feeds, each once.
    func newestPictures(_ count: Int) -> [ShownPicture] {
        var seen: Set<Digest> = []
        // No feed has more among them.
        return flatMap { feed in feed.pictures.sorted { $0.tile.since > $1.tile.since }.prefix(count) }
            .sorted { $0.tile.since > $1.tile.since }
            .filter { seen.insert($0.placed.digest).inserted }
            .prefix(count).map(\.self)
    }
}

extension ShownFeed {
    fileprivate var pictures: [ShownPicture] {
        var pictures: [ShownPicture] = []
        // Swift 6.3's optimizer breaks off where this is a `compactMap`.
        for tile in tiles {
            if let placed = tile.placed { pictures.append(ShownPicture(tile: tile, placed: placed, feed: self)) }
        }
        return pictures
    }
}
