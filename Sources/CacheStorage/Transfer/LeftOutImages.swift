internal import FeedCore

/// The images whose data thin archives left out: the data that the cache has for them, and the images that it remembers.
struct LeftOutImages {
    /// Data in the cache, and the feeds that may take it.
    private struct CachedData {
        let size: Int64
        let type: ImageType
        var circles: [Int64] = []
        /// Whether an archive brought the data, so that every feed of a thin archive may take it.
        var isArchived = false
    }

    let connection: SQLiteConnection
    /// The digests that the archive leaves out.
    var digests: Set<Digest> = []
    /// The data in the cache that has one of these digests; nil before the first search.
    private var cachedData: [Digest: CachedData]?

    init(connection: SQLiteConnection) { self.connection = connection }

    /// Returns the size and type of data that the feed may see, or that an archive brought.
    mutating func cachedData(
        of digest: Digest, in circles: VisibleCircles
    ) throws(FeedError) -> (size: Int64, type: ImageType)? {
        let all = if let cachedData { cachedData } else { try findCachedData() }
        cachedData = all
        guard let data = all[digest], data.isArchived || data.circles.contains(where: circles.includes) else {
            return nil
        }
        return (data.size, data.type)
    }

    /// Reads all rows once, because the table has no index of digests.
    private func findCachedData() throws(FeedError) -> [Digest: CachedData] {
        let row = try connection.statement("SELECT digest, size, media_type, circle, archived FROM images")
        var found: [Digest: CachedData] = [:]
        try row.forEachRow { () throws(FeedError) in
            guard let digest = row.digest(0), digests.contains(digest),
                let type = row.text(2).flatMap(ImageType.init(mediaType:))
            else { return }
            let (circle, isArchived) = (row.integer(3), row.integer(4) != 0)
            var data = found[digest] ?? CachedData(size: row.integer(1), type: type)
            data.isArchived = data.isArchived || isArchived
            if data.isArchived {
                data.circles = []
            } else if !data.circles.contains(circle) {
                data.circles.append(circle)
            }
            found[digest] = data
        }
        return found
    }

    /// Remembers an image of a feed until an archive brings its data.
    func remember(_ image: LeftOutImage, of feed: Int64) throws(FeedError) {
        let row = try connection.statement(
            """
            INSERT OR REPLACE INTO left_out (feed, url, digest, etag, last_modified, fetched_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        try row.bind(1, feed)
        try row.bind(2, image.url.text)
        try row.bind(3, image.digest)
        try row.bind(4, image.validators.etag)
        try row.bind(5, image.validators.lastModified)
        try row.bind(6, image.fetchedAt.microseconds)
        try row.run()
    }

    /// Returns the feeds that have remembered images.
    func feeds() throws(FeedError) -> [(id: Int64, url: ResourceURL)] {
        let row = try connection.statement(
            "SELECT id, url FROM feeds WHERE id IN (SELECT feed FROM left_out) ORDER BY id")
        var feeds: [(id: Int64, url: ResourceURL)] = []
        try row.forEachRow { () throws(FeedError) in
            if let url = row.text(1).flatMap(ResourceURL.init(stored:)) { feeds.append((row.integer(0), url)) }
        }
        return feeds
    }

    /// Forgets the images of a feed whose data was brought, and returns those that the feed still references.
    ///
    /// `held` returns the size and type of data that was brought.
    func take(
        of feed: Int64, where held: (Digest) throws(FeedError) -> (size: Int64, type: ImageType)?
    ) throws(FeedError) -> [OfferedImage] {
        let brought = try brought(to: feed, held)
        if brought.isEmpty { return [] }
        let forgotten = try connection.statement("DELETE FROM left_out WHERE feed = ?1 AND url = ?2")
        try forgotten.bind(1, feed)
        for url in brought.keys {
            try forgotten.bind(2, url)
            try forgotten.run()
        }
        return try referenced(brought, by: feed)
    }

    private func brought(
        to feed: Int64, _ held: (Digest) throws(FeedError) -> (size: Int64, type: ImageType)?
    ) throws(FeedError) -> [String: OfferedImage] {
        let row = try connection.statement(
            "SELECT url, digest, etag, last_modified, fetched_at FROM left_out WHERE feed = ?1")
        try row.bind(1, feed)
        var brought: [String: OfferedImage] = [:]
        try row.forEachRow { () throws(FeedError) in
            guard let text = row.text(0), let digest = row.digest(1), let data = try held(digest),
                let url = ResourceURL(stored: text)
            else { return }
            let image = LeftOutImage(
                url: url, digest: digest, validators: Validators(etag: row.text(2), lastModified: row.text(3)),
                fetchedAt: Timestamp(nearest: row.integer(4)))
            brought[text] = image.found(size: data.size, type: data.type)
        }
        return brought
    }

    /// Returns the images whose URL the feed references.
    ///
    /// The others have left the feed, or the user has removed them.
    private func referenced(_ images: [String: OfferedImage], by feed: Int64) throws(FeedError) -> [OfferedImage] {
        let item = try connection.statement("SELECT url, alternatives FROM items WHERE feed = ?1")
        try item.bind(1, feed)
        var rest = images
        var referenced: [OfferedImage] = []
        try item.forEachRow { () throws(FeedError) in
            for url in [item.text(0) ?? ""] + AlternativeURLs.split(item.text(1) ?? "") {
                if let image = rest.removeValue(forKey: url) { referenced.append(image) }
            }
        }
        return referenced
    }
}
