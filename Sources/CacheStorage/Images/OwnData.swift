internal import FeedCore

/// The rows of the items whose data differs from what their URL has now, and of the items that await its next data.
///
/// A picture of the day has one URL for all its items. An item keeps the bytes that its URL had while it was the latest.
struct OwnData {
    enum Found {
        case obtained(StoredImage)
        /// The file was damaged or lost, and the URL has other bytes now.
        case lost
        /// The next request for the URL tells whether its data has changed.
        case awaited
    }

    let connection: SQLiteConnection
    /// The row of the feed.
    let feed: Int64

    func find(_ id: String, _ url: String) throws(FeedError) -> Found? {
        let row = try connection.statement(
            """
            SELECT digest, size, media_type, etag, last_modified, fetched_at, source, awaited FROM own_data
            WHERE feed = ?1 AND item_id = ?2 AND url = ?3
            """)
        try row.bind(1, feed)
        try row.bind(2, id)
        try row.bind(3, url)
        var found: Found?
        try row.forEachRow { () throws(FeedError) in
            guard row.integer(7) == 0 else { return found = .awaited }
            guard var stored = ImageIndex.image(in: row) else { return found = .lost }
            stored.from = row.text(6).flatMap(ResourceURL.init(stored:))
            found = .obtained(stored)
        }
        return found
    }

    /// Has images await the next data of the URL that they have data of.
    func awaitData(of images: [FeedImage]) throws(FeedError) {
        let index = ImageIndex(connection: connection)
        let row = try connection.statement(
            "INSERT OR IGNORE INTO own_data (feed, item_id, url, awaited, source) VALUES (?1, ?2, ?3, 1, ?4)")
        for image in images {
            for url in [image.url] + image.alternatives where try index.find(url.text, of: feed) != nil {
                try row.bind(1, feed)
                try row.bind(2, image.id)
                try row.bind(3, image.url.text)
                try row.bind(4, url.text)
                try row.run()
                break
            }
        }
    }

    func rename(_ ids: [(old: String, new: String)]) throws(FeedError) {
        let row = try connection.statement(
            "UPDATE OR REPLACE own_data SET item_id = ?3 WHERE feed = ?1 AND item_id = ?2")
        try row.bind(1, feed)
        for id in ids {
            try row.bind(2, id.old)
            try row.bind(3, id.new)
            try row.run()
        }
    }

    /// Makes data that was replaced under its URL the own data of the kept images that have it and, where an image
    /// awaited the new data, of all other images.
    func keep(_ replaced: [String: StoredImage]) throws(FeedError) {
        let awaited = Set(try awaiting().map(\.source)).intersection(replaced.keys)
        let sql = "SELECT item_id, url, alternatives, last_seen FROM items WHERE feed = ?1"
        let item = try connection.prepare(awaited.isEmpty ? sql + " AND last_seen IS NOT NULL" : sql)
        try item.bind(1, feed)
        try item.forEachRow { () throws(FeedError) in
            let urls = [item.text(1) ?? ""] + AlternativeURLs.split(item.text(2) ?? "")
            let id = (item.text(0) ?? "").withoutPasswords
            guard let source = try source(of: urls, replaced), let stored = replaced[source],
                !item.isNull(3) || awaited.contains(source)
            else { return }
            try insert(stored, from: source == urls[0] ? nil : source, id, urls[0])
        }
    }

    /// Returns the first of the URLs that had data before; nil if its data was not replaced.
    private func source(of urls: [String], _ replaced: [String: StoredImage]) throws(FeedError) -> String? {
        guard urls.contains(where: { replaced[$0] != nil }) else { return nil }
        let index = ImageIndex(connection: connection)
        for url in urls {
            if replaced[url] != nil { return url }
            if try index.find(url, of: feed) != nil { return nil }
        }
        return nil
    }

    func set(_ data: OwnImageData, of image: FeedImage) throws(FeedError) {
        try delete(image.id, image.url.text)
        switch data {
        case .none: break
        case .obtained(let data):
            let stored = StoredImage(
                digest: data.digest, size: data.size, type: data.type, validators: data.validators,
                fetchedAt: data.fetchedAt, directory: ImageDirectories.files)
            let source = data.url.key == image.url.key ? nil : data.url.text
            try insert(stored, from: source, image.id, image.url.text)
        case .lost: try insert(nil, from: nil, image.id, image.url.text)
        case .awaited(let source): try insert(nil, from: source.text, isAwaited: true, image.id, image.url.text)
        }
    }

