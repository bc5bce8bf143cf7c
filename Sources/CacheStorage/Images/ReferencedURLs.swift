internal import FeedCore

/// The temporary table `referenced`, which has a row for each URL and each saved feed that references the URL.
enum ReferencedURLs {
    /// Creates the table from the URLs and the alternatives of all items.
    static func createTable(in connection: SQLiteConnection) throws(FeedError) {
        try connection.execute(
            """
            CREATE TEMP TABLE referenced (url TEXT NOT NULL, feed INTEGER NOT NULL, PRIMARY KEY (url, feed))
                STRICT, WITHOUT ROWID;
            INSERT OR IGNORE INTO referenced SELECT url, feed FROM items WHERE feed IN (SELECT id FROM feeds);
            """)
        let item = try connection.prepare(
            "SELECT feed, alternatives FROM items JOIN feeds ON feeds.id = items.feed WHERE alternatives IS NOT NULL")
        let referenced = try connection.prepare("INSERT OR IGNORE INTO temp.referenced (url, feed) VALUES (?1, ?2)")
        try item.forEachRow { () throws(FeedError) in
            let feed = item.integer(0)
            for url in AlternativeURLs.split(item.text(1) ?? "") {
                try referenced.bind(1, url)
                try referenced.bind(2, feed)
                try referenced.run()
            }
        }
    }

    static func dropTable(in connection: SQLiteConnection) throws(FeedError) {
        try connection.execute("DROP TABLE IF EXISTS temp.referenced")
    }
}
