internal import FeedCore
internal import Glibc
internal import SystemFiles

extension DatabaseFile {
    /// As `openForWriting`, but what can't be read is set aside; answers also with what was done about it.
    func repair(lock: Descriptor) throws(FeedError) -> (SQLiteConnection, notices: [String]) {
        var notices: [String] = []
        for ending in try strays() where !ending.isEmpty {
            notices.append("\(path)\(ending): \(Self.isNoFile); it was set aside as \(try setAside(ending))")
        }
        do {
            try requireNotEmptied()
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
            try folder.synchroniseWherePossible()
            return name
        }
    }
}