    /// Gives an item data of its own, or none, unless it has or awaits some.
    private func insert(
        _ data: StoredImage?, from source: String?, isAwaited: Bool = false, _ id: String, _ url: String
    ) throws(FeedError) {
        let row = try connection.statement(
            """
            INSERT OR IGNORE INTO own_data
                (feed, item_id, url, source, awaited, digest, size, media_type, etag, last_modified, fetched_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """)
        try row.bind(1, feed)
        try row.bind(2, id)
        try row.bind(3, url)
        try row.bind(4, source)
        try row.bind(5, isAwaited ? 1 : 0)
        if let data { try row.bind(6, data.digest) } else { try row.bind(6, Int64?.none) }
        try row.bind(7, data?.size)
        try row.bind(8, data?.type.mediaType)
        try row.bind(9, data?.validators.etag)
        try row.bind(10, data?.validators.lastModified)
        try row.bind(11, data?.fetchedAt.microseconds)
        try row.run()
    }

    /// Ends the waiting for the data of these URLs.
    func settle(_ urls: Set<String>) throws(FeedError) {
        try delete(try awaiting().filter { urls.contains($0.source) }.map { ($0.id, $0.url) })
    }

    private func awaiting() throws(FeedError) -> [(id: String, url: String, source: String)] {
        let row = try connection.statement("SELECT item_id, url, source FROM own_data WHERE feed = ?1 AND awaited")
        try row.bind(1, feed)
        var rows: [(id: String, url: String, source: String)] = []
        try row.forEachRow { () throws(FeedError) in
            rows.append((row.text(0) ?? "", row.text(1) ?? "", row.text(2) ?? ""))
        }
        return rows
    }

    private func delete(_ rows: [(id: String, url: String)]) throws(FeedError) {
        for (id, url) in rows { try delete(id, url) }
    }

    func delete(_ id: String, _ url: String) throws(FeedError) {
        let row = try connection.statement("DELETE FROM own_data WHERE feed = ?1 AND item_id = ?2 AND url = ?3")
        try row.bind(1, feed)
        try row.bind(2, id)
        try row.bind(3, url)
        try row.run()
    }

    // MARK: All feeds

    /// Deletes the rows of items that their feeds no longer have.
    static func deleteUnreferenced(in connection: SQLiteConnection) throws(FeedError) {
        let row = try connection.statement("SELECT DISTINCT feed FROM own_data")
        var feeds: [Int64] = []
        try row.forEachRow { () throws(FeedError) in feeds.append(row.integer(0)) }
        for feed in feeds { try OwnData(connection: connection, feed: feed).deleteUnreferenced() }
    }

    func deleteUnreferenced() throws(FeedError) {
        let item = try connection.statement("SELECT item_id, url FROM items WHERE feed = ?1")
        try item.bind(1, feed)
        var items: Set<[ExactText]> = []
        try item.forEachRow { () throws(FeedError) in
            items.insert([ExactText((item.text(0) ?? "").withoutPasswords), ExactText(item.text(1) ?? "")])
        }
        let row = try connection.statement("SELECT item_id, url FROM own_data WHERE feed = ?1")
        try row.bind(1, feed)
        var old: [(id: String, url: String)] = []
        try row.forEachRow { () throws(FeedError) in
            let (id, url) = (row.text(0) ?? "", row.text(1) ?? "")
            if !items.contains([ExactText(id), ExactText(url)]) { old.append((id, url)) }
        }
        try delete(old)
    }

    /// Records that the files of these digests are damaged or lost.
    static func lose(_ digests: Set<Digest>, in connection: SQLiteConnection) throws(FeedError) {
        let row = try connection.statement("SELECT DISTINCT digest FROM own_data WHERE digest IS NOT NULL")
        var lost: [Digest] = []
        try row.forEachRow { () throws(FeedError) in
            if let digest = row.digest(0), digests.contains(digest) { lost.append(digest) }
        }
        let update = try connection.statement("UPDATE own_data SET digest = NULL WHERE digest = ?1")
        for digest in lost {
            try update.bind(1, digest)
            try update.run()
        }
    }
}
