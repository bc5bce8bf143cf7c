internal import FeedCore

/// The rows of the images that the user removed, and the search for images by URL.
struct RemovedRows {
    let connection: SQLiteConnection

    /// Returns the removed images of a feed.
    ///
    /// Throws `unreadable` for an invalid row, because the feed would contain the image again.
    func removed(from feed: ResourceURL) throws(FeedError) -> RemovedImages {
        let row = try connection.statement("SELECT item_id, urls FROM removed WHERE feed = ?1")
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
        var invalid: [[String]] = []
        try row.forEachRow { () throws(FeedError) in
            let isValid = row.text(0).flatMap(ResourceURL.init(stored:)) != nil && Self.urls(row.text(2)) != nil
            if !isValid { invalid.append([row.text(0) ?? "", row.text(1) ?? "", row.text(2) ?? ""]) }
        }
        if onlyCounting { return invalid.count }
        let deletion = try connection.statement("DELETE FROM removed WHERE feed = ?1 AND item_id = ?2 AND urls = ?3")
        for columns in invalid {
            for (number, text) in columns.enumerated() { try deletion.bind(Int32(number + 1), text) }
            try deletion.run()
        }
        return invalid.count
    }

    /// Replaces the removed images of a feed, and deletes their items and the rows of their data.
    ///
    /// The files of the data are unreferenced then, and the next removal of unreferenced images deletes them.
    func replace(with removed: RemovedImages, of feed: ResourceURL) throws(FeedError) {
        let old = try connection.statement("DELETE FROM removed WHERE feed = ?1")
        try old.bind(1, feed.text)
        try old.run()
        let row = try connection.statement("INSERT INTO removed (feed, item_id, urls) VALUES (?1, ?2, ?3)")
        try row.bind(1, feed.text)
        for entry in removed.entries {
            try row.bind(2, entry.id)
            try row.bind(3, AlternativeURLs.join(entry.urls) ?? "")
            try row.run()
        }
        let urls = try deleteItems(of: feed, coveredBy: removed).union(
            removed.entries.lazy.flatMap(\.urls).map(\.text))
        try ImageIndex(connection: connection).deleteUnreferenced(among: urls)
    }

    /// Deletes the items that are removed images, and returns their URLs.
    private func deleteItems(
        of url: ResourceURL, coveredBy removed: RemovedImages
    ) throws(FeedError) -> Set<String> {
        guard !removed.isEmpty, let kept = try KeptItems(connection: connection, of: url) else { return [] }
        let item = try connection.statement("SELECT position, item_id, url, alternatives FROM items WHERE feed = ?1")
        try item.bind(1, kept.feed)
        var positions: [Int64] = []
        var deleted: Set<String> = []
        try item.forEachRow { () throws(FeedError) in
            let urls = [item.text(2) ?? ""] + AlternativeURLs.split(item.text(3) ?? "")
            let id = (item.text(1) ?? "").withoutPasswords
            guard removed.covers(id: id, urls: urls) else { return }
            positions.append(item.integer(0))
            deleted.formUnion(urls)
        }
        let deletion = try connection.statement("DELETE FROM items WHERE feed = ?1 AND position = ?2")
        try deletion.bind(1, kept.feed)
        for position in positions {
            try deletion.bind(2, position)
            try deletion.run()
        }
        try kept.recount()
        return deleted
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
            guard let feed = row.text(15).flatMap(ResourceURL.init(stored:)) else { return }
            var reader = ItemReader(connection, of: feed, readingCredentials: false)
            images.append(ImageOfFeed(try reader.image(in: row), of: feed))
        }
        return images
    }

    /// Returns the feeds from which an image with this URL was removed.
    func feeds(withRemoved url: ResourceURL) throws(FeedError) -> [ResourceURL] {
        let row = try connection.statement(
            """
            SELECT DISTINCT feed FROM removed WHERE instr(' ' || urls || ' ', ' ' || ?1 || ' ') > 0 ORDER BY feed
            """)
        try row.bind(1, url.text)
        var feeds: [ResourceURL] = []
        try row.forEachRow { () throws(FeedError) in
            if let feed = row.text(0).flatMap(ResourceURL.init(stored:)) { feeds.append(feed) }
        }
        return feeds
    }
}
