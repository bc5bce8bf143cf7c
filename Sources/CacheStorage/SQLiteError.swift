internal import CSQLite
internal import FeedCore
internal import Glibc

extension FeedError {
    /// What SQLite just reported, while it still knows: the code and the text belong to the last call.
    static func sqlite(_ code: Int32, _ database: OpaquePointer?, path: String) -> FeedError {
        var reason = database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
        if [SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xFF), let database, sqlite3_system_errno(database) != 0 {
            reason += " (\(String(cString: strerror(sqlite3_system_errno(database)))))"
        }
        let text = "\(path): \(reason) (SQLite code \(code))"
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: return .unreadable(text)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .storage(.locked, "another program, such as sqlite3, keeps \(path) locked")
        default: return .storage(.failed, text)
        }
    }
}
