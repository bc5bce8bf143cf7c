internal import CSQLite
internal import FeedCore
internal import SystemFiles

/// A connection to a database, which is closed when it is released.
///
/// It is used by one thread at a time.
final class SQLiteConnection {
    enum Mode: Equatable {
        case memory
        /// Reads only. SQLite may still open the file for writing, because reading beside a writer needs shared memory.
        case reading
        /// Reads as the only process. SQLite then works without the file that it otherwise shares with a writer.
        case readingAlone
        /// Reads a file on a read-only medium, without locks and without files beside it.
        case immutable
        case writing
    }

    let path: String
    private let handle: OpaquePointer
    /// The lock of the cache, which is released after the connection is closed.
    private let lock: Descriptor?
    /// The prepared statements by the address of their SQL, because looking up the text takes longer than running most
    /// of them.
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
        // SQLite otherwise writes temporary data to a directory that may be read-only or full.
        try execute("PRAGMA temp_store = MEMORY")
        if mode == .readingAlone { try execute("PRAGMA locking_mode = EXCLUSIVE") }
        let reads = mode == .reading || mode == .readingAlone
        try execute(reads ? "PRAGMA query_only = ON" : "PRAGMA synchronous = FULL")
    }

    /// Turns off SQLite's memory statistics, which take a lock for each allocation.
    ///
    /// It must happen before the first use of SQLite.
    private static let countsNoMemory = feedsync_count_no_memory() == SQLITE_OK

    deinit {
        // Every change is committed. If the optimization fails, the next process that opens the database repeats it.
        if optimizesOnClosing {
            // The checkpoint skips the part of the log that a reader, such as an export, still needs. Statistics are
            // computed from a sample of the rows.
            let tidyUp = """
                PRAGMA busy_timeout = 0; PRAGMA analysis_limit = 400; PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)
                """
            sqlite3_exec(handle, tidyUp, nil, nil, nil)
        }
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Allows SQLite to move the log into the database when the connection is closed.
    func allowCheckpointOnClosing() { feedsync_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0) }

    /// Whether closing updates the statistics and moves the log into the database.
    ///
    /// It is set only for a database that this program owns.
    var optimizesOnClosing = false

    /// Returns the statement for this SQL, which is prepared once.
    func statement(_ sql: StaticString) throws(FeedError) -> SQLiteStatement {
        if let statement = statements[sql.utf8Start] { return statement }
        let statement = try prepare(String(describing: sql))
        statements[sql.utf8Start] = statement
        return statement
    }

    /// Returns whether a query gives at least one row.
    func finds(_ sql: StaticString) throws(FeedError) -> Bool {
        var isFound = false
        try statement(sql).forEachRow { () throws(FeedError) in isFound = true }
        return isFound
    }

    /// Prepares a statement that is used once.
    func prepare(_ sql: String) throws(FeedError) -> SQLiteStatement {
        try SQLiteStatement(sql, in: handle, path: path)
    }

    /// Runs one or more statements and ignores their rows.
    func execute(_ sql: String) throws(FeedError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw .sqlite(code, handle, path: path) }
    }

    /// Whether the last call failed because its SQL differs from the schema of the database.
    var failedBySchema: Bool { sqlite3_errcode(handle) == SQLITE_ERROR }

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

    /// The number of rows that the last statement changed.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Runs several reads that see the same state of the database, even while another process writes.
    func reading<Outcome>(_ work: () throws(FeedError) -> Outcome) throws(FeedError) -> Outcome {
        try transaction("BEGIN", work, undoing: {})
    }

    /// Runs changes in one transaction.
    ///
    /// Calls `undo` if the changes were certainly rolled back. After an I/O error during the commit, SQLite may find
    /// the changes committed when it reads the log again; `undo` is then skipped.
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
            // A failed rollback has no further consequence, because the changes stay uncommitted.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            if !mayStand { undo() }
            throw error
        }
    }

    /// Copies everything from another database.
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

extension SQLiteConnection {
    /// Returns the first damage in the pages of the database, or nil if the database is intact.
    ///
    /// Throws if pages can't be read. The full check is needed because the quick check overlooks an index that differs
    /// from its table, as after a log was applied to the wrong database.
    func firstDamage() throws(FeedError) -> String? {
        guard let finding = try text("PRAGMA integrity_check(1)"), finding != "ok" else { return nil }
        guard !Self.isFailedRead(finding) else {
            throw .storage(.failed, "\(path): could not be read: \(finding.split(separator: "\n").last ?? "")")
        }
        return finding
    }

    /// Returns whether a finding is a failed read.
    ///
    /// SQLite lists a page that it failed to read among the damage. The text contains the code of the error, except for
    /// a page of the freelist, whose text means only this failure.
    static func isFailedRead(_ finding: String) -> Bool {
        if finding.contains("failed to get page") { return true }
        guard let name = finding.firstRange(of: "error code") else { return false }
        let number = finding[name.upperBound...].drop { $0 == " " || $0 == "=" }.prefix { $0.isASCII && $0.isNumber }
        guard let code = Int32(number) else { return false }
        return ![SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(code & 0xFF)
    }
}

/// The only connection to the database, which runs on its own thread.
actor Database {
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let executor = QueueExecutor("feedsync.database")
    private let path: String
    /// The connection, or nil after `close`.
    private var connection: SQLiteConnection?

    init(_ connection: sending SQLiteConnection) {
        path = connection.path
        self.connection = connection
    }

    func close() { connection = nil }

    /// Runs several reads that see the same state of the database.
    func read<Outcome: Sendable>(
        _ work: @Sendable (SQLiteConnection) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        let connection = try open
        return try connection.reading { () throws(FeedError) in try work(connection) }
    }

    /// Runs changes in one transaction.
    ///
    /// `undo` is called as in `SQLiteConnection.writing`.
    func write<Outcome: Sendable>(
        _ work: @Sendable (SQLiteConnection) throws(FeedError) -> Outcome,
        undoing undo: @Sendable () -> Void = {}
    ) throws(FeedError) -> Outcome {
        let connection = try open
        return try connection.writing({ () throws(FeedError) in try work(connection) }, undoing: undo)
    }

    /// Passes the connection to `work`, which starts its own transactions.
    func use<Outcome: Sendable>(
        _ work: @Sendable (SQLiteConnection) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        try work(try open)
    }

    private var open: SQLiteConnection {
        get throws(FeedError) {
            guard let connection else { throw .storage(.failed, "\(path): is closed") }
            return connection
        }
    }
}
