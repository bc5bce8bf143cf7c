import Glibc
import TestSupport
import Testing

@Suite("A cache on a read-only medium", .timeLimit(.minutes(10)))
struct ReadOnlyMediumTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    private func runReadOnly(_ command: String) async throws -> ProcessResult {
        try await program.shellWithOwnMounts(
            #"""
            mount --bind "$FEEDSYNC_CACHE" "$FEEDSYNC_CACHE" && mount -o remount,bind,ro "$FEEDSYNC_CACHE" || exit 99
            exec "$feedsync" \#(command)
            """#, server.feedURL)
    }

    @Test("A cache on a read-only medium can be read completely")
    func read() async throws {
        expectQuiet(try await program.run(server.feedURL))
        let saved = try await program.saved(server.feedURL)
        let shown = try await runReadOnly(#"show --offline --json "$1""#)
        #expect(shown.status == .exited(0), "\(shown.errorText)")
        #expect(shown.outputText == saved)
    }

    @Test("A read-only cache whose log can't be merged is refused, because the database is incomplete")
    func log() async throws {
        // A killed run leaves its log, which alone contains the feed.
        let gate = Gate()
        server.serve(Reply(body: FeedServer.image(0), gate: gate), at: 0)
        let run = try program.start(server.feedURL)
        await run.comes(to: gate)
        run.kill(SIGKILL)
        #expect(await run.wait().status == .signalled(SIGKILL))
        gate.open()
        #expect(Files.size("\(program.database)-wal") > 0)
        #expect(try await runReadOnly(#"show --offline "$1""#).status == .exited(0))
        // The index of the log only serves for reading and is not a part of the saved data.
        #expect(unlink("\(program.database)-shm") == 0)

        for command in [#"show --offline "$1""#, "status --json", "export -"] {
            let result = try await runReadOnly(command)
            #expect(result.status == .exited(74), "\(command): \(result.errorText)")
            #expect(result.outputText == "")
        }
        #expect(try await program.run("show", "--offline", server.feedURL).status == .exited(0))
    }
}
