internal import FeedCore

/// The images that saved feeds reference, which a removal keeps.
extension ImageIndex {
    /// Returns the digests of all data that saved feeds have and reference.
    ///
    /// The feeds and images that a dry run leaves out are ignored.
    func referencedDigests(_ mode: RemovalMode) throws(FeedError) -> Set<Digest> {
        var digests: Set<Digest> = []
        try forEachReference(mode) { _, _, digest in digests.insert(digest) }
        return digests
    }

    /// Visits each saved feed with each URL that it references, and the digests of the data behind it.
    func forEachReference(
        _ mode: RemovalMode, _ visit: (_ feed: Int64, _ url: String, Digest) -> Void
    ) throws(FeedError) {
        let data = try connection.statement("SELECT digest FROM data WHERE feed = ?1 AND url = ?2")
        try forEachItem(mode) { feed, id, urls throws(FeedError) in
            if feed.hasOwnData, let url = urls.first {
                switch try OwnData(connection: connection, feed: feed.id).find(id, url) {
                case .obtained(let stored): return visit(feed.id, stored.from?.text ?? url, stored.digest)
                case .lost, .awaited, nil: break
                }
            }
            try data.bind(1, feed.id)
            for url in urls {
                try data.bind(2, url)
                try data.forEachRow { () throws(FeedError) in
                    if let digest = data.digest(0) { visit(feed.id, url, digest) }
                }
            }
        }
    }

    /// Visits each saved feed with the id and the URLs of each of its images, the best URL first.
    func forEachItem(
        _ mode: RemovalMode, _ visit: (FeedRow, _ id: String, [String]) throws(FeedError) -> Void
    ) throws(FeedError) {
        let leftOut = Set(mode.feedsLeftOut.map(\.key))
        var keptLeftOut: [ResourceURL.Key: Set<Int64>] = [:]
        for items in mode.keptLeftOut {
            guard let kept = try KeptItems(connection: connection, of: items.feed) else { continue }
            keptLeftOut[items.feed.key] = Set(try kept.positions(excludedBy: items.keep, now: items.now))
        }
        let item = try connection.statement("SELECT position, item_id, url, alternatives FROM items WHERE feed = ?1")
        for feed in try SQLiteFeedStore.heads(in: connection).map(\.url) where !leftOut.contains(feed.key) {
            guard let row = try FeedRow.find(feed, in: connection) else { continue }
            let removed = mode.imagesLeftOut[feed.key]
            let positions = keptLeftOut[feed.key] ?? []
            try item.bind(1, row.id)
            try item.forEachRow { () throws(FeedError) in
                guard let url = item.text(2), !positions.contains(item.integer(0)) else { return }
                let id = (item.text(1) ?? "").withoutPasswords
                let urls = [url] + AlternativeURLs.split(item.text(3) ?? "")
                if removed?.covers(id: id, urls: urls) != true { try visit(row, id, urls) }
            }
        }
    }
}
