internal import FeedCore

/// Older versions saved a feed once for each way in which its URL was spelt.
enum FeedSpellings {
    /// They become one feed, the one that was saved last.
    static func unite(_ connection: SQLiteConnection) throws(FeedError) {
        let feeds = try connection.statement("SELECT id, url FROM feeds ORDER BY saved_at DESC, id DESC")
        var rows: [(id: Int64, text: String, spelling: String)] = []
        try feeds.forEachRow { () throws(FeedError) in
            let text = feeds.text(1) ?? ""
            rows.append((feeds.integer(0), text, spelling(of: text)))
        }
        for sameFeed in Dictionary(grouping: rows, by: { Array($0.spelling.utf8) }).values {
            for older in sameFeed.dropFirst() {
                // The items go with it.
                let feed = try connection.statement("DELETE FROM feeds WHERE id = ?1")
                try feed.bind(1, older.id)
                try feed.run()
            }
            guard let latest = sameFeed.first, latest.spelling != latest.text else { continue }
            let feed = try connection.statement("UPDATE feeds SET url = ?2 WHERE id = ?1")
            try feed.bind(1, latest.id)
            try feed.bind(2, latest.spelling)
            try feed.run()
        }
    }

    /// A row that makes no sense stays as it is, for whoever reads it to say so.
    private static func spelling(of text: String) -> String {
        do { return try ResourceURL(text, credentials: nil).asFeed.text } catch { return text }
    }
}
