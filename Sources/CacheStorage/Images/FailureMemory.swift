internal import FeedCore

/// The rows with the last download failure of each image URL of a feed.
///
/// An invalid row is read as a missing one, as with images.
struct FailureMemory {
    let connection: SQLiteConnection

    /// Returns whether the table is empty, which is the usual case.
    func isEmpty() throws(FeedError) -> Bool { try !connection.finds("SELECT 1 FROM failures LIMIT 1") }

    func find(_ url: ResourceURL, of feed: Int64) throws(FeedError) -> RememberedFailure? {
        let row = try connection.statement(
            "SELECT kind, status, message, failed_at, count FROM failures WHERE feed = ?1 AND url = ?2")
        try row.bind(1, feed)
        try row.bind(2, url.text)
        var found: RememberedFailure?
        try row.forEachRow { () throws(FeedError) in
            guard let error = Self.error(in: row, of: url) else { return }
            found = RememberedFailure(
                error: error, failedAt: Timestamp(nearest: row.integer(3)), count: Int(row.integer(4)))
        }
        return found
    }

    /// The kind of a row that remembers an image which was smaller than the user wanted.
    ///
    /// The message is its size, so that a later run can compare the size with another limit.
    private static let tooSmall = "tooSmall"

    private static func error(in row: SQLiteStatement, of url: ResourceURL) -> FeedError? {
        let message = row.text(2) ?? ""
        if row.text(0) == tooSmall { return ImageSize(message).map { .tooSmall($0, host: url.hostAndPort) } }
        let status = row.optionalInteger(1).map(Int.init)
        return row.errorKind(0).map { FeedError($0, message, status: status, host: url.hostAndPort) }
    }

    /// Adds a failure for each of its feeds that is saved.
    func add(_ failure: ImageFailure, _ feeds: inout FeedRows) throws(FeedError) {
        // The limit keeps a forged count within its type.
        let row = try connection.statement(
            """
            INSERT INTO failures (feed, url, kind, status, message, failed_at, count)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1)
            ON CONFLICT (feed, url) DO UPDATE SET
                kind = excluded.kind, status = excluded.status, message = excluded.message,
                failed_at = excluded.failed_at, count = min(count, 1000000) + 1
            """)
        for url in failure.feeds {
            guard let feed = try feeds[url] else { continue }
            try row.bind(1, feed.id)
            try row.bind(2, failure.url.text)
            try row.bind(3, failure.error.smallSize == nil ? failure.error.kind.name : Self.tooSmall)
            try row.bind(4, failure.error.status.map { Int64($0) })
            try row.bind(5, failure.error.smallSize?.text ?? failure.error.message)
            try row.bind(6, failure.failedAt.microseconds)
            try row.run()
        }
    }

    func forget(_ url: ResourceURL, of feed: Int64) throws(FeedError) {
        let row = try connection.statement("DELETE FROM failures WHERE feed = ?1 AND url = ?2")
        try row.bind(1, feed)
        try row.bind(2, url.text)
        try row.run()
    }
}
