internal import FeedCore

/// The rows that say why a URL's image could not be had. As with images, a row that makes no sense counts as none.
struct FailureMemory {
    let connection: SQLiteConnection

    /// Mostly there are none.
    func isEmpty() throws(FeedError) -> Bool { try !connection.finds("SELECT 1 FROM failures LIMIT 1") }

    func find(_ url: ResourceURL) throws(FeedError) -> RememberedFailure? {
        let row = try connection.statement(
            "SELECT kind, status, message, failed_at, count FROM failures WHERE url = ?1")
        try row.bind(1, url.text)
        var found: RememberedFailure?
        try row.forEachRow { () throws(FeedError) in
            guard let kind = row.errorKind(0) else { return }
            let status = row.isNull(1) ? nil : Int(row.integer(1))
            found = RememberedFailure(
                error: FeedError(kind, row.text(2) ?? "", status: status, host: url.hostAndPort),
                failedAt: Timestamp(microseconds: row.integer(3)), count: Int(row.integer(4)))
        }
        return found
    }

    /// Of each image of a saved feed that has one, once: with the digest and size of its data, if there is a row of it.
    func forEach(
        of feed: ResourceURL,
        _ visit: (_ failedAt: Timestamp, _ count: Int, _ data: (digest: Digest, size: Int64)?) -> Void
    ) throws(FeedError) {
        if try isEmpty() { return }
        // In this order no list is made of all that the feed names.
        let row = try connection.statement(
            """
            SELECT DISTINCT failures.url, kind, failed_at, count, digest, size
            FROM feeds CROSS JOIN items ON items.feed = feeds.id CROSS JOIN failures ON failures.url = items.url
                LEFT JOIN images ON images.url = failures.url
            WHERE feeds.url = ?1
            """)
        try row.bind(1, feed.text)
        try row.forEachRow { () throws(FeedError) in
            guard row.errorKind(1) != nil else { return }
            visit(
                Timestamp(nearest: row.integer(2)), Int(row.integer(3)), row.digest(4).map { ($0, row.integer(5)) })
        }
    }

    func add(_ failure: ImageFailure) throws(FeedError) {
        // The count of a row that lies about it is not let grow out of its type.
        let row = try connection.statement(
            """
            INSERT INTO failures (url, kind, status, message, failed_at, count) VALUES (?1, ?2, ?3, ?4, ?5, 1)
            ON CONFLICT (url) DO UPDATE SET
                kind = excluded.kind, status = excluded.status, message = excluded.message,
                failed_at = excluded.failed_at, count = min(count, 1000000) + 1
            """)
        try row.bind(1, failure.url.text)
        try row.bind(2, failure.error.kind.name)
        try row.bind(3, failure.error.status.map { Int64($0) })
        try row.bind(4, failure.error.message)
        try row.bind(5, failure.failedAt.microseconds)
        try row.run()
    }

    func forget(_ urls: some Sequence<ResourceURL>) throws(FeedError) {
        if try isEmpty() { return }
        let row = try connection.statement("DELETE FROM failures WHERE url = ?1")
        for url in urls {
            try row.bind(1, url.text)
            try row.run()
        }
    }

    func forgetUnreferenced() throws(FeedError) {
        try connection.statement("DELETE FROM failures WHERE url NOT IN (SELECT url FROM items)").run()
    }
}
