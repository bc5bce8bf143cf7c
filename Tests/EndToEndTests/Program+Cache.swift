import Glibc
import JSONText
import TestSupport
import Testing

/// The cache that the program left, examined and changed from outside.
extension Program {
    var database: String { "\(cache)/feedsync.sqlite" }
    var imageDirectory: String { "\(cache)/images/sha256" }

    /// Returns what `show` says about a saved feed.
    ///
    /// Two results are equal if nothing changed in between.
    func saved(_ feed: String) async throws -> String {
        let result = try await run("show", "--offline", "--json", "--max-age", "forever", feed)
        #expect(result.status == .exited(0), "\(result.errorText)")
        return result.outputText
    }

    func status() async throws -> JSONValue { try await run("status", "--json").json }

    /// Makes the directory of the cache, which is otherwise made by the first run that saves something.
    func makeEmptyCache() throws {
        guard mkdir(cache, 0o700) == 0 else { throw SystemFailure.last("mkdir \(cache)") }
    }

    /// Runs SQL on the database.
    ///
    /// Returns what the query printed, without the last line end.
    @discardableResult
    func sql(_ statements: String) async throws -> String {
        let result = try await Subprocess.run("sqlite3", [database, statements])
        guard result.status == .exited(0) else { throw SystemFailure("sqlite3: \(result.errorText)") }
        return String(result.outputText.dropLast())
    }

    /// Changes only the index by which feeds are found.
    ///
    /// To `statement` it is a table `entries` of URLs and ids.
    func changeIndexOfFeeds(_ statement: String) async throws {
        let index = "sqlite_autoindex_feeds_1"
        let table = "CREATE TABLE entries (url, id, PRIMARY KEY (url, id)) WITHOUT ROWID"
        try await sql(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET (type, name, tbl_name, sql) = ('table', 'entries', 'entries', '\(table)')
            WHERE name = '\(index)'
            """)
        // A new process is needed, because an open database keeps its view of tables and indexes.
        try await sql(
            """
            PRAGMA writable_schema = ON; \(statement);
            UPDATE sqlite_schema SET (type, name, tbl_name, sql) = ('index', '\(index)', 'feeds', NULL)
            WHERE name = 'entries'
            """)
    }

    /// Moves all saving times back by eight days.
    func makeStale() async throws {
        try await sql("UPDATE feeds SET saved_at = saved_at - 8 * 24 * 3600 * 1000000")
    }

    /// Gives the saved images members that the Essential format lacks.
    func sayMore() async throws {
        try await sql(
            """
            UPDATE items SET title = 'A day out', link = 'https://blog.example/2026/a-day-out', published = 1795162500000001,
                alternatives = url || '?w=1024 ' || url || '?w=300'
            """)
    }

    /// Returns the digest of an image in the cache, in hex.
    func digest(of image: String) async throws -> String {
        try await sql("SELECT DISTINCT lower(hex(digest)) FROM data WHERE url = '\(image)'")
    }
}

/// File operations of tests.
enum Files {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func names(in path: String) -> [String] { TemporaryDirectory.names(in: path) }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw SystemFailure.last("open \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    /// Returns the size of a file, or -1 if it is missing.
    static func size(_ path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : -1
    }

    static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemFailure.last("lstat \(path)") }
        return status.st_mode & 0o777
    }

    /// Changes the byte in the middle of a file, as a failing disk would.
    static func damage(_ path: String) throws {
        guard chmod(path, 0o644) == 0, let file = fopen(path, "r+") else { throw SystemFailure.last("open \(path)") }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let middle = ftell(file) / 2
        fseek(file, middle, SEEK_SET)
        let byte = fgetc(file)
        fseek(file, middle, SEEK_SET)
        fputc(byte ^ 1, file)
    }

    static func sha256(_ path: String) async throws -> String {
        let result = try await Subprocess.run("sha256sum", [path])
        return String(result.outputText.prefix(64))
    }
}
