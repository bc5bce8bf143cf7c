internal import FeedCore

/// The rows of the images that the user removed, and the search for images by URL.
struct RemovedRows {
    let connection: SQLiteConnection

    /// Returns the removed images of a feed.
    ///
    /// Throws `unreadable` for an invalid row, because the feed would contain the image again.
    func removed(from feed: ResourceURL) throws(FeedError) -> RemovedImages {
        let row = try connection.statement(
            "SELECT item_id, urls FROM removed WHERE feed = (SELECT id FROM feeds WHERE url = ?1)")
        try row.bind(1, feed.text)
        var entries: [RemovedImages.Removal] = []
        try row.forEachRow { () throws(FeedError) in
            guard let urls = Self.urls(row.text(1)) else {
                throw .unreadable("\(connection.path): the list of images that were removed from \(feed) is damaged")
            }
            entries.append(RemovedImages.Removal(id: row.text(0) ?? "", urls: urls))
        }
        return RemovedImages(entries)
    }

    /// Returns the URLs of a row; nil if one of them is invalid, or if there are none.
    private static func urls(_ text: String?) -> [ResourceURL]? {
        let texts = AlternativeURLs.split(text ?? "")
        let urls = texts.compactMap(ResourceURL.init(stored:))
        return urls.isEmpty || urls.count < texts.count ? nil : urls
    }

    /// Deletes the invalid rows, or only counts them, and returns their number.
    func deleteInvalid(onlyCounting: Bool) throws(FeedError) -> Int {
        let row = try connection.prepare("SELECT feed, item_id, urls FROM removed")
        var invalid: [(feed: Int64, id: String, urls: String)] = []
        try row.forEachRow { () throws(FeedError) in
            guard Self.urls(row.text(2)) == nil else { return }
            invalid.append((row.integer(0), row.text(1) ?? "", row.text(2) ?? ""))
        }
        if onlyCounting { return invalid.count }
        let deletion = try connection.statement("DELETE FROM removed WHERE feed = ?1 AND item_id = ?2 AND urls = ?3")
        for (feed, id, urls) in invalid {
            try deletion.bind(1, feed)
            try deletion.bind(2, id)
            try deletion.bind(3, urls)
            try deletion.run()
        }
        return invalid.count
    }

    /// Replaces the removed images of a feed, and deletes their items and the rows of their data.
    ///
    /// The files of the data are unreferenced then, and the next removal of unreferenced images deletes them.
    func replace(with removed: RemovedImages, of url: ResourceURL) throws(FeedError) {
        guard let feed = try SQLiteFeedChange(connection: connection).row(of: url) else { return }
        let old = try connection.statement("DELETE FROM removed WHERE feed = ?1")
        try old.bind(1, feed)
        try old.run()
        let row = try connection.statement("INSERT INTO removed (feed, item_id, urls) VALUES (?1, ?2, ?3)")
        try row.bind(1, feed)
        for entry in removed.entries {
            try row.bind(2, entry.id)
            try row.bind(3, AlternativeURLs.join(entry.urls) ?? "")
            try row.run()
        }
        guard !removed.isEmpty, let kept = try KeptItems(connection: connection, of: url) else { return }
        try deleteItems(of: kept, coveredBy: removed)
    }

    /// Deletes the items that are removed images, and the data that no other item of the feed has.
    private func deleteItems(of kept: KeptItems, coveredBy removed: RemovedImages) throws(FeedError) {
        let item = try connection.statement("SELECT position, item_id, url, alternatives FROM items WHERE feed = ?1")
        try item.bind(1, kept.feed)
        var positions: [Int64] = []
        var urls = Set(removed.entries.lazy.flatMap(\.urls).map(\.text))
        try item.forEachRow { () throws(FeedError) in
            let own = [item.text(2) ?? ""] + AlternativeURLs.split(item.text(3) ?? "")
            guard removed.covers(id: (item.text(1) ?? "").withoutPasswords, urls: own) else { return }
            positions.append(item.integer(0))
            urls.formUnion(own)
        }
        let deletion = try connection.statement("DELETE FROM items WHERE feed = ?1 AND position = ?2")
        try deletion.bind(1, kept.feed)
        for position in positions {
            try deletion.bind(2, position)
            try deletion.run()
        }
        try kept.recount()
        try OwnData(connection: connection, feed: kept.feed).deleteUnreferenced()
        try deleteData(of: kept.feed, at: urls)
    }

    /// Deletes the data of those of these URLs that no item of the feed needs.
    private func deleteData(of feed: Int64, at urls: Set<String>) throws(FeedError) {
        var unneeded = urls
        let item = try connection.prepare(
            "SELECT url, alternatives FROM items WHERE feed = ?1 \(ReferencedURLs.withoutOwnData)")
        try item.bind(1, feed)
        try item.forEachRow { () throws(FeedError) in
            unneeded.remove(item.text(0) ?? "")
            for url in AlternativeURLs.split(item.text(1) ?? "") { unneeded.remove(url) }
        }
        let data = try connection.statement("DELETE FROM data WHERE feed = ?1 AND url = ?2")
        try data.bind(1, feed)
        for url in unneeded {
            try data.bind(2, url)
            try data.run()
        }
    }

    /// Returns the images of saved feeds that have this URL.
    func images(at url: ResourceURL) throws(FeedError) -> [ImageOfFeed] {
        let row = try connection.prepare(
            """
            SELECT \(ItemReader.columns), (SELECT url FROM feeds WHERE id = feed) FROM items
            WHERE feed IN (SELECT id FROM feeds) AND (items.url = ?1
                OR alternatives IS NOT NULL AND instr(' ' || alternatives || ' ', ' ' || ?1 || ' ') > 0)
            ORDER BY feed, position
            """)
        try row.bind(1, url.text)
        var images: [ImageOfFeed] = []
        try row.forEachRow { () throws(FeedError) in
            guard let feed = row.text(17).flatMap(ResourceURL.init(stored:)) else { return }
            var reader = ItemReader(connection, of: feed, readingCredentials: false)
            images.append(ImageOfFeed(try reader.image(in: row), of: feed))
        }
        return images
    }

    /// Returns the feeds from which an image with this URL was removed.
    func feeds(withRemoved url: ResourceURL) throws(FeedError) -> [ResourceURL] {
        let row = try connection.statement(
            """
            SELECT DISTINCT feeds.url FROM removed JOIN feeds ON feeds.id = feed
            WHERE instr(' ' || urls || ' ', ' ' || ?1 || ' ') > 0 ORDER BY feeds.url
            """)
        try row.bind(1, url.text)
        var feeds: [ResourceURL] = []
        try row.forEachRow { () throws(FeedError) in
            if let feed = row.text(0).flatMap(ResourceURL.init(stored:)) { feeds.append(feed) }
        }
        return feeds
    }
}
