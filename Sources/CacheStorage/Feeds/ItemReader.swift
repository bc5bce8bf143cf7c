internal import FeedCore

/// Makes feed images of rows that begin with an item's columns: position, item_id, url, credentials, description,
/// location, title, link, published, alternatives, last_seen. The database is input like any other, and checked like it.
struct ItemReader {
    static let columns: Int32 = 11

    let connection: SQLiteConnection
    let feed: ResourceURL
    /// That of the row before. The images of one post share it, and stand beside one another.
    private var last: (text: String, link: ResourceURL?)?

    init(_ connection: SQLiteConnection, of feed: ResourceURL) {
        (self.connection, self.feed) = (connection, feed)
    }

    mutating func image(in row: SQLiteStatement) throws(FeedError) -> FeedImage {
        FeedImage(
            // An older version may have left them in.
            id: (row.text(1) ?? "").withoutPasswords, description: row.text(4), location: row.text(5),
            url: try url(in: row),
            post: FeedPost(
                title: row.text(6), link: link(in: row),
                published: moment(8, in: row), lastSeen: moment(10, in: row)),
            alternatives: alternatives(in: row))
    }

    private func moment(_ column: Int32, in row: SQLiteStatement) -> Timestamp? {
        row.isNull(column) ? nil : Timestamp(nearest: row.integer(column))
    }

    private func url(in row: SQLiteStatement) throws(FeedError) -> ResourceURL {
        do throws(InvalidURL) {
            let url = try ResourceURL(row.text(2) ?? "", credentials: row.text(3))
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
        let link = ResourceURL(place: text)
        last = (text, link)
        return link
    }

    /// One that makes no sense is left out: there are others.
    private func alternatives(in row: SQLiteStatement) -> [ResourceURL] {
        guard let texts = row.text(9) else { return [] }
        return ItemWriter.addresses(in: texts).compactMap { text in
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

extension ResourceURL {
    /// A URL on the web that a server named. A text that makes no sense is none, and a file never is one.
    init?(place text: String) {
        guard let url = ResourceURL(stored: text), url.isRemote else { return nil }
        self = url
    }

    /// A URL as a row has it. A text that makes no sense is none.
    init?(stored text: String) {
        do {
            self = try ResourceURL(text, credentials: nil)
        } catch {
            return nil
        }
    }
}

extension Timestamp {
    /// The nearest moment that has a date.
    init(nearest microseconds: Int64) {
        self = min(max(Timestamp(microseconds: microseconds), Self.writable.lowerBound), Self.writable.upperBound)
    }
}
