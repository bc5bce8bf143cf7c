internal import CSQLite
internal import FeedCore
internal import Glibc

extension FeedError {
    /// SQLITE_IOERR_SHMSIZE: the memory that SQLite shares is a file, and it doesn't tell why that couldn't grow.
    private static var cannotGrow: Int32 { SQLITE_IOERR | 19 << 8 }

    /// What SQLite just reported, while it still knows: the code and the text belong to the last call.
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
