internal import FeedCore
internal import Glibc
internal import SystemFiles

extension DatabaseFile {
    /// For reading alone: what isn't there reads as empty, and an older schema is brought up to date in memory.
    func openForReading() throws(FeedError) -> SQLiteConnection {
        guard try isThere() else { return try inMemory() }
        try requireNotEmptied()
        var connection = try open(.reading)
        var state: CacheSchema.State
        do {
            state = try checkedState(of: connection)
        } catch let error where error.kind == .storage(.failed) && isWritable() {
            // On a full disk SQLite can't set it up either, and can do without it while no other process is at work.
            connection = try open(.readingAlone)
            state = try checkedState(of: connection)
        } catch let error where error.kind == .storage(.failed) {
            // On a read-only medium SQLite can't set up what it shares with a writer.
            connection = try copyOfImmutable()
            state = try checkedState(of: connection)
        }
        return try upToDate(connection, state)
    }

    /// It takes no lock, and there may be a writer all the same, where a container or another machine has the directory for
    /// reading alone: what is read is what was there at a moment without one.
    private func copyOfImmutable() throws(FeedError) -> SQLiteConnection {
        let lock = try attempt(.failed) { () throws(SystemError) in
            try directory?.status(of: CacheLayout.lock) == nil ? nil : directory?.open(CacheLayout.lock, O_RDONLY)
        }
        try lock?.lock(.shared, cache: path)
        defer { withExtendedLifetime(lock) {} }
        guard try !hasLog() else {
            throw .storage(.failed, "\(path): the last run's log is still to be taken over, and nothing can be written")
                .hinting("use the cache once where it can be written to")
        }
        return try copy(of: open(.immutable))
    }

    private func copy(of connection: SQLiteConnection) throws(FeedError) -> SQLiteConnection {
        let copy = try SQLiteConnection(path, .memory)
        try copy.copy(from: connection)
        return copy
    }

    private func upToDate(
        _ connection: SQLiteConnection, _ state: CacheSchema.State
    ) throws(FeedError) -> SQLiteConnection {
        switch state {
        case .empty: return try inMemory()
        case .older:
            let copy = try copy(of: connection)
            // It may have come further in the meantime.
            try schema.migrate(copy, from: schema.state(of: copy))
            return copy
        case .current:
            connection.giveUpLog()
            return connection
        }
    }

    /// All of one moment: the first run of a cache may be making its tables just now.
    private func checkedState(of connection: SQLiteConnection) throws(FeedError) -> CacheSchema.State {
        try connection.reading { () throws(FeedError) in
            let state = try schema.state(of: connection)
            if state == .current { try schema.check(connection) }
            return state
        }
    }

    func inMemory() throws(FeedError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path, .memory)
        try schema.migrate(connection, from: .empty)
        return connection
    }

    private func isWritable() -> Bool {
        guard let directory else { return false }
        return faccessat(directory.number, ".", W_OK, AT_EACCESS) == 0
    }
}
