internal import FeedCore

/// The rows that say which bytes are behind which URL. A row that no image can be made of counts as none: its bytes can
/// be had again, and the row is replaced.
struct ImageIndex {
    /// No image is as large: a row that says so is damaged, and a sum of such sizes would overflow.
    private static let mostBytes: Int64 = 1 << 40

    let connection: SQLiteConnection

    /// As when a cache is new.
    func isEmpty() throws(FeedError) -> Bool { try !connection.finds("SELECT 1 FROM images LIMIT 1") }

    func find(_ url: ResourceURL) throws(FeedError) -> StoredImage? {
        let row = try connection.statement(
            "SELECT digest, size, media_type, etag, last_modified, fetched_at FROM images WHERE url = ?1")
        try row.bind(1, url.text)
        var found: StoredImage?
        try row.forEachRow { () throws(FeedError) in found = Self.image(in: row, from: 0) }
        return found
    }

    /// The image that six columns from `first` on tell of.
    static func image(in row: SQLiteStatement, from first: Int32) -> StoredImage? {
        let size = row.integer(first + 1)
        guard let digest = row.digest(first), (0...mostBytes).contains(size),
            let type = row.text(first + 2).flatMap(ImageType.init(mediaType:))
        else { return nil }
        return StoredImage(
            digest: digest, size: size, type: type,
            validators: Validators(etag: row.text(first + 3), lastModified: row.text(first + 4)),
            fetchedAt: Timestamp(microseconds: row.integer(first + 5)), folder: ImageFolders.files)
    }

    func insert(_ image: ReceivedImage, _ seal: StagedFile.Seal) throws(FeedError) {
        try insert(
            OfferedImage(
                url: image.url, digest: seal.digest, size: seal.size, type: image.type, validators: image.validators,
                fetchedAt: image.fetchedAt))
    }

    func insert(_ image: OfferedImage) throws(FeedError) {
        try run(
            connection.statement(
                """
                INSERT OR REPLACE INTO images (url, digest, size, media_type, etag, last_modified, fetched_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """), with: image)
    }

    /// Answers false where the URL has a row.
    func insertIfAbsent(_ image: OfferedImage) throws(FeedError) -> Bool {
        try run(
            connection.statement(
                """
                INSERT INTO images (url, digest, size, media_type, etag, last_modified, fetched_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (url) DO NOTHING
                """), with: image)
        return connection.changedRows == 1
    }

    private func run(_ row: SQLiteStatement, with image: OfferedImage) throws(FeedError) {
        try row.bind(1, image.url.text)
        try row.bind(2, image.digest)
        try row.bind(3, image.size)
        try row.bind(4, image.type.mediaType)
        try row.bind(5, image.validators.etag)
        try row.bind(6, image.validators.lastModified)
        try row.bind(7, image.fetchedAt.microseconds)
        try row.run()
    }

    /// Most often nothing changed: then nothing is written, and a transaction of such costs no wait for the disk.
    func confirm(_ image: ConfirmedImage) throws(FeedError) {
        if let predecessor = image.predecessor { try takeOver(from: predecessor, to: image.url) }
        let row = try connection.statement(
            """
            UPDATE images SET etag = ?2, last_modified = ?3, fetched_at = ?4
            WHERE url = ?1 AND (etag IS NOT ?2 OR last_modified IS NOT ?3)
            """)
        try row.bind(1, image.url.text)
        try row.bind(2, image.validators.etag)
        try row.bind(3, image.validators.lastModified)
        try row.bind(4, image.confirmedAt.microseconds)
        try row.run()
    }

    private func takeOver(from predecessor: ResourceURL, to url: ResourceURL) throws(FeedError) {
        let row = try connection.statement(
            """
            INSERT OR REPLACE INTO images (url, digest, size, media_type, etag, last_modified, fetched_at)
            SELECT ?2, digest, size, media_type, etag, last_modified, fetched_at FROM images WHERE url = ?1
            """)
        try row.bind(1, predecessor.text)
        try row.bind(2, url.text)
        try row.run()
    }

    /// Each digest with its size: one that no file has where no row says one that can be.
    func sizes() throws(FeedError) -> [Digest: Int64] {
        let row = try connection.statement("SELECT digest, size FROM images")
        var sizes: [Digest: Int64] = [:]
        try row.forEachRow { () throws(FeedError) in
            guard let digest = row.digest(0) else { return }
            let size = row.integer(1)
            sizes[digest] = max(sizes[digest] ?? -1, (0...Self.mostBytes).contains(size) ? size : -1)
        }
        return sizes
    }

