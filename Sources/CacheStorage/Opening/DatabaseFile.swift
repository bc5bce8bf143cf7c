internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Opens the database of a cache in any state.
struct DatabaseFile {
    static let name = CacheLayout.database

    /// The directory of the cache, or nil if the cache is missing.
    let directory: Descriptor?
    /// The path without symbolic links, because SQLite refuses them.
    let path: String
    let schema: CacheSchema

    init(in directory: Descriptor?, resolvedPath: String, schema: CacheSchema) {
        self.directory = directory
        path = "\(resolvedPath)/\(Self.name)"
        self.schema = schema
    }

    func open(_ mode: SQLiteConnection.Mode, lock: Descriptor? = nil) throws(FeedError) -> SQLiteConnection {
        let checked = try status(of: Self.name)
        // The log stays outside the database until the database is known to be feedsync's.
        let connection = try SQLiteConnection(path, mode, lock: lock, keepingLog: hasLog())
        // SQLite opens the database by its path, where another file may be by now.
        guard try isThere(), let opened = try status(of: Self.name), checked?.isSame(as: opened) != false else {
            throw .storage(.failed, "\(path): another file has taken its place while it was opened")
        }
        return connection
    }

    /// Returns whether the database exists.
    ///
    /// Throws if one of its files belongs to another user, is a symbolic link, or is of a type that would block or
    /// confuse SQLite.
    func isThere() throws(FeedError) -> Bool {
        for ending in [""] + CacheLayout.databaseSuffixes {
            try attempt(.failed) { () throws(SystemError) in try directory?.requireOwn(Self.name + ending) }
            guard let status = try status(of: Self.name + ending) else { continue }
            if status.isLink {
                throw .storage(
                    .failed, "\(path)\(ending): is a symbolic link, and none is followed inside the cache")
            }
            let reason = "\(path)\(ending): is not a regular file"
            if !status.isFile { throw ending.isEmpty ? .unreadable(reason) : .storage(.failed, reason) }
        }
        return try status(of: Self.name) != nil
    }

    /// Throws if the database is empty although there are images, as after a crash.
    ///
    /// SQLite would take an empty file for a new database, but a new database has no images and no files beside it. A
    /// writer accepts an empty database, because a killed run may have just created it.
    func requireNotEmptied() throws(FeedError) {
        guard try status(of: Self.name)?.st_size == 0, try hasImages() else { return }
        for ending in CacheLayout.databaseSuffixes where try status(of: Self.name + ending) != nil { return }
        throw .unreadable("\(path): is empty, though there are images")
    }

    private func hasImages() throws(FeedError) -> Bool {
        try attempt(.failed) { () throws(SystemError) in
            guard let files = try ImageDirectories(existingIn: directory).files else { return false }
            return try !files.isEmpty()
        }
    }

    func hasLog() throws(FeedError) -> Bool {
        guard let log = try status(of: "\(Self.name)-wal") else { return false }
        return log.st_size > 0
    }

    func status(of name: String) throws(FeedError) -> stat? {
        try attempt(.failed) { () throws(SystemError) in try directory?.status(of: name) }
    }
}

extension DatabaseFile {
    /// Opens the database for reading.
    ///
    /// A missing database is read as empty, and an older schema is migrated in memory.
    func openForReading() throws(FeedError) -> SQLiteConnection {
        guard try isThere() else { return try inMemory() }
        try requireNotEmptied()
        var connection = try open(.reading)
        var state: CacheSchema.State
        do {
            state = try checkedState(of: connection)
        } catch let error where error.kind == .storage(.failed) && isWritable() {
            // SQLite can't create its shared memory on a full disk. It works without that memory while this is the only
            // process.
            connection = try open(.readingAlone)
            state = try checkedState(of: connection)
        } catch let error where error.kind == .storage(.failed) {
            // SQLite can't create its shared memory on a read-only medium.
            connection = try copyOfImmutable()
            state = try checkedState(of: connection)
        }
        return try upToDate(connection, state)
    }

    /// Copies the database of a read-only directory, where SQLite can't lock it.
    ///
    /// A writer may run elsewhere, if only this container or machine has the directory read-only. The shared lock of
    /// the cache ensures that the copy is made between two writers.
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
            // A writer may have migrated the database in the meantime.
            try schema.migrate(copy, from: schema.state(of: copy))
            return copy
        case .current:
            connection.allowCheckpointOnClosing()
            return connection
        }
    }

    /// Reads the state and the tables in one transaction, because the first run of a cache may be creating the tables.
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

