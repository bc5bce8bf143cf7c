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
        "has saved what it fetched and let go of the cache: another one goes on meanwhile",
        arguments: [#"show --json "$1""#, #"image "${1%feed.json}0.png""#])
    func lock(command: String) async throws {
        server.serve(feedOf: (0..<2000).map(server.imageURL))
        let pipe = try StuckPipe(in: program.folder)
        let run = try program.startShell(#"exec "$feedsync" \#(command) > "$2""#, server.feedURL, pipe.path)
        // It writes as long as there is room, and waits then.
        try await run.eventually { pipe.bytes > 0 }

        let lock = try HeldLock(of: program)

        #expect(run.result == nil)
        let saved = command.hasPrefix("show") ? "SELECT count(*) = 2000 FROM items" : "SELECT count(*) FROM images"
        #expect(try await program.sql(saved) == "1")
        withExtendedLifetime((lock, pipe)) {}
        run.kill(SIGKILL)
        _ = await run.wait()
    }
}
