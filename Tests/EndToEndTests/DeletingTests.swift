import Glibc
import JSONText
import TestSupport
import Testing

/// The order of deleting.
///
/// A row without its file would be a lost image that the next run counts as cached.
@Suite("Deleting images", .timeLimit(.minutes(10)))
struct DeletingTests {
    private let program: Program
    private let server: FeedServer

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 3)
        try await program.run(server.feedURL)
    }

    @Test(
        "Rows are deleted and on disk before the first image file is deleted or moved: a run killed then has committed",
        arguments: [[], ["--deep"]])
    func rowsFirst(_ options: [String]) async throws {
        if options.isEmpty {
            server.serve(images: [2])
            expectQuiet(try await program.run(server.feedURL))
        } else {
            for image in 0...1 {
                try Files.damage("\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(image)))")
            }
        }
        #expect(try await program.sql("SELECT count(*) FROM data") == "3")

        let call = options.isEmpty ? "unlinkat" : "renameat2"
        let (result, trace) = try await program.trace(["validate"] + options, fault: "\(call):signal=KILL:when=1")

        #expect(result.status == .signalled(SIGKILL), "\(result.errorText)")
        #expect(Files.names(in: program.imageDirectory).count == 3)
        let log = "feedsync.sqlite-wal"
        let row = try #require(trace.successes(["pwrite64"], log).last)
        let deletion = try #require(trace.calls.last { $0.name == call })
        #expect(deletion.paths.contains { $0.hasPrefix("images/sha256/") })
        #expect(trace.syncs(log).contains { row.isDone(before: $0) && $0.isDone(before: deletion) })
        #expect(try await program.sql("SELECT url FROM data") == server.imageURL(2))

        // The remaining file has no row, and the next run deletes it.
        expectOneLine(try await program.run("validate"), exit: 0, ["deleted 0 feeds and 2 images"])
        #expect(Files.names(in: program.imageDirectory) == [try await program.digest(of: server.imageURL(2))])
    }

    @Test("Deleting images is not started after the run was stopped", arguments: [SIGINT, SIGTERM], [[], ["--deep"]])
    func stopped(signal: Int32, options: [String]) async throws {
        // The message about this database holds the run up, because it is not read.
        let aside = "feedsync.sqlite.unreadable-1"
        try program.directory.write([UInt8](repeating: 7, count: 8192), to: "cache/feedsync.sqlite")
        let pipe = try StuckPipe(in: program.directory)
        try pipe.fill()
        let arguments = options.joined(separator: " ")
        let run = try program.startShell(#"exec "$feedsync" validate --json \#(arguments) 2> "$1""#, pipe.path)
        try await run.eventually {
            run.mask("SigCgt", has: signal) && Files.names(in: program.cache).contains(aside)
        }

        run.kill(signal)
        let result = await run.wait()

        #expect(result.status == .exited(128 + signal))
        #expect(try result.json["bytes_freed"]?.int == 0)
        // The images are no longer referenced by any feed.
        #expect(Files.names(in: program.imageDirectory).count == 3)
        withExtendedLifetime(pipe) {}
        expectOneLine(try await program.run("validate"), exit: 0, ["deleted 0 feeds and 3 images"])
        #expect(Files.names(in: program.imageDirectory) == [])
    }
}
