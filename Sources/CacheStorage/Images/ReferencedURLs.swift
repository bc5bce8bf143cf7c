internal import FeedCore

/// The temporary table `referenced`, which has a row for each saved feed and each URL whose data it references.
enum ReferencedURLs {
    /// Leaves out the items that have data of their own.
    static let withoutOwnData = """
        AND NOT EXISTS (SELECT 1 FROM own_data
            WHERE own_data.feed = items.feed AND own_data.item_id = items.item_id AND own_data.url = items.url
                AND awaited = 0)
        """

    /// Runs `work` while the table exists.
    ///
    /// `condition` is an SQL condition for the items that count.
    static func withTable(
        in connection: SQLiteConnection, where condition: String = "", _ work: () throws(FeedError) -> Void
    ) throws(FeedError) {
        do throws(FeedError) {
            try createTable(in: connection, condition)
            try work()
        } catch {
            try dropTable(in: connection)
            throw error
        }
        try dropTable(in: connection)
    }

    /// Creates the table from the URLs and the alternatives of all items.
    private static func createTable(in connection: SQLiteConnection, _ condition: String) throws(FeedError) {
        try connection.execute(
            """
            CREATE TEMP TABLE referenced (feed INTEGER NOT NULL, url TEXT NOT NULL, PRIMARY KEY (feed, url))
                STRICT, WITHOUT ROWID;
            INSERT OR IGNORE INTO referenced
                SELECT feed, url FROM items WHERE feed IN (SELECT id FROM feeds) \(condition);
            """)
        let item = try connection.prepare(
            """
            SELECT feed, alternatives FROM items
            WHERE alternatives IS NOT NULL AND feed IN (SELECT id FROM feeds) \(condition)
            """)
        let referenced = try connection.prepare("INSERT OR IGNORE INTO temp.referenced (feed, url) VALUES (?1, ?2)")
        try item.forEachRow { () throws(FeedError) in
            try referenced.bind(1, item.integer(0))
            for url in AlternativeURLs.split(item.text(1) ?? "") {
                try referenced.bind(2, url)
                try referenced.run()
            }
        }
    }

    private static func dropTable(in connection: SQLiteConnection) throws(FeedError) {
        try connection.execute("DROP TABLE IF EXISTS temp.referenced")
    }
}