    /// The digests of what the saved feeds name, as if those in `leftOut` were not there.
    func referencedDigests(besides leftOut: [ResourceURL]) throws(FeedError) -> Set<Digest> {
        let feed = try connection.statement("SELECT id FROM feeds WHERE url = ?1")
        var ids: Set<Int64> = []
        for url in leftOut {
            try feed.bind(1, url.text)
            try feed.forEachRow { () throws(FeedError) in ids.insert(feed.integer(0)) }
        }
        // In this order each row is found by its key, and nothing is sorted.
        let row = try connection.statement(
            """
            SELECT feeds.id, digest FROM feeds
                CROSS JOIN items ON items.feed = feeds.id CROSS JOIN images ON images.url = items.url
            """)
        var digests: Set<Digest> = []
        try row.forEachRow { () throws(FeedError) in
            guard !ids.contains(row.integer(0)), let digest = row.digest(1) else { return }
            digests.insert(digest)
        }
        for (_, digest) in try standIns() { digests.insert(digest) }
        return digests
    }

    func deleteUnreferenced() throws(FeedError) {
        let kept = Set(try standIns().map(\.url))
        guard !kept.isEmpty else {
            return try connection.statement("DELETE FROM images WHERE url NOT IN (SELECT url FROM items)").run()
        }
        var urls: [String] = []
        let image = try connection.statement("SELECT url FROM images WHERE url NOT IN (SELECT url FROM items)")
        try image.forEachRow { () throws(FeedError) in
            if let url = image.text(0), !kept.contains(url) { urls.append(url) }
        }
        try delete(urls)
    }

    /// Data under another address of a picture, or its own with another query, where there is none under its own: it may
    /// be all that is to be had.
    private func standIns() throws(FeedError) -> [(url: String, digest: Digest)] {
        let item = try connection.statement(
            """
            SELECT DISTINCT alternatives, substr(url, 1, instr(url, '?')) FROM items
            WHERE (alternatives IS NOT NULL OR instr(url, '?') > 0)
                AND NOT EXISTS (SELECT 1 FROM images WHERE images.url = items.url)
            """)
        let image = try connection.statement("SELECT url, digest FROM images WHERE url >= ?1 AND url < ?2")
        var found: [(url: String, digest: Digest)] = []
        func add(from first: String, upTo end: String) throws(FeedError) {
            try image.bind(1, first)
            try image.bind(2, end)
            try image.forEachRow { () throws(FeedError) in
                if let url = image.text(0), let digest = image.digest(1) { found.append((url, digest)) }
            }
        }
        try item.forEachRow { () throws(FeedError) in
            for url in ItemWriter.addresses(in: item.text(0) ?? "") { try add(from: url, upTo: "\(url)\u{1}") }
            // In the order of bytes, `@` follows `?`.
            if let place = item.text(1), !place.isEmpty { try add(from: place, upTo: "\(place.dropLast())@") }
        }
        return found
    }

    func delete(_ digests: Set<Digest>) throws(FeedError) {
        if digests.isEmpty { return }
        var urls: [String] = []
        let image = try connection.statement("SELECT digest, url FROM images")
        try image.forEachRow { () throws(FeedError) in
            guard let digest = image.digest(0), digests.contains(digest), let url = image.text(1) else {
                return
            }
            urls.append(url)
        }
        try delete(urls)
        try KeptItems.noteMissing(in: connection)
    }

    private func delete(_ urls: [String]) throws(FeedError) {
        let row = try connection.statement("DELETE FROM images WHERE url = ?1")
        for url in urls {
            try row.bind(1, url)
            try row.run()
        }
    }

    /// The digest and size of each image of a saved feed that has a row, once for each time it is named.
    func forEachDigest(of feed: ResourceURL, _ visit: (Digest, _ size: Int64) -> Void) throws(FeedError) {
        let row = try connection.statement(
            """
            SELECT digest, size FROM feeds JOIN items ON items.feed = feeds.id JOIN images ON images.url = items.url
            WHERE feeds.url = ?1
            """)
        try row.bind(1, feed.text)
        try row.forEachRow { () throws(FeedError) in
            if let digest = row.digest(0) { visit(digest, row.integer(1)) }
        }
    }
}
