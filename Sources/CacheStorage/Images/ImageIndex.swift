internal import FeedCore

/// The rows that map an image URL and a circle to image data.
///
/// An invalid row is read as a missing one: its data can be downloaded again, which replaces the row.
struct ImageIndex {
    /// The maximum size of an image.
    ///
    /// A row with a larger size is damaged, and a sum of such sizes would overflow.
    private static let mostBytes: Int64 = 1 << 40

    let connection: SQLiteConnection

    /// Returns whether the table is empty, as in a new cache.
    func isEmpty() throws(FeedError) -> Bool { try !connection.finds("SELECT 1 FROM images LIMIT 1") }

    /// The data and the circle of one row.
    struct IndexRow {
        let image: StoredImage
        let circle: Int64
        /// Whether an archive brought the data.
        let isArchived: Bool
    }

    /// Returns the data of a URL for a feed: the feed's own data, else the data of its own network, else everybody's.
    func find(_ url: String, in circles: VisibleCircles) throws(FeedError) -> IndexRow? {
        let row = try connection.statement(
            """
            SELECT circle, digest, size, media_type, etag, last_modified, fetched_at, archived
            FROM images WHERE url = ?1 AND circle = ?2
            UNION ALL
            SELECT circle, digest, size, media_type, etag, last_modified, fetched_at, archived
            FROM images WHERE url = ?1 AND circle BETWEEN ?3 AND 0
            """)
        try row.bind(1, url)
        try circles.bind(to: row)
        var found: IndexRow?
        try row.forEachRow { () throws(FeedError) in
            let circle = row.integer(0)
            if let known = found, VisibleCircles.rank(known.circle) > VisibleCircles.rank(circle) { return }
            if let image = Self.image(in: row, from: 1, isOfOneFeed: circle > 0) {
                found = IndexRow(image: image, circle: circle, isArchived: row.integer(7) != 0)
            }
        }
        return found
    }

    /// Returns the data of an image, which is the data of the first of its URLs that has data which the feed may see.
    func find(_ image: FeedImage, in circles: VisibleCircles) throws(FeedError) -> StoredImage? {
        let found = try find(image.url.text, image.alternatives.lazy.map(\.text), in: circles)
        guard var stored = found?.image else { return nil }
        stored.from = found?.alternative.map { image.alternatives[$0] }
        return stored
    }

    /// Returns the data of the first URL that has data which the feed may see, and the index of an alternative.
    func find(
        _ url: String, _ alternatives: some Sequence<String>, in circles: VisibleCircles
    ) throws(FeedError) -> (image: StoredImage, alternative: Int?)? {
        if let row = try find(url, in: circles) { return (row.image, nil) }
        for (index, alternative) in alternatives.enumerated() {
            if let row = try find(alternative, in: circles) { return (row.image, index) }
        }
        return nil
    }

    /// Returns the data of a URL in any circle.
    ///
    /// If several circles have data, the latest is returned.
    func find(anywhere url: String) throws(FeedError) -> StoredImage? {
        let row = try connection.statement(
            """
            SELECT digest, size, media_type, etag, last_modified, fetched_at FROM images WHERE url = ?1
            ORDER BY fetched_at DESC
            """)
        try row.bind(1, url)
        var found: StoredImage?
        try row.forEachRow { () throws(FeedError) in found = found ?? Self.image(in: row, from: 0) }
        return found
    }

    /// Returns the data of the image that has this `url` in a saved feed.
    func find(imageAt url: String) throws(FeedError) -> StoredImage? {
        let row = try connection.statement(
            """
            SELECT items.url, alternatives, feeds.id, own_network FROM items JOIN feeds ON feeds.id = items.feed
            WHERE items.url = ?1 AND alternatives IS NOT NULL
            """)
        try row.bind(1, url)
        var found: StoredImage?
        try row.forEachRow { () throws(FeedError) in
            guard found == nil else { return }
            let circles = VisibleCircles(feed: row.integer(2), seesOwnNetwork: row.integer(3) != 0)
            found = try find(url, AlternativeURLs.split(row.text(1) ?? ""), in: circles)?.image
        }
        return found
    }

    /// Returns the image in the six columns from `first`.
    private static func image(
        in row: SQLiteStatement, from first: Int32, isOfOneFeed: Bool = false
    ) -> StoredImage? {
        guard let file = file(in: row, from: first),
            let type = row.text(first + 2).flatMap(ImageType.init(mediaType:))
        else { return nil }
        return StoredImage(
            digest: file.digest, size: file.size, type: type,
            validators: Validators(etag: row.text(first + 3), lastModified: row.text(first + 4)),
            fetchedAt: Timestamp(microseconds: row.integer(first + 5)), directory: ImageDirectories.files,
            isOfOneFeed: isOfOneFeed)
    }

