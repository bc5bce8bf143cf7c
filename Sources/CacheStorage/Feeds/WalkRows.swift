internal import FeedCore

/// The rows of the open walks of a feed.
struct WalkRows {
    let connection: SQLiteConnection
    /// The row of the feed.
    let feed: Int64

    func replace(with walks: [OpenWalk]) throws(FeedError) {
        try delete()
        let row = try connection.statement(
            """
            INSERT INTO walks (feed, position, url, page, guessed, ends_at_saved, begun)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        for (position, walk) in walks.enumerated() {
            try row.bind(1, feed)
            try row.bind(2, Int64(position))
            try row.bind(3, walk.page.url.text)
            try row.bind(4, Int64(walk.page.number))
            try row.bind(5, walk.page.isGuessed ? 1 : 0)
            try row.bind(6, walk.endsAtSaved ? 1 : 0)
            try row.bind(7, walk.begun.microseconds)
            try row.run()
        }
    }

    func delete() throws(FeedError) {
        let rows = try connection.statement("DELETE FROM walks WHERE feed = ?1")
        try rows.bind(1, feed)
        try rows.run()
    }

    /// Returns the walks without those whose URL is invalid, because the database is untrusted input.
    func all() throws(FeedError) -> [OpenWalk] {
        let row = try connection.statement(
            "SELECT url, page, guessed, ends_at_saved, begun FROM walks WHERE feed = ?1 ORDER BY position")
        try row.bind(1, feed)
        var walks: [OpenWalk] = []
        try row.forEachRow { () throws(FeedError) in
            guard let url = row.text(0).flatMap(ResourceURL.init(stored:)), let number = Int(exactly: row.integer(1)),
                (2...Int(Int32.max)).contains(number)
            else { return }
            let page = FeedPage(url: url, number: number, isGuessed: row.integer(2) != 0)
            walks.append(
                OpenWalk(page: page, endsAtSaved: row.integer(3) != 0, begun: Timestamp(nearest: row.integer(4))))
        }
        return walks
    }
}
