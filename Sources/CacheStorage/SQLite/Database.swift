internal import FeedCore
internal import SystemFiles

/// The one connection to the database, with a thread to itself.
actor Database {
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let executor = QueueExecutor("feedsync.database")
    private let path: String
    /// Nil once it is closed.
    private var connection: SQLiteConnection?

    init(_ connection: sending SQLiteConnection) {
        path = connection.path
        self.connection = connection
    }

    func close() { connection = nil }

    /// Runs reads that all see one state of the database.
    func read<Outcome: Sendable>(
        _ work: @Sendable (SQLiteConnection) throws(FeedError) -> Outcome
    ) throws(FeedError) -> Outcome {
        let connection = try open
        return try connection.reading { () throws(FeedError) in try work(connection) }
    }

    /// Runs changes of which all stand afterwards or, if one throws, none; `undo` as there.
    func write<Outcome: Sendable>(
        _ work: @Sendable (SQLiteConnection) throws(FeedError) -> Outcome,
        undoing undo: @Sendable () -> Void = {}
    ) throws(FeedError) -> Outcome {
        let connection = try open
        return try connection.writing({ () throws(FeedError) in try work(connection) }, undoing: undo)
    }

    /// Hands the connection out for work that makes its own transactions.
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