    /// Returns the digest and the size in the two columns from `first`.
    static func file(in row: SQLiteStatement, from first: Int32) -> ImageFile.Expected? {
        let size = row.integer(first + 1)
        guard let digest = row.digest(first), (0...mostBytes).contains(size) else { return nil }
        return ImageFile.Expected(digest: digest, size: size)
    }

    /// Makes a file the data of the image's URL, once for each circle of its recipients.
    ///
    /// It replaces the data that the recipients saw before in narrower circles.
    func insert(_ image: ReceivedImage, _ fingerprint: StagedFile.Fingerprint) throws(FeedError) {
        let offered = OfferedImage(
            url: image.url, digest: fingerprint.digest, size: fingerprint.size, type: image.type,
            validators: image.validators,
            fetchedAt: image.fetchedAt)
        let recipients = image.recipients.isEmpty ? [Recipient(image: image.url, circle: .oneFeed)] : image.recipients
        var written: Set<Int64> = []
        for recipient in recipients {
            let circles = try circles(of: recipient)
            let number = circles.number(of: recipient.circle)
            if written.insert(number).inserted { try insert(offered, in: number) }
            try deleteNarrower(than: number, image.url, circles)
        }
    }

    private func circles(of recipient: Recipient) throws(FeedError) -> VisibleCircles {
        guard let feed = recipient.feed else { return VisibleCircles(feed: nil, seesOwnNetwork: false) }
        return try VisibleCircles(Viewer(feed), in: connection)
    }

    /// Inserts or replaces the row of an image in a circle.
    ///
    /// If the bytes are the same, the row keeps the date when they were first obtained, and whether an archive brought
    /// them.
    func insert(_ image: OfferedImage, in circle: Int64, isArchived: Bool = false) throws(FeedError) {
        let row = try connection.statement(
            """
            INSERT INTO images (url, circle, digest, size, media_type, etag, last_modified, fetched_at, archived)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (url, circle) DO UPDATE SET
                fetched_at = CASE WHEN digest = excluded.digest THEN min(fetched_at, excluded.fetched_at)
                    ELSE excluded.fetched_at END,
                archived = CASE WHEN digest = excluded.digest THEN max(archived, excluded.archived)
                    ELSE excluded.archived END,
                digest = excluded.digest, size = excluded.size, media_type = excluded.media_type,
                etag = excluded.etag, last_modified = excluded.last_modified
            """)
        try row.bind(1, image.url.text)
        try row.bind(2, circle)
        try row.bind(3, image.digest)
        try row.bind(4, image.size)
        try row.bind(5, image.type.mediaType)
        try row.bind(6, image.validators.etag)
        try row.bind(7, image.validators.lastModified)
        try row.bind(8, image.fetchedAt.microseconds)
        try row.bind(9, isArchived ? 1 : 0)
        try row.run()
    }

    /// Records that an archive brought bytes that the feed has already.
    ///
    /// Of the dates of a feed's own data, the earliest counts.
    func recordArchived(_ known: IndexRow, as image: OfferedImage) throws(FeedError) {
        guard known.circle != VisibleCircles.everybody, known.image.digest == image.digest else { return }
        let isEarlier = known.circle > 0 && image.fetchedAt < known.image.fetchedAt
        guard isEarlier || !known.isArchived else { return }
        let row = try connection.statement(
            "UPDATE images SET fetched_at = ?3, archived = 1 WHERE url = ?1 AND circle = ?2")
        try row.bind(1, image.url.text)
        try row.bind(2, known.circle)
        try row.bind(3, (isEarlier ? image.fetchedAt : known.image.fetchedAt).microseconds)
        try row.run()
    }

    private func deleteNarrower(
        than circle: Int64, _ url: ResourceURL, _ circles: VisibleCircles
    ) throws(FeedError) {
        guard VisibleCircles.rank(circle) < 2, circles.feed != nil else { return }
        let row = try connection.statement("DELETE FROM images WHERE url = ?1 AND circle IN (?2, ?3) AND circle <> ?4")
        try row.bind(1, url.text)
        try row.bind(2, circles.feed)
        try row.bind(3, circles.seesOwnNetwork ? VisibleCircles.ownNetwork : circles.feed)
        try row.bind(4, circle)
        try row.run()
    }

