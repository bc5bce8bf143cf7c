internal import FeedCore

/// The rows with the last download failure of each image URL and circle.
///
/// An invalid row is read as a missing one, as with images.
struct FailureMemory {
    let connection: SQLiteConnection

    /// Returns whether the table is empty, which is the usual case.
    func isEmpty() throws(FeedError) -> Bool { try !connection.finds("SELECT 1 FROM failures LIMIT 1") }

    /// Returns the last failure of a URL that the feed may see.
    ///
    /// `onlyOwn` limits the search to the feed's own failures.
    func find(
        _ url: ResourceURL, in circles: VisibleCircles, onlyOwn: Bool
    ) throws(FeedError) -> RememberedFailure? {
        let row = try connection.statement(
            """
            SELECT kind, status, message, failed_at, count, circle FROM failures WHERE url = ?1 AND circle = ?2
            UNION ALL
            SELECT kind, status, message, failed_at, count, circle FROM failures WHERE url = ?1 AND circle BETWEEN ?3 AND 0
            ORDER BY failed_at
            """)
        try row.bind(1, url.text)
        try circles.bind(to: row)
        var found: RememberedFailure?
        try row.forEachRow { () throws(FeedError) in
            guard !onlyOwn || row.integer(5) > 0, let error = Self.error(in: row, of: url) else { return }
            found = RememberedFailure(
                error: error,
                failedAt: Timestamp(nearest: row.integer(3)), count: Int(row.integer(4)))
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

    func add(_ failure: ImageFailure) throws(FeedError) {
        // The limit keeps a forged count within its type.
        let row = try connection.statement(
            """
            INSERT INTO failures (url, circle, kind, status, message, failed_at, count)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1)
            ON CONFLICT (url, circle) DO UPDATE SET
                kind = excluded.kind, status = excluded.status, message = excluded.message,
                failed_at = excluded.failed_at, count = min(count, 1000000) + 1
            """)
        var written: Set<Int64> = []
        for recipient in failure.recipients {
            guard let circle = try circle(of: recipient), written.insert(circle).inserted else { continue }
            try row.bind(1, failure.url.text)
            try row.bind(2, circle)
            try row.bind(3, failure.error.smallSize == nil ? failure.error.kind.name : Self.tooSmall)
            try row.bind(4, failure.error.status.map { Int64($0) })
            try row.bind(5, failure.error.smallSize?.text ?? failure.error.message)
            try row.bind(6, failure.failedAt.microseconds)
            try row.run()
        }
    }

    /// Returns the number of the recipient's circle, or nil for the circle of a feed that is not saved: its failures
    /// are never requested.
    private func circle(of recipient: Recipient) throws(FeedError) -> Int64? {
        switch recipient.circle {
        case .everybody: return VisibleCircles.everybody
        case .ownNetwork: return VisibleCircles.ownNetwork
        case .oneFeed:
            guard let feed = recipient.feed else { return nil }
            return try VisibleCircles(Viewer(feed), in: connection).feed
        }
    }

    /// Forgets the failures of a URL in the circles of the recipients and in the recipients' own circles.
    func forget(_ url: ResourceURL, for recipients: [Recipient]) throws(FeedError) {
        if try isEmpty() { return }
        let row = try connection.statement("DELETE FROM failures WHERE url = ?1 AND circle IN (?2, ?3)")
        for recipient in recipients {
            let own = try recipient.feed.flatMap { feed throws(FeedError) in
                try VisibleCircles(Viewer(feed), in: connection).feed
            }
            let circle = try circle(of: recipient)
            try row.bind(1, url.text)
            try row.bind(2, circle)
            try row.bind(3, own)
            try row.run()
        }
    }
}