extension DatabaseFile {
    /// Opens the database for writing, and creates it if it is missing.
    ///
    /// The lock is held until the connection is closed. `notices` says that the schema of an older version was migrated.
    func openForWriting(lock: Descriptor) throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        // An empty database is treated as a missing one.
        let isNew = try isThere() ? status(of: Self.name)?.st_size == 0 : true
        let isShared = try status(of: ".")?.isOpenToOthers == true
        if isNew { try make(mode: isShared ? 0o600 : 0o666) }
        if isShared { try makePrivate() }
        do {
            let connection = try open(.writing, lock: lock)
            let state = try schema.state(of: connection)
            connection.allowCheckpointOnClosing()
            try connection.execute("PRAGMA journal_mode = WAL")
            try schema.migrate(connection, from: state)
            try schema.check(connection)
            connection.optimizesOnClosing = true
            guard case .older = state else { return (connection, []) }
            return (connection, ["\(path): is updated; older versions of feedsync can no longer open the cache"])
        } catch let error where isNew && error.kind == .storage(.failed) && !error.lacksRoom {
            throw .storage(.cannotCreate, error.message)
        }
    }

    /// Closes the database and its companion files, which may be open to others if the directory was opened to others
    /// later.
    private func makePrivate() throws(FeedError) {
        try attempt(.failed) { () throws(SystemError) in
            guard let directory else { return }
            for ending in [""] + CacheLayout.databaseSuffixes {
                let name = Self.name + ending
                guard let status = try directory.status(of: name), status.st_uid == geteuid(), status.isOpenToOthers
                else {
                    continue
                }
                guard fchmodat(directory.number, name, status.st_mode & 0o700, 0) == 0 else {
                    throw SystemError("can't be made private", "\(path)\(ending)")
                }
            }
        }
    }

    /// Creates the database.
    ///
    /// SQLite itself would create a file that all users may read, whatever the umask. In a directory that is open to
    /// others the file is private, because it can contain credentials. SQLite gives its companion files the same mode.
    private func make(mode: mode_t) throws(FeedError) {
        try attempt(.cannotCreate) { () throws(SystemError) in _ = try directory?.makeFile(Self.name, mode: mode) }
    }
}

extension DatabaseFile {
    /// Opens the database for writing.
    ///
    /// Sets an unreadable database aside and begins a new one; `notices` then says so.
    func repair(lock: Descriptor) throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        let (connection, notices): (SQLiteConnection, [String])
        do throws(FeedError) {
            (connection, notices) = try examined { () throws(FeedError) in
                try requireNotEmptied()
                return try openForWriting(lock: lock)
            }
        } catch let error where error.kind == .storage(.unreadable) {
            let name = try setAside()
            let notice = "\(error.withoutHint); it was set aside as \(name), and a new database begins"
            return (try openForWriting(lock: lock).0, [notice])
        }
        let forgotten = try connection.writing { () throws(FeedError) in
            try RemovedRows(connection: connection).deleteInvalid(onlyCounting: false)
        }
        guard forgotten > 0 else { return (connection, notices) }
        return (connection, notices + ["\(path): forgot the removal of \(images(forgotten)), because it can't be read"])
    }

    /// Opens the database for reading as a rehearsal of `repair`; `notices` says what a repair would do.
    func rehearseRepair() throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        let connection: SQLiteConnection
        do throws(FeedError) {
            (connection, _) = try examined { () throws(FeedError) in (try openForReading(), notices: []) }
        } catch let error where error.kind == .storage(.unreadable) {
            let plan = "would set aside the database as \(try freeName()), and begin a new one: \(error.withoutHint)"
            return (try inMemory(), [plan])
        }
        let forgotten = try RemovedRows(connection: connection).deleteInvalid(onlyCounting: true)
        guard forgotten > 0 else { return (connection, []) }
        return (connection, ["would forget the removal of \(images(forgotten)), because it can't be read"])
    }

    private func images(_ count: Int) -> String { count == 1 ? "1 image" : "\(count) images" }

    /// Opens the database and examines it.
    ///
    /// Damage must be found twice, because the consequence is a new database, and SQLite can take a read that fails
    /// once for damage.
    private func examined(
        _ open: () throws(FeedError) -> (SQLiteConnection, notices: [String])
    ) throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        func attempt() throws(FeedError) -> (SQLiteConnection, notices: [String]) {
            let opened = try open()
            try examine(opened.0)
            return opened
        }
        do throws(FeedError) {
            return try attempt()
        } catch let error where error.kind == .storage(.unreadable) {
            return try attempt()
        }
    }

    private func examine(_ connection: SQLiteConnection) throws(FeedError) {
        if let finding = try connection.firstDamage() { throw .unreadable("\(path): damaged: \(finding)") }
        _ = try SQLiteFeedStore.heads(in: connection)
    }

    /// Returns an unused name for the database that is set aside.
    private func freeName() throws(FeedError) -> String {
        var number = 1
        while try status(of: "\(Self.name).unreadable-\(number)") != nil { number += 1 }
        return "\(Self.name).unreadable-\(number)"
    }

    /// Renames the database and its companion files, and returns the new name of the database.
    private func setAside() throws(FeedError) -> String {
        guard let directory else { throw .storage(.failed, "\(path): gone") }
        let name = try freeName()
        return try attempt(.failed) { () throws(SystemError) in
            // The database is renamed first, because SQLite deletes a log whose database is missing.
            for ending in [""] + CacheLayout.databaseSuffixes where try directory.status(of: Self.name + ending) != nil
            {
                guard renameat(directory.number, Self.name + ending, directory.number, name + ending) == 0 else {
                    throw SystemError("can't be set aside", path + ending)
                }
            }
            try directory.synchroniseWherePossible()
            return name
        }
    }
}
