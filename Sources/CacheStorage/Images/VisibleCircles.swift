internal import FeedCore

/// The circles whose data a feed may see, as numbers in the database.
struct VisibleCircles {
    static let everybody: Int64 = 0
    static let ownNetwork: Int64 = -1
    /// The circle of data that belongs to no saved feed.
    ///
    /// Only the command that requests its URL sees it.
    static let nobody: Int64 = -2

    /// The row of the feed, which is also the number of its own circle; nil for an unsaved feed.
    let feed: Int64?
    let seesOwnNetwork: Bool

    init(feed: Int64?, seesOwnNetwork: Bool) {
        self.feed = feed
        self.seesOwnNetwork = seesOwnNetwork
    }

    init(_ viewer: Viewer, in connection: SQLiteConnection) throws(FeedError) {
        let row = try FeedRow.find(viewer.feed, in: connection)
        feed = row?.id
        seesOwnNetwork = viewer.seesOwnNetwork ?? row?.seesOwnNetwork ?? false
    }

    /// Binds the circles to the parameters ?2 and ?3 of a query for the rows with `circle = ?2` and for those with
    /// `circle BETWEEN ?3 AND 0`.
    ///
    /// SQLite searches the index twice for it. For `circle IN (…)` it fills a table each time, which takes longer than
    /// the rest of the query.
    func bind(to row: SQLiteStatement) throws(FeedError) {
        try row.bind(2, feed)
        try row.bind(3, seesOwnNetwork ? Self.ownNetwork : Self.everybody)
    }

    /// Returns the number under which data for a circle is stored for this feed.
    func number(of circle: Circle) -> Int64 {
        switch circle {
        case .everybody: Self.everybody
        case .ownNetwork: Self.ownNetwork
        case .oneFeed: feed ?? Self.nobody
        }
    }

    /// Returns whether the feed may see data of a circle.
    func includes(_ circle: Int64) -> Bool {
        circle == Self.everybody || circle == feed || circle == Self.ownNetwork && seesOwnNetwork
    }

    /// Returns the priority of a circle: a feed's own data comes before the data of its own network, and that before
    /// everybody's.
    static func rank(_ circle: Int64) -> Int { circle == everybody ? 0 : circle == ownNetwork ? 1 : 2 }
}

/// The temporary table `referenced`, which has a row for each URL and each saved feed that references the URL.
enum ReferencedURLs {
    /// Runs `work` while the table exists.
    static func withTable(in connection: SQLiteConnection, _ work: () throws(FeedError) -> Void) throws(FeedError) {
        do throws(FeedError) {
            try createTable(in: connection)
            try work()
        } catch {
            try dropTable(in: connection)
            throw error
        }
        try dropTable(in: connection)
    }

    /// Creates the table from the URLs and the alternatives of all items.
    private static func createTable(in connection: SQLiteConnection) throws(FeedError) {
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

    private static func dropTable(in connection: SQLiteConnection) throws(FeedError) {
        try connection.execute("DROP TABLE IF EXISTS temp.referenced")
    }
}
