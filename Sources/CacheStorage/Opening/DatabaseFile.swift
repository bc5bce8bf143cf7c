internal import FeedCore
internal import Glibc
internal import SystemFiles

/// Opens the database of a cache, whatever state it is in.
struct DatabaseFile {
    static let name = CacheLayout.database
    /// What SQLite keeps beside a database.
    static let companions = ["-wal", "-shm", "-journal"]

    /// Nil if there is no cache.
    let directory: Descriptor?
    /// Without links: SQLite follows none.
    let path: String
    let schema: CacheSchema

    init(in directory: Descriptor?, resolvedPath: String, schema: CacheSchema) {
        self.directory = directory
        path = "\(resolvedPath)/\(Self.name)"
        self.schema = schema
    }

    func open(_ mode: SQLiteConnection.Mode, lock: Descriptor? = nil) throws(FeedError) -> SQLiteConnection {
        let checked = try status(of: Self.name)
        // Until it is known to be ours to change, not a byte of it moves: not even from the log into the database.
        let connection = try SQLiteConnection(path, mode, lock: lock, keepingLog: hasLog())
        // SQLite goes by the path, where another file may stand by now.
        guard try isThere(), let opened = try status(of: Self.name), checked?.isSame(as: opened) != false else {
            throw .storage(.failed, "\(path): another file has taken its place while it was opened")
        }
        return connection
    }

    /// Refuses the files of other users, links, and what SQLite would block or choke on.
    func isThere() throws(FeedError) -> Bool {
        for ending in [""] + Self.companions {
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

    /// An empty one is new to SQLite. But a new one has no images yet, and nothing beside it: that of a cache is empty
    /// after a crash. Whoever writes goes on with it all the same, as a run may have been killed that began one anew.
    func requireNotEmptied() throws(FeedError) {
        guard try status(of: Self.name)?.st_size == 0, try hasImages() else { return }
        for ending in Self.companions where try status(of: Self.name + ending) != nil { return }
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
