internal import FeedCore
internal import Glibc
internal import SystemFiles

extension DatabaseFile {
    /// Creates it if need be. The lock stays held until the connection is closed.
    func openForWriting(lock: Descriptor) throws(FeedError) -> SQLiteConnection {
        // An empty one holds no more than none.
        let isNew = try isThere() ? status(of: Self.name)?.st_size == 0 : true
        let isShared = try status(of: ".")?.isOpenToOthers == true
        if isNew { try make(mode: isShared ? 0o600 : 0o666) }
        if isShared { try keepOthersOut() }
        do {
            let connection = try open(.writing, lock: lock)
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

    /// In a directory that was opened to others later, it and what belongs to it were made for more than their owner.
    private func keepOthersOut() throws(FeedError) {
        try attempt(.failed) { () throws(SystemError) in
            guard let directory else { return }
            for ending in [""] + Self.companions {
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

    /// SQLite would have it readable for all, and writable for nobody else, whatever the umask. Credentials may come to lie
    /// in it: where the directory is open to others, it is not. What SQLite keeps beside it gets the same mode.
    private func make(mode: mode_t) throws(FeedError) {
        try attempt(.cannotCreate) { () throws(SystemError) in _ = try directory?.makeFile(Self.name, mode: mode) }
    }
}
