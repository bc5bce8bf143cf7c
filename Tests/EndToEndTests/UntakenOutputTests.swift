import Glibc
import TestSupport
import Testing

@Suite("A run whose output nobody takes yet", .timeLimit(.minutes(10)))
struct UntakenOutputTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
        server.serve(.image(Samples.png + Array(repeating: 7, count: 1 << 20)), at: 0)
    }

    @Test(
        "A run has saved its feeds and released the cache before its output is read",
        arguments: [#"show --json "$1""#, #"image "${1%feed.json}0.png""#])
    func lock(command: String) async throws {
        server.serve(feedOf: (0..<2000).map(server.imageURL))
        if command.hasPrefix("image") { try await program.run("show", server.feedURL) }
        let pipe = try StuckPipe(in: program.directory)
        let run = try program.startShell(#"exec "$feedsync" \#(command) > "$2""#, server.feedURL, pipe.path)
        // The program writes while the pipe has room, and then waits.
        try await run.eventually { pipe.bytes > 0 }

        let lock = try HeldLock(of: program)

        #expect(run.result == nil)
        let saved = command.hasPrefix("show") ? "SELECT count(*) = 2000 FROM items" : "SELECT count(*) FROM data"
        #expect(try await program.sql(saved) == "1")
        withExtendedLifetime((lock, pipe)) {}
        run.kill(SIGKILL)
        _ = await run.wait()
    }

    @Test("A run releases the cache before it reports what it did", arguments: ["import -v feeds.tar", "validate -v"])
    func told(command: String) async throws {
        let feeds = """
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
            INSERT INTO feeds (url, format, saved_at) SELECT 'http://feeds.example/' || n, 'essential', 0 FROM number
            """
        try await program.run(server.feedURL)
        try await program.sql(feeds)
        expectQuiet(try await program.run("export", program.directory.path("feeds.tar")))
        if command.hasPrefix("import") { try await program.sql("DELETE FROM feeds") }
        let pipe = try StuckPipe(in: program.directory)
        let script = #"cd "$1" && exec "$feedsync" \#(command) 2> "$2""#
        let run = try program.startShell(script, program.directory.path, pipe.path)
        try await run.eventually { pipe.bytes > 0 }

        let lock = try HeldLock(of: program)

        #expect(run.result == nil)
        withExtendedLifetime((lock, pipe)) {}
        run.kill(SIGKILL)
        _ = await run.wait()
    }
}
