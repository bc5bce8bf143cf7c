internal import FeedCore

/// The rows with the pages that the items of a feed link to.
///
/// The database is untrusted input: an invalid row is read as a missing one, so that its page is requested again.
struct LinkedPageRows {
    let connection: SQLiteConnection
    /// The row of the feed.
    let feed: Int64

    func all() throws(FeedError) -> [ResourceURL.Key: LinkedPage] {
        let row = try connection.statement(
            """
            SELECT url, image, alternatives, description, kind, status, message, failed_at, count, public
            FROM linked_pages
            WHERE feed = ?1 ORDER BY url, number
            """)
        try row.bind(1, feed)
        var pages: [ResourceURL.Key: LinkedPage] = [:]
        var last: (url: ResourceURL, images: [PageImage])?
        try row.forEachRow { () throws(FeedError) in
            guard let url = row.text(0).flatMap(ResourceURL.init(storedRemote:)) else { return }
            if let failure = Self.failure(in: row, of: url) {
                pages[url.key] = LinkedPage(url: url, failure: failure)
                return
            }
            guard row.isNull(4) else { return }
            var images = last.map { $0.url == url ? $0.images : [] } ?? []
            if !row.isNull(1) {
                guard let image = Self.image(in: row) else { return }
                images.append(image)
            }
            last = (url, images)
            pages[url.key] = LinkedPage(url: url, images: images, isPublic: row.integer(9) != 0)
        }
        return pages
    }

    private static func failure(in row: SQLiteStatement, of url: ResourceURL) -> RememberedFailure? {
        guard let kind = row.errorKind(4) else { return nil }
        let status = row.optionalInteger(5).map(Int.init)
        return RememberedFailure(
            error: FeedError(kind, row.text(6) ?? "", status: status, host: url.hostAndPort),
            failedAt: Timestamp(nearest: row.integer(7)), count: Int(row.integer(8)))
    }

    private static func image(in row: SQLiteStatement) -> PageImage? {
        guard let url = row.text(1).flatMap(ResourceURL.init(storedRemote:)) else { return nil }
        let alternatives = row.text(2).map(AlternativeURLs.split) ?? []
        return PageImage(
            url: url, description: row.text(3),
            alternatives: alternatives.compactMap { ResourceURL(storedRemote: String($0)) })
    }

    /// Replaces the rows, unless they are the same.
    func replace(with pages: [ResourceURL.Key: LinkedPage]) throws(FeedError) {
        guard try all() != pages else { return }
        let old = try connection.statement("DELETE FROM linked_pages WHERE feed = ?1")
        try old.bind(1, feed)
        try old.run()
        for page in pages.values {
            if page.images.isEmpty { try add(page, 0) }
            for (number, image) in page.images.enumerated() { try add(page, number, image) }
        }
    }

    private func add(_ page: LinkedPage, _ number: Int, _ image: PageImage? = nil) throws(FeedError) {
        let failure = page.failure
        let row = try connection.statement(
            """
            INSERT INTO linked_pages
                (feed, url, number, image, alternatives, description, kind, status, message, failed_at, count, public)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """)
        try row.bind(1, feed)
        try row.bind(2, page.url.text)
        try row.bind(3, Int64(number))
        try row.bind(4, image?.url.text)
        try row.bind(5, image.flatMap { AlternativeURLs.join($0.alternatives) })
        try row.bind(6, image?.description)
        try row.bind(7, failure?.error.kind.name)
        try row.bind(8, failure?.error.status.map { Int64($0) })
        try row.bind(9, failure?.error.message)
        try row.bind(10, failure?.failedAt.microseconds)
        try row.bind(11, failure.map { Int64($0.count) })
        try row.bind(12, page.isPublic ? 1 : 0)
        try row.run()
    }
}