    /// Renews the validators of the data that each recipient sees, unless the response belongs to a narrower circle
    /// than the data: other feeds would get another response.
    ///
    /// Usually the validators are unchanged; then nothing is written, and the transaction ends without waiting for the
    /// disk.
    ///
    /// Data that a server confirms under another URL becomes the data of the recipient's feed only, because its entity tag
    /// can come from another server.
    func confirm(_ image: ConfirmedImage) throws(FeedError) {
        for recipient in image.recipients {
            let circles = try circles(of: recipient)
            guard let known = try find((image.predecessor ?? image.url).text, in: circles) else { continue }
            if image.predecessor != nil {
                let taken = OfferedImage(
                    url: image.url, digest: known.image.digest, size: known.image.size, type: known.image.type,
                    validators: image.validators, fetchedAt: known.image.fetchedAt)
                try insert(taken, in: circles.number(of: .oneFeed), isArchived: known.isArchived)
            } else if VisibleCircles.rank(circles.number(of: recipient.circle)) <= VisibleCircles.rank(known.circle) {
                let row = try connection.statement(
                    """
                    UPDATE images SET etag = ?3, last_modified = ?4
                    WHERE url = ?1 AND circle = ?2 AND (etag IS NOT ?3 OR last_modified IS NOT ?4)
                    """)
                try row.bind(1, image.url.text)
                try row.bind(2, known.circle)
                try row.bind(3, image.validators.etag)
                try row.bind(4, image.validators.lastModified)
                try row.run()
            }
        }
    }

    /// Returns the size of each digest, which is -1 if every row has an impossible size.
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

    /// Deletes the data and the failures of each URL that is unreferenced in its circle.
    func deleteUnreferenced() throws(FeedError) {
        try ReferencedURLs.withTable(in: connection) { () throws(FeedError) in
            for table in ["images", "failures"] {
                try connection.execute("DELETE FROM \(table) WHERE \(Self.isUnreferenced(in: table))")
            }
            try connection.execute(
                """
                DELETE FROM left_out WHERE NOT EXISTS (
                    SELECT 1 FROM referenced WHERE referenced.url = left_out.url AND referenced.feed = left_out.feed)
                """)
        }
    }

    /// Deletes the data of those of these URLs that are unreferenced in their circle.
    ///
    /// The search for references reads all items, so it runs only if one of the URLs has data.
    func deleteUnreferenced(among urls: Set<String>) throws(FeedError) {
        let row = try connection.statement("SELECT 1 FROM images WHERE url = ?1")
        var withData: Set<String> = []
        for url in urls {
            try row.bind(1, url)
            try row.forEachRow { () throws(FeedError) in withData.insert(url) }
        }
        if withData.isEmpty { return }
        try ReferencedURLs.withTable(in: connection) { () throws(FeedError) in
            let deletion = try connection.prepare(
                "DELETE FROM images WHERE url = ?1 AND \(Self.isUnreferenced(in: "images"))")
            for url in withData {
                try deletion.bind(1, url)
                try deletion.run()
            }
        }
    }

    /// Returns the condition for the rows of a table whose URL is unreferenced in its circle.
    private static func isUnreferenced(in table: String) -> String {
        """
        NOT CASE circle
            WHEN 0 THEN url IN (SELECT url FROM referenced)
            WHEN -1 THEN url IN (
                SELECT referenced.url FROM referenced JOIN feeds ON feeds.id = referenced.feed WHERE own_network <> 0)
            ELSE EXISTS (SELECT 1 FROM referenced WHERE referenced.url = \(table).url AND feed = \(table).circle) END
        """
    }

    func delete(_ digests: Set<Digest>) throws(FeedError) {
        if digests.isEmpty { return }
        var rows: [(url: String, circle: Int64)] = []
        let image = try connection.statement("SELECT digest, url, circle FROM images")
        try image.forEachRow { () throws(FeedError) in
            guard let digest = image.digest(0), digests.contains(digest), let url = image.text(1) else { return }
            rows.append((url, image.integer(2)))
        }
        let row = try connection.statement("DELETE FROM images WHERE url = ?1 AND circle = ?2")
        for (url, circle) in rows {
            try row.bind(1, url)
            try row.bind(2, circle)
            try row.run()
        }
        try markMissing()
    }

    /// Marks the kept items whose data was deleted, so that the data may be requested again.
    private func markMissing() throws(FeedError) {
        try connection.statement(
            """
            UPDATE items SET missing = 1
            WHERE last_seen IS NOT NULL AND missing = 0 AND NOT EXISTS (
                SELECT 1 FROM images WHERE images.url = items.url AND (circle IN (0, feed)
                    OR circle = -1 AND (SELECT own_network FROM feeds WHERE id = feed) <> 0))
            """
        ).run()
    }

    /// Visits the URL of each image of a saved feed, with its data if it has any.
    func forEachImage(
        of feed: ResourceURL, in circles: VisibleCircles,
        _ visit: (_ url: String, StoredImage?) throws(FeedError) -> Void
    ) throws(FeedError) {
        guard let id = circles.feed else { return }
        let item = try connection.statement("SELECT url, alternatives FROM items WHERE feed = ?1")
        try item.bind(1, id)
        try item.forEachRow { () throws(FeedError) in
            let url = item.text(0) ?? ""
            try visit(url, try find(url, AlternativeURLs.split(item.text(1) ?? ""), in: circles)?.image)
        }
    }
}
