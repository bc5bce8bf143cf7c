internal import FeedCore

/// The rows that map a feed and an image URL to the data that the feed's own requests obtained.
///
/// An invalid row is read as a missing one: its data can be downloaded again, which replaces the row.
struct ImageIndex {
    /// The maximum size of an image.
    ///
    /// A row with a larger size is damaged, and a sum of such sizes would overflow.
    private static let mostBytes: Int64 = 1 << 40

    let connection: SQLiteConnection

    /// Returns whether the table is empty, as in a new cache.
    func isEmpty() throws(FeedError) -> Bool { try !connection.finds("SELECT 1 FROM data LIMIT 1") }

    /// Returns the data of a URL for a feed.
    func find(_ url: String, of feed: Int64) throws(FeedError) -> StoredImage? {
        let row = try connection.statement(
            """
            SELECT digest, size, media_type, etag, last_modified, fetched_at, imported FROM data
            WHERE feed = ?1 AND url = ?2
            """)
        try row.bind(1, feed)
        try row.bind(2, url)
        var found: StoredImage?
        try row.forEachRow { () throws(FeedError) in
            guard let image = Self.image(in: row) else { return }
            found = image
            if row.integer(6) != 0 { found?.standing = .imported }
        }
        return found
    }

    /// Returns the data of an image: its own, else that of the first of its URLs that has data.
    ///
    /// `replaced` says what some URLs had before; nil for a URL without data.
    func find(
        _ image: FeedImage, of feed: FeedRow, before replaced: [ResourceURL.Key: StoredImage?] = [:]
    ) throws(FeedError) -> StoredImage? {
        let found = try find(
            image.id, image.url.text, image.alternatives.lazy.map(\.text), isKept: image.lastSeen != nil, of: feed,
            replaced)
        guard var stored = found?.image else { return nil }
        if let alternative = found?.alternative { stored.from = image.alternatives[alternative] }
        // The feed can have other alternatives by now.
        if let from = stored.from, !image.alternatives.contains(where: { $0.key == from.key }) { stored.from = nil }
        return stored
    }

    /// The columns that `find(in:from:of:)` reads.
    static let itemColumns = "item_id, items.url, alternatives, last_seen"

    /// Returns the data of the image in the four columns from `first`.
    func find(in row: SQLiteStatement, from first: Int32, of feed: FeedRow) throws(FeedError) -> StoredImage? {
        try find(
            (row.text(first) ?? "").withoutPasswords, row.text(first + 1) ?? "",
            AlternativeURLs.split(row.text(first + 2) ?? ""), isKept: !row.isNull(first + 3), of: feed)?.image
    }

    private func find(
        _ id: @autoclosure () -> String, _ url: String, _ alternatives: some Sequence<String>, isKept: Bool,
        of feed: FeedRow, _ replaced: [ResourceURL.Key: StoredImage?] = [:]
    ) throws(FeedError) -> (image: StoredImage, alternative: Int?)? {
        func find(_ url: String) throws(FeedError) -> StoredImage? {
            if !replaced.isEmpty, let earlier = replaced[ResourceURL.Key(url)] { return earlier }
            return try self.find(url, of: feed.id)
        }
        var isAwaited = false
        if feed.hasOwnData {
            switch try OwnData(connection: connection, feed: feed.id).find(id(), url) {
            case .obtained(let stored): return (stored, nil)
            case .lost where isKept: return nil
            case .awaited: isAwaited = true
            case .lost, nil: break
            }
        }
        var (found, number) = (try find(url), Int?.none)
        if found == nil {
            for (index, alternative) in alternatives.enumerated() where found == nil {
                found = try find(alternative)
                number = index
            }
        }
        guard var stored = found else { return nil }
        if isAwaited { stored.standing = .awaited }
        return (stored, number)
    }

    /// Returns the data of a URL in any feed.
    ///
    /// If several feeds have data, the latest is returned.
    func find(anywhere url: String) throws(FeedError) -> StoredImage? {
        let row = try connection.statement(
            """
            SELECT digest, size, media_type, data.etag, data.last_modified, fetched_at
            FROM feeds CROSS JOIN data ON data.feed = feeds.id AND data.url = ?1 ORDER BY fetched_at DESC
            """)
        try row.bind(1, url)
        var found: StoredImage?
        try row.forEachRow { () throws(FeedError) in found = found ?? Self.image(in: row) }
        return found
    }

