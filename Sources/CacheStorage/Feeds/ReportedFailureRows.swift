internal import FeedCore

/// The failures that runs have reported, in the database of a cache.
struct SQLiteReportedFailureStore: ReportedFailureStore {
    let database: Database

    func retrieve() async throws(FeedError) -> [ReportedFailure] {
        try await database.read { connection throws(FeedError) in
            let row = try connection.statement(
                """
                SELECT url, of_images, kind, status, host, reported_at
                FROM reported_failures JOIN feeds ON feeds.id = feed ORDER BY number
                """)
            var failures: [ReportedFailure] = []
            try row.forEachRow { () throws(FeedError) in
                // An invalid row is skipped, because it says nothing about a feed.
                guard let feed = row.text(0).flatMap(ResourceURL.init(stored:)), let kind = row.errorKind(2) else {
                    return
                }
                let status = row.optionalInteger(3).map(Int.init)
                failures.append(
                    ReportedFailure(
                        feed: feed, subject: row.integer(1) == 0 ? .feed : .images,
                        cause: FailureCause(kind: kind, status: status, host: row.text(4)),
                        reportedAt: Timestamp(nearest: row.integer(5))))
            }
            return failures
        }
    }

    func replace(with failures: [ReportedFailure]) async throws(FeedError) {
        try await database.write { connection throws(FeedError) in
            try connection.statement("DELETE FROM reported_failures").run()
            let row = try connection.statement(
                """
                INSERT INTO reported_failures (feed, number, of_images, kind, status, host, reported_at)
                SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM feeds WHERE url = ?1
                """)
            for (number, failure) in failures.enumerated() {
                try row.bind(1, failure.feed.text)
                try row.bind(2, Int64(number))
                try row.bind(3, failure.subject == .images ? 1 : 0)
                try row.bind(4, failure.cause.kind.name)
                try row.bind(5, failure.cause.status.map { Int64($0) })
                try row.bind(6, failure.cause.host)
                try row.bind(7, failure.reportedAt.microseconds)
                try row.run()
            }
        }
    }
}
