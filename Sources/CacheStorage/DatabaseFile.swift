internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Opens the database of a cache, whatever state it is in.
struct DatabaseFile {
    static let name = "feedsync.sqlite"
    /// What SQLite keeps beside a database.
    private static let companions = ["-wal", "-shm", "-journal"]

    /// Nil if there is no cache.
    let folder: Descriptor?
    /// Without links: SQLite follows none.
    let path: String
    let schema: CacheSchema

    init(in folder: Descriptor?, resolvedPath: String, schema: CacheSchema) {
        self.folder = folder
        path = "\(resolvedPath)/\(Self.name)"
        self.schema = schema
    }

    /// For reading alone: what isn't there reads as empty, and an older schema is brought up to date in memory.
    func openForReading() throws(FeedError) -> SQLiteConnection {
        guard try isThere() else { return try inMemory() }
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

    /// It takes no lock, and there may be a writer all the same, where a container or another machine has the folder for
    /// reading alone: what is read is what was there at a moment without one.
    private func copyOfImmutable() throws(FeedError) -> SQLiteConnection {
        let lock = try attempt(.failed) { () throws(SystemError) in
            try folder?.status(of: CacheFolder.lock) == nil ? nil : folder?.open(CacheFolder.lock, O_RDONLY)
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

    /// Creates it if need be. The lock stays held until the connection is closed.
    func openForWriting(
        lock: Descriptor, _ mode: SQLiteConnection.Mode = .writing
    ) throws(FeedError) -> SQLiteConnection {
        // An empty one holds no more than none.
        let isNew = try isThere() ? status(of: Self.name)?.st_size == 0 : true
        let isShared = try status(of: ".")?.isOpenToOthers == true
        if isNew { try make(mode: isShared ? 0o600 : 0o666) }
        if isShared { try keepOthersOut() }
        try openCompanions()
        do {
            let connection = try open(mode, lock: lock)
            let state = try schema.state(of: connection)
            connection.giveUpLog()
            try connection.execute("PRAGMA journal_mode = WAL")
            try schema.migrate(connection, from: state)
            try schema.check(connection)
            connection.tidiesUpOnClosing = true
            return connection
        } catch let error where isNew && error.kind == .storage(.failed) && !error.lacksRoom {
            throw .storage(.cannotCreate, error.message)
        }
    }

    /// In a folder that was opened to others later, it and what belongs to it were made for more than their owner.
    private func keepOthersOut() throws(FeedError) {
        try attempt(.failed) { () throws(SystemError) in
            guard let folder else { return }
            for ending in [""] + Self.companions {
                let name = Self.name + ending
                guard let status = try folder.status(of: name), status.st_uid == geteuid(), status.isOpenToOthers else {
                    continue
                }
                guard fchmodat(folder.number, name, status.st_mode & 0o700, 0) == 0 else {
                    throw SystemError("can't be made private", "\(path)\(ending)")
                }
            }
        }
    }

    /// SQLite gives them the rights that the database had when it made them: whoever puts the database's right again
    /// doesn't know of them.
    private func openCompanions() throws(FeedError) {
        guard let folder else { return }
        for ending in Self.companions {
            let name = Self.name + ending
            guard let status = try status(of: name), status.st_uid == geteuid(), status.st_mode & 0o600 != 0o600 else {
                continue
            }
            // What comes of it, if it can't be, is told by SQLite.
            fchmodat(folder.number, name, status.st_mode & 0o777 | 0o600, 0)
        }
    }

    /// SQLite would have it readable for all, and writable for nobody else, whatever the umask. Credentials may come to lie
    /// in it: where the folder is open to others, it is not. What SQLite keeps beside it gets the same mode.
    private func make(mode: mode_t) throws(FeedError) {
        try attempt(.cannotCreate) { () throws(SystemError) in _ = try folder?.makeFile(Self.name, mode: mode) }
    }

    /// As `openForWriting`, but what can't be read is set aside; answers also with what was done about it.
    func repair(lock: Descriptor) throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        var notices: [String] = []
        for ending in try strays() where !ending.isEmpty {
            notices.append("\(path)\(ending): \(Self.isNoFile); it was set aside as \(try setAside(ending))")
        }
        do {
            let connection = try openToMakeRoom(lock: lock)
            try examine(connection)
            return (connection, notices)
        } catch let error where error.kind == .storage(.unreadable) {
            let name = try setAside()
            let notice = "\(error.withoutHint); it was set aside as \(name), and a new database begins"
            return (try openForWriting(lock: lock), notices + [notice])
        }
    }

    /// On a full disk there is no room for what is shared with those who read. Alone, SQLite does without.
    private func openToMakeRoom(lock: Descriptor) throws(FeedError) -> SQLiteConnection {
        do {
            return try openForWriting(lock: lock)
        } catch let failure where failure.kind == .storage(.failed) {
            do { return try openForWriting(lock: lock, .writingAlone) } catch { throw failure }
        }
    }

    /// As `repair`, but nothing is changed: answers with what would be done.
    func rehearseRepair() throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        let strays = try strays()
        var plans: [String] = []
        for ending in strays where !ending.isEmpty {
            let name = Self.name + ending
            plans.append("would set aside \(name) as \(try freeName(for: name)): \(path)\(ending): \(Self.isNoFile)")
        }
        do {
            let connection = plans.isEmpty ? try openForReading() : try openBeside(strays)
            try examine(connection)
            return (connection, plans)
        } catch let error where error.kind == .storage(.unreadable) {
            let name = try freeName(for: Self.name)
            let plan = "would set aside the database as \(name), and begin a new one: \(error.withoutHint)"
            return (try inMemory(), plans + [plan])
        }
    }

    /// For reading alone, without touching the strays.
    private func openBeside(_ strays: [String]) throws(FeedError) -> SQLiteConnection {
        if strays.contains("") { throw .unreadable("\(path): \(Self.isNoFile)") }
        guard try status(of: Self.name) != nil else { return try inMemory() }
        // Alone, SQLite needs no memory to share; what it makes of a log it needs.
        let connection = try open(strays == ["-shm"] ? .readingAlone : .immutable)
        return try upToDate(connection, checkedState(of: connection))
    }

    private func inMemory() throws(FeedError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path, .memory)
        try schema.migrate(connection, from: .empty)
        return connection
    }