    /// Returns the data of the image that has this `url` in a saved feed.
    func find(imageAt url: ResourceURL) throws(FeedError) -> StoredImage? {
        for found in try RemovedRows(connection: connection).images(at: url) where found.image.url.key == url.key {
            guard let feed = try FeedRow.find(found.feed, in: connection) else { continue }
            if let stored = try find(found.image, of: feed) { return stored }
        }
        return nil
    }

    /// Returns the image in the first six columns.
    static func image(in row: SQLiteStatement) -> StoredImage? {
        guard let file = file(in: row, from: 0), let type = row.text(2).flatMap(ImageType.init(mediaType:)) else {
            return nil
        }
        return StoredImage(
            digest: file.digest, size: file.size, type: type,
            validators: Validators(etag: row.text(3), lastModified: row.text(4)),
            fetchedAt: Timestamp(microseconds: row.integer(5)), directory: ImageDirectories.files)
    }

    /// Returns the digest and the size in the two columns from `first`.
    static func file(in row: SQLiteStatement, from first: Int32) -> ImageFile.Expected? {
        let size = row.integer(first + 1)
        guard let digest = row.digest(first), (0...mostBytes).contains(size) else { return nil }
        return ImageFile.Expected(digest: digest, size: size)
    }

    /// Inserts or replaces the data of a URL for a feed.
    ///
    /// If the bytes are the same, the row keeps the date when they were first obtained.
    func insert(_ image: OfferedImage, of feed: Int64, isImported: Bool = false) throws(FeedError) {
        let row = try connection.statement(
            """
            INSERT INTO data (feed, url, digest, size, media_type, etag, last_modified, fetched_at, imported)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (feed, url) DO UPDATE SET
                fetched_at = CASE WHEN digest = excluded.digest THEN min(fetched_at, excluded.fetched_at)
                    ELSE excluded.fetched_at END,
                digest = excluded.digest, size = excluded.size, media_type = excluded.media_type,
                etag = excluded.etag, last_modified = excluded.last_modified, imported = excluded.imported
            """)
        try row.bind(1, feed)
        try row.bind(2, image.url.text)
        try row.bind(3, image.digest)
        try row.bind(4, image.size)
        try row.bind(5, image.type.mediaType)
        try row.bind(6, image.validators.etag)
        try row.bind(7, image.validators.lastModified)
        try row.bind(8, image.fetchedAt.microseconds)
        try row.bind(9, isImported ? 1 : 0)
        try row.run()
    }

    /// Renews the validators of data that the server has confirmed.
    ///
    /// Usually they are unchanged; then nothing is written, and the transaction ends without waiting for the disk.
    func renew(_ validators: Validators, of url: ResourceURL, of feed: Int64) throws(FeedError) {
        let row = try connection.statement(
            """
            UPDATE data SET etag = ?3, last_modified = ?4, imported = 0
            WHERE feed = ?1 AND url = ?2 AND (etag IS NOT ?3 OR last_modified IS NOT ?4 OR imported)
            """)
        try row.bind(1, feed)
        try row.bind(2, url.text)
        try row.bind(3, validators.etag)
        try row.bind(4, validators.lastModified)
        try row.run()
    }

    /// Visits the URL of each image of a saved feed, with its data if it has any.
    func forEachImage(
        of feed: ResourceURL, _ visit: (FeedRow, _ url: String, StoredImage?) throws(FeedError) -> Void
    ) throws(FeedError) {
        guard let feed = try FeedRow.find(feed, in: connection) else { return }
        let item = try connection.prepare("SELECT \(Self.itemColumns) FROM items WHERE feed = ?1")
        try item.bind(1, feed.id)
        try item.forEachRow { () throws(FeedError) in
            try visit(feed, item.text(1) ?? "", try find(in: item, from: 0, of: feed))
        }
    }

    /// Returns the size of each digest, which is -1 if every row has an impossible size.
    func sizes() throws(FeedError) -> [Digest: Int64] {
        let row = try connection.statement(
            "SELECT digest, size FROM data UNION ALL SELECT digest, size FROM own_data WHERE digest IS NOT NULL")
        var sizes: [Digest: Int64] = [:]
        try row.forEachRow { () throws(FeedError) in
            guard let digest = row.digest(0) else { return }
            let size = row.integer(1)
            sizes[digest] = max(sizes[digest] ?? -1, (0...Self.mostBytes).contains(size) ? size : -1)
        }
        return sizes
    }

