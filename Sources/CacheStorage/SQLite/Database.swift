internal import FeedCore
internal import SystemFiles

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

    /// Runs changes in one transaction. `undo` is called as in `SQLiteConnection.writing`.
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
