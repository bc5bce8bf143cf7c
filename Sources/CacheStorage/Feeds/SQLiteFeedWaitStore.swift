internal import FeedCore

/// The pauses that servers asked for, in the database of a cache.
struct SQLiteFeedWaitStore: FeedWaitStore {
    let database: Database

    func retrieve() async throws(FeedError) -> [FeedWait] {
        try await database.read { connection throws(FeedError) in
            let row = try connection.statement("SELECT feed, until FROM waits ORDER BY feed")
            var waits: [FeedWait] = []
            try row.forEachRow { () throws(FeedError) in
                // A row with an invalid URL is skipped, because it belongs to no feed.
                guard let feed = row.text(0).flatMap(ResourceURL.init(stored:)) else { return }
                waits.append(FeedWait(feed: feed, until: Timestamp(microseconds: row.integer(1))))
            }
            return waits
        }
    }

    func replace(with waits: [FeedWait]) async throws(FeedError) {
        try await database.write { connection throws(FeedError) in
            try connection.statement("DELETE FROM waits").run()
            let row = try connection.statement("INSERT INTO waits (feed, until) VALUES (?1, ?2)")
            for wait in waits {
                try row.bind(1, wait.feed.text)
                try row.bind(2, wait.until.microseconds)
                try row.run()
            }
        }
    }
}
