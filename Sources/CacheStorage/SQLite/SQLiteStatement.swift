internal import CSQLite
internal import FeedCore
internal import Glibc

/// A prepared statement, which is finalised when it is released.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let path: String

    init(_ sql: String, in database: OpaquePointer, path: String) throws(FeedError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw .sqlite(code, database, path: path) }
        (handle, self.database, self.path) = (prepared, database, path)
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ index: Int32, _ text: String?) throws(FeedError) {
        guard var text else { return try check(sqlite3_bind_null(handle, index)) }
        // The length is passed, because a text from a feed can contain NUL.
        try check(text.withUTF8 { feedsync_bind_text(handle, index, $0.baseAddress, Int32(clamping: $0.count)) })
    }

    func bind(_ index: Int32, _ number: Int64?) throws(FeedError) {
        guard let number else { return try check(sqlite3_bind_null(handle, index)) }
        try check(sqlite3_bind_int64(handle, index, number))
    }

    func bind(_ index: Int32, _ digest: Digest) throws(FeedError) {
        try digest.withBytes { bytes throws(FeedError) in
            try check(feedsync_bind_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count)))
        }
    }

    /// Runs a statement and ignores its rows.
    func run() throws(FeedError) {
        try forEachRow { () throws(FeedError) in }
    }

    /// Runs the statement and visits each row.
    ///
    /// Its bindings stay until they are replaced.
    func forEachRow(_ visit: () throws(FeedError) -> Void) throws(FeedError) {
        // The result of `sqlite3_reset` repeats the failure of the last step, which was thrown already.
        defer { sqlite3_reset(handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try visit()
            case SQLITE_DONE: return
            case let code: throw .sqlite(code, database, path: path)
            }
        }
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func text(_ column: Int32) -> String? {
        isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
    }

    /// Returns the bytes of a text, which are valid until the next row; empty for NULL.
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        guard let start = sqlite3_column_text(handle, column) else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// Returns nil if the value differs from a digest.
    func digest(_ column: Int32) -> Digest? {
        guard let start = sqlite3_column_blob(handle, column) else { return nil }
        return Digest(bytes: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    private func check(_ code: Int32) throws(FeedError) {
        guard code == SQLITE_OK else { throw .sqlite(code, database, path: path) }
    }
}

extension FeedError {
    /// SQLITE_IOERR_SHMSIZE: the file for the shared memory can't grow.
    ///
    /// SQLite gives this code without the reason.
    private static var cannotGrow: Int32 { SQLITE_IOERR | 19 << 8 }

    /// Returns the error of the last SQLite call.
    ///
    /// The code and the text are valid until the next call.
    static func sqlite(_ code: Int32, _ database: OpaquePointer?, path: String) -> FeedError {
        var reason = database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
        let system = [SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xFF) ? systemError(of: database) : 0
        if system != 0 { reason += " (\(String(cString: strerror(system))))" }
        let text = "\(path): \(reason) (SQLite code \(code))"
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: return .unreadable(text)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .storage(.busy, "another program, such as sqlite3, keeps \(path) locked")
        default:
            let error = FeedError.storage(.failed, text)
            let lacksRoom = code & 0xFF == SQLITE_FULL || code == cannotGrow || [ENOSPC, EDQUOT].contains(system)
            return lacksRoom ? error.lackingRoom() : error
        }
    }

    private static func systemError(of database: OpaquePointer?) -> Int32 {
        guard let database else { return 0 }
        let error = sqlite3_system_errno(database)
        return error != 0 ? error : feedsync_log_errno(database)
    }
}

// The values of columns that SQLite has no type for. The database is untrusted input: a value that breaks the rules is
// read as nil.

extension SQLiteStatement {
    /// The kinds of errors that rows contain, by their names.
    private static let kinds = Dictionary(
        uniqueKeysWithValues: [FeedError.Kind.connectivity, .invalidData, .notFound].map { ($0.name, $0) })

    func errorKind(_ column: Int32) -> FeedError.Kind? { text(column).flatMap { Self.kinds[$0] } }
}

extension ResourceURL {
    /// Reads a URL on the web that a server gave.
    ///
    /// Returns nil for an invalid text and for a file.
    init?(storedRemote text: String) {
        guard let url = ResourceURL(stored: text), url.isRemote else { return nil }
        self = url
    }

    /// Reads a URL of a row.
    ///
    /// Returns nil for an invalid text.
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
