internal import FeedCore

/// Reads feed images from rows that begin with `columns`.
///
/// The database is untrusted input and checked like any other.
struct ItemReader {
    static let columns = mainColumns + ", author, rights, tags, text"
    /// The columns for images without the details of their items, which take more memory than everything else.
    static let columnsWithoutDetails = mainColumns + ", NULL, NULL, NULL, NULL"
    private static let mainColumns = """
        position, item_id, url, credentials, description, location, title, link, published, alternatives, last_seen, page,
            private
        """

    private let connection: SQLiteConnection
    private let feed: ResourceURL
    private let readsCredentials: Bool
    /// The link of the previous row.
    ///
    /// Adjacent images of one item share it.
    private var last: (text: String, link: ResourceURL?)?

    init(_ connection: SQLiteConnection, of feed: ResourceURL, readingCredentials readsCredentials: Bool = true) {
        self.connection = connection
        self.feed = feed
        self.readsCredentials = readsCredentials
    }

    /// Runs a query, and returns the images of all rows.
    static func images(
        in row: SQLiteStatement, of feed: ResourceURL, _ connection: SQLiteConnection
    ) throws(FeedError) -> [FeedImage] {
        var reader = ItemReader(connection, of: feed)
        var images: [FeedImage] = []
        try row.forEachRow { () throws(FeedError) in images.append(try reader.image(in: row)) }
        return images
    }

    mutating func image(in row: SQLiteStatement) throws(FeedError) -> FeedImage {
        FeedImage(
            // An older version may have saved passwords in the id.
            id: (row.text(1) ?? "").withoutPasswords, description: row.text(4), location: row.text(5),
            url: try url(in: row),
            post: FeedPost(
                title: row.text(6), link: link(in: row), published: moment(8, in: row), author: row.text(13),
                rights: row.text(14), tags: row.text(15).map(Tags.split) ?? [], text: row.text(16),
                lastSeen: moment(10, in: row), page: row.text(11).flatMap(ResourceURL.init(storedRemote:))),
            alternatives: alternatives(in: row), isPublicOnly: row.integer(12) != 1)
    }

    private func moment(_ column: Int32, in row: SQLiteStatement) -> Timestamp? {
        row.isNull(column) ? nil : Timestamp(nearest: row.integer(column))
    }

    private func url(in row: SQLiteStatement) throws(FeedError) -> ResourceURL {
        do throws(InvalidURL) {
            let url = try ResourceURL(row.text(2) ?? "", credentials: readsCredentials ? row.text(3) : nil)
            try url.check(asNamedBy: feed)
            return url
        } catch {
            let number = row.integer(0) &+ 1
            throw .unreadable("\(connection.path): the saved feed \(feed): image \(number): URL \(error.reason)")
        }
    }

    private mutating func link(in row: SQLiteStatement) -> ResourceURL? {
        guard let text = row.text(7) else { return nil }
        if let last, last.text.utf8.elementsEqual(text.utf8) { return last.link }
        let link = ResourceURL(storedRemote: text)
        last = (text, link)
        return link
    }

    /// Returns the valid alternatives and skips the others.
    private func alternatives(in row: SQLiteStatement) -> [ResourceURL] {
        guard let texts = row.text(9) else { return [] }
        return AlternativeURLs.split(texts).compactMap { text in
            do throws(InvalidURL) {
                let url = try ResourceURL(text, credentials: nil)
                try url.check(asNamedBy: feed)
                return url
            } catch {
                return nil
            }
        }
    }
}

/// Writes the images of a feed as rows.
struct ItemWriter {
    private static let rowsAtOnce = 8
    private static let columns: Int32 = 17

    let connection: SQLiteConnection
    /// The row of the feed.
    let feed: Int64
    /// Whether the feed may reference private addresses, so that its images may be there.
    let reachesPrivate: Bool

    /// Writes images from the first position.
    ///
    /// Several rows share a statement, because one statement for each row takes twice as long.
    func append(_ images: [FeedImage]) throws(FeedError) {
        var rest = images[...]
        while rest.count >= Self.rowsAtOnce {
            let items = try connection.statement(
                """
                INSERT INTO items
                    (feed, position, item_id, description, location, url, credentials, title, link, published, alternatives,
                    author, rights, tags, text, page, private)
                VALUES
                    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
                    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
                    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
                    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
            try run(items, with: rest.prefix(Self.rowsAtOnce), first: Int64(rest.startIndex))
            rest = rest.dropFirst(Self.rowsAtOnce)
        }
        while let image = rest.first {
            try insert(image, at: Int64(rest.startIndex))
            rest = rest.dropFirst()
        }
    }

    func insert(_ image: FeedImage, at position: Int64) throws(FeedError) {
        let item = try connection.statement(
            """
            INSERT INTO items
                (feed, position, item_id, description, location, url, credentials, title, link, published, alternatives,
                author, rights, tags, text, page, private)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try run(item, with: [image], first: position)
    }

    private func run(
        _ items: SQLiteStatement, with images: ArraySlice<FeedImage>, first position: Int64
    ) throws(FeedError) {
        for (offset, image) in images.enumerated() {
            let bound = Int32(offset) * Self.columns
            try Self.bind(
                image, to: items, after: bound, feed, position + Int64(offset), reachesPrivate: reachesPrivate)
        }
        try items.run()
    }

    static func bind(
        _ image: FeedImage, to items: SQLiteStatement, after bound: Int32 = 0, _ feed: Int64, _ position: Int64,
        reachesPrivate: Bool = true
    ) throws(FeedError) {
        try items.bind(bound + 1, feed)
        try items.bind(bound + 2, position)
        try items.bind(bound + 3, image.id)
        try items.bind(bound + 4, image.description)
        try items.bind(bound + 5, image.location)
        try items.bind(bound + 6, image.url.text)
        try items.bind(bound + 7, image.url.credentials)
        try items.bind(bound + 8, image.title)
        try items.bind(bound + 9, image.link?.text)
        try items.bind(bound + 10, image.published?.microseconds)
        try items.bind(bound + 11, AlternativeURLs.join(image.alternatives))
        try items.bind(bound + 12, image.author)
        try items.bind(bound + 13, image.rights)
        try items.bind(bound + 14, Tags.join(image.tags))
        try items.bind(bound + 15, image.text)
        try items.bind(bound + 16, image.post?.page?.text)
        try items.bind(bound + 17, reachesPrivate && !image.isPublicOnly ? 1 : 0)
    }
}

/// The tags of a post in one column, a line each.
///
/// A tag of a feed contains no line break.
private enum Tags {
    static func join(_ tags: [String]) -> String? { tags.isEmpty ? nil : tags.joined(separator: "\n") }

    static func split(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}
