internal import FeedCore
internal import Glibc
internal import SystemFiles

extension DatabaseFile {
    /// As `openForWriting`, but what can't be read is set aside; answers also with what was done about it.
    func repair(lock: Descriptor) throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        do {
            try requireNotEmptied()
            let connection = try openForWriting(lock: lock)
            try examine(connection)
            return (connection, [])
        } catch let error where error.kind == .storage(.unreadable) {
            let name = try setAside()
            let notice = "\(error.withoutHint); it was set aside as \(name), and a new database begins"
            return (try openForWriting(lock: lock), [notice])
        }
    }

    /// As `repair`, but nothing is changed: answers with what would be done.
    func rehearseRepair() throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        do {
            let connection = try openForReading()
            try examine(connection)
            return (connection, [])
        } catch let error where error.kind == .storage(.unreadable) {
            let plan = "would set aside the database as \(try freeName()), and begin a new one: \(error.withoutHint)"
            return (try inMemory(), [plan])
        }
    }

    private func examine(_ connection: SQLiteConnection) throws(FeedError) {
        // Believed when it is found again: what is thrown away for it is the whole database.
        if try connection.finding() != nil, let finding = try connection.finding() {
            throw .unreadable("\(path): damaged: \(finding)")
        }
        try SQLiteFeedStore.checkFeeds(in: connection)
    }

    /// For the database that is set aside.
    private func freeName() throws(FeedError) -> String {
        var number = 1
        while try status(of: "\(Self.name).unreadable-\(number)") != nil { number += 1 }
        return "\(Self.name).unreadable-\(number)"
    }

    /// Renames the database and what belongs to it; answers with its new name.
    private func setAside() throws(FeedError) -> String {
        guard let directory else { throw .storage(.failed, "\(path): gone") }
        let name = try freeName()
        return try attempt(.failed) { () throws(SystemError) in
            // The database first: SQLite discards a log that it finds beside no database.
            for ending in [""] + Self.companions where try directory.status(of: Self.name + ending) != nil {
                guard renameat(directory.number, Self.name + ending, directory.number, name + ending) == 0 else {
                    throw SystemError("can't be set aside", path + ending)
                }
            }
            try directory.synchroniseWherePossible()
            return name
        }
    }
}