    private func open(_ mode: SQLiteConnection.Mode, lock: Descriptor? = nil) throws(FeedError) -> SQLiteConnection {
        // Until it is known to be ours to change, not a byte of it moves: not even from the log into the database.
        try SQLiteConnection(path, mode, lock: lock, keepingLog: hasLog())
    }

    /// Refuses links, and what SQLite would block or choke on.
    private func isThere() throws(FeedError) -> Bool {
        if let ending = try strays().first { throw .unreadable("\(path)\(ending): \(Self.isNoFile)") }
        return try status(of: Self.name) != nil
    }

    private static let isNoFile = "is not a regular file"

    /// How the names end of what SQLite would block or choke on: "" is the database's own. Refuses links.
    private func strays() throws(FeedError) -> [String] {
        var endings: [String] = []
        for ending in [""] + Self.companions {
            guard let status = try status(of: Self.name + ending) else { continue }
            if status.isLink {
                throw .storage(
                    .failed, "\(path)\(ending): is a symbolic link, and none is followed inside the cache")
            }
            if !status.isFile { endings.append(ending) }
        }
        return endings
    }

    private func hasLog() throws(FeedError) -> Bool {
        guard let log = try status(of: "\(Self.name)-wal") else { return false }
        return log.st_size > 0
    }

    private func status(of name: String) throws(FeedError) -> stat? {
        try attempt(.failed) { () throws(SystemError) in try folder?.status(of: name) }
    }

    private func isWritable() -> Bool {
        guard let folder else { return false }
        return faccessat(folder.number, ".", W_OK, AT_EACCESS) == 0
    }

    private func examine(_ connection: SQLiteConnection) throws(FeedError) {
        // Believed when it is found again: what is thrown away for it is the whole database.
        if try connection.finding() != nil, let finding = try connection.finding() {
            throw .unreadable("\(path): damaged: \(finding)")
        }
        try SQLiteFeedStore.checkFeeds(in: connection)
    }

    /// For what is set aside.
    private func freeName(for name: String) throws(FeedError) -> String {
        var number = 1
        while try status(of: "\(name).unreadable-\(number)") != nil { number += 1 }
        return "\(name).unreadable-\(number)"
    }

    /// Renames the database and what belongs to it, or one companion alone; answers with its new name.
    private func setAside(_ ending: String = "") throws(FeedError) -> String {
        guard let folder else { throw .storage(.failed, "\(path): gone") }
        let old = Self.name + ending
        let name = try freeName(for: old)
        let suffixes = ending.isEmpty ? [""] + Self.companions : [""]
        return try attempt(.failed) { () throws(SystemError) in
            // The database first: SQLite discards a log that it finds beside no database.
            for suffix in suffixes where try folder.status(of: old + suffix) != nil {
                guard renameat(folder.number, old + suffix, folder.number, name + suffix) == 0 else {
                    throw SystemError("can't be set aside", path + ending + suffix)
                }
            }
            try folder.synchronise()
            return name
        }
    }
}
