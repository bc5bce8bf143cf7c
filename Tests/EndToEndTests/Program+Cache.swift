import Glibc
import JSONText
import TestSupport
import Testing

/// The cache that the program left, looked at and tampered with from outside.
extension Program {
    var database: String { "\(cache)/feedsync.sqlite" }
    var imageDirectory: String { "\(cache)/images/sha256" }

    /// What is saved of a feed, as `show` tells it: two of these are equal if nothing changed in between.
    func saved(_ feed: String) async throws -> String {
        let result = try await run("show", "--offline", "--json", "--max-age", "forever", feed)
        #expect(result.status == .exited(0), "\(result.errorText)")
        return result.outputText
    }

    func status() async throws -> JSONValue { try await run("status", "--json").json }

    /// Runs SQL on the database and gives back what the query printed, less the last line's end.
    @discardableResult
    func sql(_ statements: String) async throws -> String {
        let result = try await Subprocess.run("sqlite3", [database, statements])
        guard result.status == .exited(0) else { throw SystemFailure("sqlite3: \(result.errorText)") }
        return String(result.outputText.dropLast())
    }

    /// Changes the index alone by which feeds are found: to `statement` it is a table `entries` of URLs and ids.
    func changeIndexOfFeeds(_ statement: String) async throws {
        let index = "sqlite_autoindex_feeds_1"
        let table = "CREATE TABLE entries (url, id, PRIMARY KEY (url, id)) WITHOUT ROWID"
        try await sql(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET (type, name, tbl_name, sql) = ('table', 'entries', 'entries', '\(table)')
            WHERE name = '\(index)'
            """)
        // Another process, as what an open database takes for a table or an index it goes on with.
        try await sql(
            """
            PRAGMA writable_schema = ON; \(statement);
            UPDATE sqlite_schema SET (type, name, tbl_name, sql) = ('index', '\(index)', 'feeds', NULL)
            WHERE name = 'entries'
            """)
    }

    /// Makes it look as if all that is saved had been saved eight days earlier.
    func makeStale() async throws {
        try await sql("UPDATE feeds SET saved_at = saved_at - 8 * 24 * 3600 * 1000000")
    }

    /// Has all that is saved say what an Essential feed can't.
    func sayMore() async throws {
        try await sql(
            """
            UPDATE items SET title = 'A day out', link = 'https://blog.example/2026/a-day-out', published = 1795162500000001,
                alternatives = url || '?w=1024 ' || url || '?w=300'
            """)
    }

    /// The digest the cache has for an image, in hex.
    func digest(of image: String) async throws -> String {
        try await sql("SELECT lower(hex(digest)) FROM images WHERE url = '\(image)'")
    }
}

/// Files as a test looks at them.
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

    /// -1 if it isn't there.
    static func size(_ path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : -1
    }

    static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemFailure.last("lstat \(path)") }
        return status.st_mode & 0o777
    }

    /// Changes the byte in the middle, as a disk that forgets would.
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
