internal import FeedCore

/// The images that saved feeds reference, which a removal keeps.
extension ImageIndex {
    /// Returns the digests of all data that saved feeds reference and may see.
    ///
    /// The feeds and images that a dry run leaves out are ignored.
    func referencedDigests(_ mode: RemovalMode) throws(FeedError) -> Set<Digest> {
        var digests: Set<Digest> = []
        try forEachReference(mode) { _, _, digest in digests.insert(digest) }
        return digests
    }

    /// Visits the row of each saved feed with each URL that it references, and the digest of each data of this URL that
    /// the feed may see.
    func forEachReference(
        _ mode: RemovalMode, _ visit: (_ feed: Int64, _ url: String, Digest) -> Void
    ) throws(FeedError) {
        let image = try connection.statement(
            """
            SELECT digest FROM images WHERE url = ?1 AND circle = ?2
            UNION ALL SELECT digest FROM images WHERE url = ?1 AND circle BETWEEN ?3 AND 0
            """)
        try forEachItem(mode) { circles, urls throws(FeedError) in
            for url in urls {
                try image.bind(1, url)
                try circles.bind(to: image)
                try image.forEachRow { () throws(FeedError) in
                    if let digest = image.digest(0), let feed = circles.feed { visit(feed, url, digest) }
                }
            }
        }
    }

    /// Visits the circles that each saved feed sees with the URLs of each of its images, the best URL first.
    func forEachItem(
        _ mode: RemovalMode, _ visit: (VisibleCircles, [String]) throws(FeedError) -> Void
    ) throws(FeedError) {
        var ids: Set<Int64> = []
        for url in mode.feedsLeftOut { if let row = try FeedRow.find(url, in: connection) { ids.insert(row.id) } }
        let leftOut = mode.imagesLeftOut
        var keptLeftOut: Set<ItemPosition> = []
        for items in mode.keptLeftOut {
            guard let kept = try KeptItems(connection: connection, of: items.feed) else { continue }
            keptLeftOut.formUnion(try kept.positions(excludedBy: items.keep, now: items.now))
        }
        let item = try connection.statement(
            """
            SELECT feeds.id, own_network, items.url, alternatives, item_id, feeds.url, position
            FROM feeds CROSS JOIN items ON items.feed = feeds.id
            """)
        try item.forEachRow { () throws(FeedError) in
            guard !ids.contains(item.integer(0)), let url = item.text(2) else { return }
            let position = ItemPosition(feed: item.integer(0), position: item.integer(6))
            if keptLeftOut.contains(position) { return }
            let circles = VisibleCircles(feed: item.integer(0), seesOwnNetwork: item.integer(1) != 0)
            let urls = [url] + AlternativeURLs.split(item.text(3) ?? "")
            if !leftOut.isEmpty, let removed = leftOut[ResourceURL.Key(item.text(5) ?? "")],
                removed.covers(id: (item.text(4) ?? "").withoutPasswords, urls: urls)
            {
                return
            }
            try visit(circles, urls)
        }
    }
}
