internal import CSQLite
internal import FeedCore

extension SQLiteConnection {
    /// What is wrong with the pages of the database; nil if nothing is. Throws where they can't be read. The quick check
    /// would not see that an index and its table disagree, as where the log of one database was taken over into another.
    func finding() throws(FeedError) -> String? {
        guard let finding = try text("PRAGMA integrity_check(1)"), finding != "ok" else { return nil }
        guard !Self.isFailedRead(finding) else {
            throw .storage(.failed, "\(path): could not be read: \(finding.split(separator: "\n").last ?? "")")
        }
        return finding
    }

    /// SQLite tells of a page that it couldn't read just now among the damage. It has the code that tells them apart in
    /// its text; but for a page of the list of unused ones, of which there is no other failure that it puts so.
    static func isFailedRead(_ finding: String) -> Bool {
        if finding.contains("failed to get page") { return true }
        guard let name = finding.firstRange(of: "error code") else { return false }
        let number = finding[name.upperBound...].drop { $0 == " " || $0 == "=" }.prefix { $0.isASCII && $0.isNumber }
        guard let code = Int32(number) else { return false }
        return ![SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(code & 0xFF)
    }
}
