internal import FeedCore

/// Writes the images of a feed as rows.
struct ItemWriter {
    private static let rowsAtOnce = 8
    private static let columns: Int32 = 11

    let connection: SQLiteConnection
    /// Its row.
    let feed: Int64

    /// From the first place on. Many rows to a statement: one for each takes twice as long.
    func append(_ images: [FeedImage]) throws(FeedError) {
        var rest = images[...]
        while rest.count >= Self.rowsAtOnce {
            let items = try connection.statement(
                """
                INSERT INTO items
                    (feed, position, item_id, description, location, url, credentials, title, link, published, alternatives)
                VALUES
                    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
                    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
                    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
                    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
                (feed, position, item_id, description, location, url, credentials, title, link, published, alternatives)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try run(item, with: [image], first: position)
    }

    private func run(
        _ items: SQLiteStatement, with images: ArraySlice<FeedImage>, first position: Int64
    ) throws(FeedError) {
        for (offset, image) in images.enumerated() {
            let bound = Int32(offset) * Self.columns
            try Self.bind(image, to: items, after: bound, feed, position + Int64(offset))
        }
        try items.run()
    }

    static func bind(
        _ image: FeedImage, to items: SQLiteStatement, after bound: Int32 = 0, _ feed: Int64, _ position: Int64
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
        try items.bind(bound + 11, text(of: image.alternatives))
    }

    static func addresses(in text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }

    /// No URL has a space in it.
    private static func text(of alternatives: [ResourceURL]) -> String? {
        alternatives.isEmpty ? nil : alternatives.map(\.text).joined(separator: " ")
    }
}
