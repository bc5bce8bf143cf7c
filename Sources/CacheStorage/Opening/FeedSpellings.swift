internal import FeedCore

/// Older versions saved a feed once for each way in which its URL was spelt.
enum FeedSpellings {
    /// They become one feed, the one that was saved last.
    static func unite(_ connection: SQLiteConnection) throws(FeedError) {
        let feeds = try connection.statement("SELECT id, url FROM feeds ORDER BY saved_at DESC, id DESC")
        var rows: [(id: Int64, text: String)] = []
        try feeds.forEachRow { () throws(FeedError) in rows.append((feeds.integer(0), feeds.text(1) ?? "")) }
        var kept: [(id: Int64, text: String, spelling: String)] = []
        var seen: Set<[UInt8]> = []
        for row in rows {
            let spelling = spelling(of: row.text)
            if seen.insert(Array(spelling.utf8)).inserted {
                kept.append((row.id, row.text, spelling))
            } else {
                let items = try connection.statement("DELETE FROM items WHERE feed = ?1")
                try items.bind(1, row.id)
                try items.run()
                let feed = try connection.statement("DELETE FROM feeds WHERE id = ?1")
                try feed.bind(1, row.id)
                try feed.run()
            }
        }
        for row in kept where row.spelling != row.text {
            let change = try connection.statement("UPDATE feeds SET url = ?2 WHERE id = ?1")
            try change.bind(1, row.id)
            try change.bind(2, row.spelling)
            try change.run()
        }
    }

    /// A row that makes no sense stays as it is, for whoever reads it to say so.
    private static func spelling(of text: String) -> String {
        do { return try ResourceURL(text, credentials: nil).asFeed.text } catch { return text }
    }
}
