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
            var matches = ImageMatches(connection: connection, feeds: feeds)
            var words = SearchWords(query.words)
            for index in feeds.indices { try matches.add(UInt32(index), &words) }
            let found = try matches.found(after: query.after)
            let reader = try MatchReader(
                connection: connection, feeds: feeds, files: files, hasDetails: query.hasDetails)
            return try reader.read(found, limit: query.limit ?? .max, visit)
        }
    }
}

/// Reads the matching images in batches.
private struct MatchReader {
    private static let batchSize = 500
    /// The number of files that are looked for at once.
    private static let mostAhead = 8192

    private let connection: SQLiteConnection
    private let feeds: [SearchedFeed]
    private let files: Descriptor
    private let hasDetails: Bool
    private let row: SQLiteStatement

    init(
        connection: SQLiteConnection, feeds: [SearchedFeed], files: Descriptor, hasDetails: Bool
    ) throws(FeedError) {
        (self.connection, self.feeds, self.files, self.hasDetails) = (connection, feeds, files, hasDetails)
        let columns = hasDetails ? ItemReader.columns : "description"
        row = try connection.prepare("SELECT \(columns) FROM items WHERE feed = ?1 AND position = ?2")
    }

    /// Passes the images whose file exists to `visit`, and returns their number.
    func read(
        _ matches: FoundMatches, limit: Int, _ visit: ([FoundImage]) throws(FeedError) -> Void
    ) throws(FeedError) -> Int {
        var (count, batch) = (0, [FoundImage]())
        var rest = matches.order[...]
        while !rest.isEmpty, count < limit {
            let next = rest.prefix(min(Self.mostAhead, max(Self.batchSize, limit - count)))
            rest = rest.dropFirst(next.count)
            let areThere = try ImageFile.areThere(next.compactMap { matches.all[Int($0)].file }, in: files)
            for (index, isThere) in zip(next, areThere) where isThere {
                if Task.isCancelled { throw .cancelled }
                if count == limit { break }
                guard let found = try image(matches.all[Int(index)]) else { continue }
                batch.append(found)
                count += 1
                if batch.count == Self.batchSize {
                    try visit(batch)
                    batch.removeAll(keepingCapacity: true)
                }
            }
        }
        if !batch.isEmpty { try visit(batch) }
        return count
    }

    private func image(_ match: ImageMatch) throws(FeedError) -> FoundImage? {
        let feed = feeds[Int(match.feed)]
        try row.bind(1, feed.row.id)
        try row.bind(2, match.position)
        guard hasDetails else {
            guard let file = match.file else { return nil }
            var description: String?
            try row.forEachRow { () throws(FeedError) in description = row.text(0) }
            return FoundImage(
                feed: feed.head, description: description, fetchedAt: Timestamp(nearest: match.fetchedAt),
                path: "\(ImageDirectories.files)/\(file.digest.hex)")
        }
        guard let image = try ItemReader.images(in: row, of: feed.head.url, connection).first,
            let stored = try ImageIndex(connection: connection).find(image, of: feed.row)
        else { return nil }
        return FoundImage(
            feed: feed.head, description: image.description, fetchedAt: stored.fetchedAt, path: stored.path,
            details: FoundImage.Details(image: image, stored: stored))
    }
}
