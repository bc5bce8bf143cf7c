import Glibc
import TestSupport
import Testing

/// A power cut can't be had in a test; the order of the system calls says what it would leave.
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
            // The last is too large to be held in memory until it is written.
            let more = number == 3 ? [UInt8](repeating: 7, count: 1 << 20) : []
            let headers = [("Content-Type", "image/png"), ("ETag", "\"\(mark(of: number))\"")]
            server.serve(Reply(headers: headers, body: FeedServer.image(number) + more), at: number)
        }
    }

    /// It gets into the row of an image, and nowhere else.
    private func mark(of image: Int) -> String { "mark-of-\(image)" }

    func file(of image: Int, in program: Program) async throws -> String {
        "\(Self.files)/\(try await program.digest(of: server.imageURL(image)))"
    }

    /// Where text first gets into the log of the database.
    private func logging(_ text: String, in trace: SystemCallTrace) throws -> SystemCallTrace.Call {
        try #require(trace.successes(["pwrite64"], Self.log).first { $0.arguments.contains(text) })
    }

    /// The bytes are on disk before they get their name, the name before there is a row, and the row in the end.
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
        // What is committed is on disk before anything else is.
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
        // SQLite does likewise for its own files, which are there before.
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
        try await program.sql("DELETE FROM images")
        let (result, trace) = try await program.trace(command, command == "sync" ? server.feedURL : archive)
        expectQuiet(result)
        for image in 0..<4 {
            let row = try logging(mark(of: image), in: trace)
            let file = try await file(of: image, in: program)
            #expect(trace.successes(Self.renames, file).isEmpty)
            #expect(trace.syncs(file).contains { $0.isDone(before: row) })
            // A run that was killed may have left its name to the kernel alone.
            #expect(trace.syncs(Self.files).contains { $0.isDone(before: row) })
        }
    }

    @Test(
        "An image that replaces a damaged one is synchronised before its row is committed",
        arguments: ["sync", "import"])
    func replaced(command: String) async throws {
        let archive = try await export()
        for image in 0..<4 { try Files.damage("\(program.cache)/\(try await file(of: image, in: program))") }
        try await program.sql("DELETE FROM images")
        let (result, trace) = try await program.trace(command, command == "sync" ? server.feedURL : archive)
        expectQuiet(result)
        for image in 0..<4 { try await expectOrder(of: image, in: trace, program) }
    }

    /// All that a sync has; the archive's path.
    func export() async throws -> String {
        let archive = program.directory.path("cache.tar")
        expectQuiet(try await program.run("sync", server.feedURL))
        expectQuiet(try await program.run("export", archive))
        return archive
    }
}
