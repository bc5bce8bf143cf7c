internal import CSQLite
internal import FeedCore

/// A prepared statement, finalised when it is let go of.
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
        // With its length, as a text from a feed can hold NULs.
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

    /// Runs a statement that has no rows to give.
    func run() throws(FeedError) {
        try forEachRow { () throws(FeedError) in }
    }

    /// Runs it and visits each row; the bindings stay until they are bound anew.
    func forEachRow(_ visit: () throws(FeedError) -> Void) throws(FeedError) {
        // What resetting answers is the failure of the step before, told already.
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

    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nil where there is none.
    func digest(_ column: Int32) -> Digest? {
        guard let start = sqlite3_column_blob(handle, column) else { return nil }
        return Digest(bytes: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    private func check(_ code: Int32) throws(FeedError) {
        guard code == SQLITE_OK else { throw .sqlite(code, database, path: path) }
    }
}
