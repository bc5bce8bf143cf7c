internal import FeedCore

/// In the database of a cache.
struct SQLiteHostWaitStore: HostWaitStore {
    let database: Database

    func retrieve() async throws(FeedError) -> [HostWait] {
        try await database.read { connection throws(FeedError) in
            let row = try connection.statement("SELECT origin, until FROM waits ORDER BY origin")
            var waits: [HostWait] = []
            try row.forEachRow { () throws(FeedError) in
                waits.append(HostWait(origin: row.text(0) ?? "", until: Timestamp(microseconds: row.integer(1))))
            }
            return waits
        }
    }

    func replace(with waits: [HostWait]) async throws(FeedError) {
        try await database.write { connection throws(FeedError) in
            try connection.statement("DELETE FROM waits").run()
            let row = try connection.statement("INSERT INTO waits (origin, until) VALUES (?1, ?2)")
            for wait in waits {
                try row.bind(1, wait.origin)
                try row.bind(2, wait.until.microseconds)
                try row.run()
            }
        }
    }
}
