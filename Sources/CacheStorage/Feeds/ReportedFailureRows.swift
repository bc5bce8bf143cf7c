internal import FeedCore

/// The failures that runs have reported, in the database of a cache.
struct SQLiteReportedFailureStore: ReportedFailureStore {
    let database: Database

    func retrieve() async throws(FeedError) -> [ReportedFailure] {
        try await database.read { connection throws(FeedError) in
            let row = try connection.statement(
                """
                SELECT url, of_images, kind, status, host, last_at
                FROM reports JOIN feeds ON feeds.id = feed ORDER BY reports.id
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
            try connection.statement("DELETE FROM reports").run()
            let row = try connection.statement(
                """
                INSERT INTO reports (feed, of_images, kind, status, host, first_at, last_at)
                SELECT id, ?2, ?3, ?4, ?5, ?6, ?6 FROM feeds WHERE url = ?1 AND saved_at IS NOT NULL
                """)
            for failure in failures {
                try row.bind(1, failure.feed.text)
                try row.bind(2, failure.subject == .images ? 1 : 0)
                try row.bind(3, failure.cause.kind.name)
                try row.bind(4, failure.cause.status.map { Int64($0) })
                try row.bind(5, failure.cause.host)
                try row.bind(6, failure.reportedAt.microseconds)
                try row.run()
            }
        }
    }
}
