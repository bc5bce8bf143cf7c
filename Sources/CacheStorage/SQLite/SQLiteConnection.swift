internal import CSQLite
internal import FeedCore
internal import SystemFiles

/// A connection to a database, closed when it is let go of. For one thread at a time.
final class SQLiteConnection {
    enum Mode: Equatable {
        case memory
        /// Only reads, though SQLite may open the file for writing: reading beside a writer takes its shared memory.
        case reading
        /// As `reading`, while nobody else has it open: then SQLite needs no memory to share, which is a file.
        case readingAlone
        /// For a file that nobody can write: with no locks and no files beside it.
        case immutable
        case writing
    }

    let path: String
    private let handle: OpaquePointer
    /// Held until the connection is closed, and let go of after that.
    private let lock: Descriptor?
    /// Statements by the address of their SQL: to look for the text itself takes longer than to run most of them.
    private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

    init(
        _ path: String, _ mode: Mode, lock: Descriptor? = nil, keepingLog: Bool = false
    ) throws(FeedError) {
        let (name, flags) =
            switch mode {
            case .memory: (":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY)
            case .reading, .readingAlone: (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW)
            case .immutable: (Self.immutableURI(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_URI)
            case .writing: (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW)
            }
        _ = Self.countsNoMemory
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close_v2(opened) }
            throw .sqlite(code, opened, path: path)
        }
        (handle, self.path, self.lock) = (opened, path, lock)
        feedsync_configure(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
        feedsync_configure(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keepingLog ? 1 : 0)
        try execute("PRAGMA busy_timeout = 5000")
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA foreign_keys = ON")
        // What it sorts, or keeps in tables for a while, it else writes to a directory that may be read-only or full.
        try execute("PRAGMA temp_store = MEMORY")
        if mode == .readingAlone { try execute("PRAGMA locking_mode = EXCLUSIVE") }
        let reads = mode == .reading || mode == .readingAlone
        try execute(reads ? "PRAGMA query_only = ON" : "PRAGMA synchronous = FULL")
    }

    /// To be told to SQLite before its first use: else it counts all the memory it takes, under a lock, each time.
    private static let countsNoMemory = feedsync_count_no_memory() == SQLITE_OK

    deinit {
        // All is committed by now: should tidying up fail, the next to open the database does it.
        if tidiesUpOnClosing {
            // Somebody who reads, such as an export, is not waited for: what can't be taken over now is later. Statistics
            // are made of some rows, not of millions.
            let tidyUp = """
                PRAGMA busy_timeout = 0; PRAGMA analysis_limit = 400; PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)
                """
            sqlite3_exec(handle, tidyUp, nil, nil, nil)
        }
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// From now on closing it may take the log over into the database.
    func giveUpLog() { feedsync_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0) }

    /// Only for a database that is known to be ours.
    var tidiesUpOnClosing = false

    /// The statement for this SQL, prepared once.
    func statement(_ sql: StaticString) throws(FeedError) -> SQLiteStatement {
        if let statement = statements[sql.utf8Start] { return statement }
        let statement = try prepare(String(describing: sql))
        statements[sql.utf8Start] = statement
        return statement
    }

    /// Whether a query has any row to give.
    func finds(_ sql: StaticString) throws(FeedError) -> Bool {
        var isFound = false
        try statement(sql).forEachRow { () throws(FeedError) in isFound = true }
        return isFound
    }

    /// For SQL that is made for one occasion.
    func prepare(_ sql: String) throws(FeedError) -> SQLiteStatement {
        try SQLiteStatement(sql, in: handle, path: path)
    }

    /// Runs one or more statements whose rows, if any, don't matter.
    func execute(_ sql: String) throws(FeedError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw .sqlite(code, handle, path: path) }
    }

    /// Whether the last call failed since what it asks for doesn't go with the tables that there are.
    var wasMisfit: Bool { sqlite3_errcode(handle) == SQLITE_ERROR }

    func integer(_ sql: String) throws(FeedError) -> Int64 {
        let statement = try prepare(sql)
        var value: Int64 = 0
        try statement.forEachRow { () throws(FeedError) in value = statement.integer(0) }
        return value
    }

    func text(_ sql: String) throws(FeedError) -> String? {
        let statement = try prepare(sql)
        var value: String?
        try statement.forEachRow { () throws(FeedError) in value = statement.text(0) }
        return value
    }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The number of rows that the statement before changed.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Several reads that all see one state of the database, whatever another process writes meanwhile.
    func reading<Outcome>(_ work: () throws(FeedError) -> Outcome) throws(FeedError) -> Outcome {
        try transaction("BEGIN", work, undoing: {})
    }

    /// `undo` is called where none of it stands, for certain. It is not where the commit met an I/O error: what it wrote
    /// until then may be taken for committed when the log is read anew.
    func writing<Outcome>(
        _ work: () throws(FeedError) -> Outcome, undoing undo: () -> Void = {}
    ) throws(FeedError) -> Outcome {
        try transaction("BEGIN IMMEDIATE", work, undoing: undo)
    }

    private func transaction<Outcome>(
        _ begin: String, _ work: () throws(FeedError) -> Outcome, undoing undo: () -> Void
    ) throws(FeedError) -> Outcome {
        var isCommitting = false
        do {
            try execute(begin)
            let outcome = try work()
            isCommitting = true
            try execute("COMMIT")
            return outcome
        } catch {
            let mayStand = isCommitting && sqlite3_errcode(handle) & 0xFF == SQLITE_IOERR
            // A rollback that fails leaves nothing to be done, and nothing committed either.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            if !mayStand { undo() }
            throw error
        }
    }

    /// Takes over everything in another database.
    func copy(from source: SQLiteConnection) throws(FeedError) {
        guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw .sqlite(sqlite3_extended_errcode(handle), handle, path: path)
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw .sqlite(code, source.handle, path: source.path) }
    }

    private static func immutableURI(_ path: String) -> String {
        "file:\(PercentEncoding.encodePath(path))?immutable=1"
    }
}
