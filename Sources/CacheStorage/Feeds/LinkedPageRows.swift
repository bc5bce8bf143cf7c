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
            "SELECT url, public, kind, status, message, failed_at, count FROM pages WHERE feed = ?1")
        try row.bind(1, feed)
        var pages: [ResourceURL.Key: LinkedPage] = [:]
        try row.forEachRow { () throws(FeedError) in
            guard let url = row.text(0).flatMap(ResourceURL.init(storedRemote:)) else { return }
            let failure = Self.failure(in: row, of: url)
            guard failure != nil || row.isNull(2) else { return }
            pages[url.key] = LinkedPage(url: url, isPublic: row.integer(1) != 0, failure: failure)
        }
        return pages
    }

    private static func failure(in row: SQLiteStatement, of url: ResourceURL) -> RememberedFailure? {
        guard let kind = row.errorKind(2) else { return nil }
        let status = row.optionalInteger(3).map(Int.init)
        return RememberedFailure(
            error: FeedError(kind, row.text(4) ?? "", status: status, host: url.hostAndPort),
            failedAt: Timestamp(nearest: row.integer(5)), count: Int(row.integer(6)))
    }

    /// Replaces the rows, unless they are the same.
    func replace(with pages: [ResourceURL.Key: LinkedPage]) throws(FeedError) {
        guard try all() != pages else { return }
        let old = try connection.statement("DELETE FROM pages WHERE feed = ?1")
        try old.bind(1, feed)
        try old.run()
        let row = try connection.statement(
            """
            INSERT INTO pages (feed, url, public, kind, status, message, failed_at, count)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        try row.bind(1, feed)
        for page in pages.values {
            let failure = page.failure
            try row.bind(2, page.url.text)
            try row.bind(3, page.isPublic ? 1 : 0)
            try row.bind(4, failure?.error.kind.name)
            try row.bind(5, failure?.error.status.map { Int64($0) })
            try row.bind(6, failure?.error.message)
            try row.bind(7, failure?.failedAt.microseconds)
            try row.bind(8, failure.map { Int64($0.count) })
            try row.run()
        }
    }
}
