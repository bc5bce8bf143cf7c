internal import FeedCore

// The values of columns that SQLite has no type for. The database is untrusted input: a value that breaks the rules is
// read as nil.

extension SQLiteStatement {
    /// The kinds of errors that rows contain, by their names.
    private static let kinds = Dictionary(
        uniqueKeysWithValues: [FeedError.Kind.connectivity, .invalidData, .notFound].map { ($0.name, $0) })

    func errorKind(_ column: Int32) -> FeedError.Kind? { text(column).flatMap { Self.kinds[$0] } }
}

extension ResourceURL {
    /// Reads a URL on the web that a server gave. Returns nil for an invalid text and for a file.
    init?(storedRemote text: String) {
        guard let url = ResourceURL(stored: text), url.isRemote else { return nil }
        self = url
    }

    /// Reads a URL of a row. Returns nil for an invalid text.
    init?(stored text: String) {
        do {
            self = try ResourceURL(text, credentials: nil)
        } catch {
            return nil
        }
    }
}

/// The alternatives of an image in one column: URLs separated by spaces, because a URL contains none.
enum AlternativeURLs {
    static func split(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }

    /// Returns nil for an empty list.
    static func join(_ alternatives: [ResourceURL]) -> String? {
        alternatives.isEmpty ? nil : alternatives.map(\.text).joined(separator: " ")
    }
}

extension Timestamp {
    /// Reads microseconds and limits them to the moments that have a date.
    init(nearest microseconds: Int64) {
        self = min(max(Timestamp(microseconds: microseconds), Self.writable.lowerBound), Self.writable.upperBound)
    }
}