    /// Deletes the data and the failures of each URL that its feed no longer references.
    func deleteUnreferenced() throws(FeedError) {
        try OwnData.deleteUnreferenced(in: connection)
        try ReferencedURLs.withTable(in: connection, where: ReferencedURLs.withoutOwnData) { () throws(FeedError) in
            for table in ["data", "failures"] {
                try connection.execute(
                    """
                    DELETE FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM referenced
                        WHERE referenced.feed = \(table).feed AND referenced.url = \(table).url)
                    """)
            }
        }
    }

    func delete(_ digests: Set<Digest>) throws(FeedError) {
        if digests.isEmpty { return }
        var rows: [(feed: Int64, url: String)] = []
        let image = try connection.statement("SELECT digest, feed, url FROM data")
        try image.forEachRow { () throws(FeedError) in
            guard let digest = image.digest(0), digests.contains(digest), let url = image.text(2) else { return }
            rows.append((image.integer(1), url))
        }
        let row = try connection.statement("DELETE FROM data WHERE feed = ?1 AND url = ?2")
        for (feed, url) in rows {
            try row.bind(1, feed)
            try row.bind(2, url)
            try row.run()
        }
        try OwnData.lose(digests, in: connection)
        try markMissing()
    }

    /// Marks the kept items whose data was deleted, so that the data may be requested again.
    private func markMissing() throws(FeedError) {
        try connection.statement(
            """
            UPDATE items SET missing = 1
            WHERE last_seen IS NOT NULL AND missing = 0
                AND NOT EXISTS (SELECT 1 FROM data WHERE data.feed = items.feed AND data.url = items.url)
                AND NOT EXISTS (SELECT 1 FROM own_data WHERE own_data.feed = items.feed
                    AND own_data.item_id = items.item_id AND own_data.url = items.url)
            """
        ).run()
    }
}

/// Writes the data of one transaction, and lets earlier images keep what they had under the same URLs.
struct DataWriter {
    private let index: ImageIndex
    private var feeds: FeedRows
    /// The data that was replaced by other bytes, by feed and URL.
    private var replaced: [Int64: [String: StoredImage]] = [:]
    /// The URLs whose data was obtained or confirmed, of feeds where items have data of their own.
    private var settled: [Int64: Set<String>] = [:]

    init(_ connection: SQLiteConnection) {
        index = ImageIndex(connection: connection)
        feeds = FeedRows(connection)
    }

    private var failures: FailureMemory { FailureMemory(connection: index.connection) }

    /// Makes bytes the data of the URL for the feeds of an image.
    mutating func insert(_ image: ReceivedImage, _ fingerprint: StagedFile.Fingerprint) throws(FeedError) {
        let offered = OfferedImage(
            url: image.url, digest: fingerprint.digest, size: fingerprint.size, type: image.type,
            validators: image.validators, fetchedAt: image.fetchedAt)
        for url in image.feeds { if let feed = try feeds[url] { try insert(offered, of: feed) } }
    }

    private mutating func insert(_ image: OfferedImage, of feed: FeedRow) throws(FeedError) {
        if feed.keptCount > 0 || feed.hasOwnData {
            let url = image.url.text
            if let old = try index.find(url, of: feed.id), old.digest != image.digest {
                replaced[feed.id, default: [:]][url] = replaced[feed.id]?[url] ?? old
            }
            settled[feed.id, default: []].insert(url)
        }
        try index.insert(image, of: feed.id)
        try failures.forget(image.url, of: feed.id)
    }

    /// Renews the validators of confirmed data, or makes the data of an earlier URL the data of this one, too.
    mutating func confirm(_ image: ConfirmedImage) throws(FeedError) {
        for url in image.feeds {
            guard let feed = try feeds[url] else { continue }
            if let earlier = image.predecessor {
                guard let known = try index.find(earlier.text, of: feed.id) else { continue }
                let taken = OfferedImage(
                    url: image.url, digest: known.digest, size: known.size, type: known.type,
                    validators: image.validators, fetchedAt: known.fetchedAt)
                try insert(taken, of: feed)
            } else {
                try index.renew(image.validators, of: image.url, of: feed.id)
                if feed.hasOwnData { settled[feed.id, default: []].insert(image.url.text) }
                try failures.forget(image.url, of: feed.id)
            }
        }
    }

    /// Gives earlier images the data that was replaced, once all data of the transaction is written.
    func finish() throws(FeedError) {
        for (feed, urls) in settled {
            let own = OwnData(connection: index.connection, feed: feed)
            if let replaced = replaced[feed] { try own.keep(replaced) }
            try own.settle(urls)
        }
    }
}
