internal import FeedCore
internal import SystemFiles

/// Searches the images in the database of a cache.
struct ImageFinder: ImageSearch {
    let database: Database
    let directories: ImageDirectories

    func find(
        _ query: ImageQuery, _ visit: @escaping @Sendable ([FoundImage]) throws(FeedError) -> Void
    ) async throws(FeedError) -> Int {
        try await database.read { connection throws(FeedError) in
            let feeds = try SearchedFeed.all(of: query, in: connection)
            guard let files = directories.files else { return 0 }
            var matches = ImageMatches(connection: connection, query: query)
            for (index, feed) in feeds.enumerated() { try matches.add(feed, UInt32(index)) }
            matches.sort()
            var reader = MatchReader(connection: connection, feeds: feeds, files: files)
            return try reader.read(matches.all, limit: query.limit ?? .max, visit)
        }
    }
}

/// A feed whose images are searched.
private struct SearchedFeed {
    let head: FeedHead
    let circles: VisibleCircles
    /// The row of the feed.
    let id: Int64

    static func all(of query: ImageQuery, in connection: SQLiteConnection) throws(FeedError) -> [SearchedFeed] {
        var feeds: [SearchedFeed] = []
        for head in try SQLiteFeedStore.heads(in: connection) where query.feed == nil || head.url.key == query.feed?.key
        {
            guard let row = try FeedRow.find(head.url, in: connection) else { continue }
            let circles = VisibleCircles(feed: row.id, seesOwnNetwork: row.seesOwnNetwork)
            feeds.append(SearchedFeed(head: head, circles: circles, id: row.id))
        }
        if let feed = query.feed, feeds.isEmpty {
            throw .notFound("\(feed): this feed was never saved; sync it first")
        }
        return feeds
    }
}

/// The matching images as numbers, because there may be a million of them.
private struct ImageMatches {
    struct MatchedRow {
        let fetchedAt: Int64
        let position: Int64
        let feed: UInt32
    }

    let connection: SQLiteConnection
    let query: ImageQuery
    private var words: SearchWords
    private(set) var all: [MatchedRow] = []

    init(connection: SQLiteConnection, query: ImageQuery) {
        self.connection = connection
        self.query = query
        words = SearchWords(query.words)
    }

    /// Adds the matching images of a feed that have data.
    mutating func add(_ feed: SearchedFeed, _ index: UInt32) throws(FeedError) {
        let image = try connection.statement(
            """
            SELECT position, url, alternatives, description, title, location, author, tags, text
            FROM items WHERE feed = ?1
            """)
        let data = ImageIndex(connection: connection)
        words.beginFeed(titled: feed.head.title)
        try image.bind(1, feed.id)
        try image.forEachRow { () throws(FeedError) in
            if Task.isCancelled { throw .cancelled }
            guard matches(image),
                let fetchedAt = try data.firstObtained(image.text(1) ?? "", image.text(2), in: feed.circles)
            else { return }
            if let after = query.after, fetchedAt <= after.microseconds { return }
            all.append(MatchedRow(fetchedAt: fetchedAt, position: image.integer(0), feed: index))
        }
    }

    private mutating func matches(_ image: SQLiteStatement) -> Bool {
        words.beginImage()
        for column: Int32 in [3, 4, 5, 6, 7, 1, 8] {
            if words.isComplete { return true }
            words.look(in: image.bytes(column))
        }
        return words.isComplete
    }

    /// Sorts the matches: the latest first, and those of one moment in the order of their feeds.
    mutating func sort() {
        all.sort { one, other in
            if one.fetchedAt != other.fetchedAt { return one.fetchedAt > other.fetchedAt }
            return (one.feed, one.position) < (other.feed, other.position)
        }
    }
}

/// Reads the matching images in batches.
private struct MatchReader {
    private static let batchSize = 500

    let connection: SQLiteConnection
    let feeds: [SearchedFeed]
    let files: Descriptor

    /// Passes the images whose file exists to `visit`, and returns their number.
    mutating func read(
        _ matches: [ImageMatches.MatchedRow], limit: Int, _ visit: ([FoundImage]) throws(FeedError) -> Void
    ) throws(FeedError) -> Int {
        var (count, batch) = (0, [FoundImage]())
        for match in matches {
            if Task.isCancelled { throw .cancelled }
            if count == limit { break }
            guard let found = try image(match) else { continue }
            batch.append(found)
            count += 1
            if batch.count == Self.batchSize {
                try visit(batch)
                batch = []
            }
        }
        if !batch.isEmpty { try visit(batch) }
        return count
    }

    private func image(_ match: ImageMatches.MatchedRow) throws(FeedError) -> FoundImage? {
        let feed = feeds[Int(match.feed)]
        let row = try connection.statement(
            """
            SELECT position, item_id, url, credentials, description, location, title, link, published, alternatives,
                last_seen, author, rights, tags, text
            FROM items WHERE feed = ?1 AND position = ?2
            """)
        try row.bind(1, feed.id)
        try row.bind(2, match.position)
        guard let image = try ItemReader.images(in: row, of: feed.head.url, connection).first,
            let stored = try ImageIndex(connection: connection).find(image, in: feed.circles)
        else { return nil }
        let isThere = try attempt(.failed) { () throws(SystemError) in
            try ImageFile.isThere(stored.digest, size: stored.size, in: files)
        }
        return isThere ? FoundImage(feed: feed.head, image: image, stored: stored) : nil
    }
}
