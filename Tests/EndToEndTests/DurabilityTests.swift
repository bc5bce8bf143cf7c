import Glibc
import TestSupport
import Testing

/// The order of system calls, which says what a power cut would leave.
///
/// A real power cut is impossible in a test.
@Suite("What is committed survives a power cut", .timeLimit(.minutes(10)))
struct DurabilityTests {
    static let log = "feedsync.sqlite-wal"
    static let files = "images/sha256"
    static let renames: Set = ["rename", "renameat", "renameat2", "linkat"]

    let program: Program
    let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 4)
        for number in 0..<4 {
            // The last image is too large to be held in memory until it is written.
            let more = number == 3 ? [UInt8](repeating: 7, count: 1 << 20) : []
            let headers = [("Content-Type", "image/png"), ("ETag", "\"\(mark(of: number))\"")]
            server.serve(Reply(headers: headers, body: FeedServer.image(number) + more), at: number)
        }
    }

    /// A text that gets into the row of an image only.
    private func mark(of image: Int) -> String { "mark-of-\(image)" }

    func file(of image: Int, in program: Program) async throws -> String {
        "\(Self.files)/\(try await program.digest(of: server.imageURL(image)))"
    }

    /// Returns the line where a text first gets into the log of the database.
    private func logging(_ text: String, in trace: SystemCallTrace) throws -> SystemCallTrace.Call {
        try #require(trace.successes(["pwrite64"], Self.log).first { $0.arguments.contains(text) })
    }

    /// Expects that the bytes are on disk before they get their name, that the name comes before the row, and the row
    /// is last.
    private func expectOrder(of image: Int, in trace: SystemCallTrace, _ program: Program) async throws {
        let row = try logging(mark(of: image), in: trace)
        let placing = try #require(
            trace.successes(Self.renames, try await file(of: image, in: program)).first, "image \(image)")
        let staged = try #require(placing.paths.first)
        let sync = try #require(trace.syncs(staged).first, "image \(image)")
        #expect(trace.successes(["write", "pwrite64"], staged).allSatisfy { $0.isDone(before: sync) })
        #expect(sync.isDone(before: placing))
        #expect(trace.syncs(Self.files).contains { placing.isDone(before: $0) && $0.isDone(before: row) })
        #expect(trace.syncs(Self.log).contains { row.isDone(before: $0) })
    }

    @Test("A sync synchronises images, then their directory, then their rows, and replaces nothing")
    func sync() async throws {
        let (result, trace) = try await program.trace("sync", server.feedURL)
        expectQuiet(result)
        for image in 0..<4 {
            try await expectOrder(of: image, in: trace, program)
            let placing = trace.successes(Self.renames, try await file(of: image, in: program))
            #expect(placing.allSatisfy { $0.name == "linkat" || $0.arguments.contains("RENAME_NOREPLACE") })
        }
        // Committed data is on disk before anything else happens.
        let (feed, row) = (try logging("Image 0", in: trace), try logging(mark(of: 0), in: trace))
        #expect(trace.syncs(Self.log).contains { feed.isDone(before: $0) && $0.isDone(before: row) })
    }

    @Test("The directories of a new cache are on disk before their first entries", arguments: ["images", files])
    func directories(name: String) async throws {
        let (result, trace) = try await program.trace("sync", server.feedURL)
        expectQuiet(result)
        let making = try #require(trace.successes(["mkdirat"], name).first)
        let row = try logging(mark(of: 0), in: trace)
        let parent = name == "images" ? "." : "images"
        // SQLite does the same for its own files, which exist earlier.
        #expect(trace.syncs(parent).contains { making.isDone(before: $0) && $0.isDone(before: row) })
    }

    @Test("An import synchronises images before rows, and the directory only once")
    func takingIn() async throws {
        let archive = try await export()
        let other = try Program()
        let (result, trace) = try await other.trace("import", "--restore", archive)
        expectQuiet(result)
        for image in 0..<4 { try await expectOrder(of: image, in: trace, other) }
        #expect(trace.syncs(Self.files).count == 1)
    }

    @Test(
        "An existing image without a row is synchronised before it gets a row",
        arguments: ["sync", "import"])
    func kept(command: String) async throws {
        let archive = try await export()
        try await program.sql("DELETE FROM data")
        let (result, trace) = try await program.trace(words(command, archive))
        expectQuiet(result)
        for image in 0..<4 {
            let row = try logging(mark(of: image), in: trace)
            let file = try await file(of: image, in: program)
            #expect(trace.successes(Self.renames, file).isEmpty)
            #expect(trace.syncs(file).contains { $0.isDone(before: row) })
            // The name that a killed run gave may exist only in the kernel's memory.
            #expect(trace.syncs(Self.files).contains { $0.isDone(before: row) })
        }
    }

    @Test(
        "An image that replaces a damaged one is synchronised before its row is committed",
        arguments: ["sync", "import"])
    func replaced(command: String) async throws {
        let archive = try await export()
        for image in 0..<4 { try Files.damage("\(program.cache)/\(try await file(of: image, in: program))") }
        try await program.sql("DELETE FROM data")
        let (result, trace) = try await program.trace(words(command, archive))
        expectQuiet(result)
        for image in 0..<4 { try await expectOrder(of: image, in: trace, program) }
    }

    /// Returns the arguments of a sync of the feed, or of an import of the archive.
    func words(_ command: String, _ archive: String) -> [String] {
        command == "sync" ? [command, server.feedURL] : [command, "--restore", archive]
    }

    /// Makes an archive of everything that a sync gets, and returns its path.
    func export() async throws -> String {
        let archive = program.directory.path("cache.tar")
        expectQuiet(try await program.run("sync", server.feedURL))
        expectQuiet(try await program.run("export", archive))
        return archive
    }
}
