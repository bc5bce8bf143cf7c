import Glibc
import JSONText
import TestSupport
import Testing

@Suite("The reader of --print-new", .timeLimit(.minutes(10)))
struct PrintNewReaderTests {
    private let program: Program
    private let server: FeedServer
    /// The gate that holds back the last image.
    private let gate = Gate()
    /// The number of images that fills a batch.
    private let images = 101

    init() throws {
        program = try Program()
        server = try FeedServer(images: images)
        var last = Reply.png(images - 1)
        last.gate = gate
        server.serve(last, at: images - 1)
    }

    @Test("The reader of --print-new gets lines for stored images while the run goes on")
    func early() async throws {
        let script = #"""
            "$feedsync" --print-new "$1" |
                while read -r line; do printf '%s\n' "$line" >>"$HOME/lines"; : >"$HOME/read"; done
            """#
        let run = try program.startShell(script, server.feedURL)
        try await run.eventually { Files.exists(program.directory.path("read")) }
        #expect(run.result == nil)
        gate.open()
        #expect(await run.wait().status == .exited(0))
        let lines = try Files.bytes(program.directory.path("lines")).split(separator: UInt8(ascii: "\n"))
        #expect(Set(try lines.map { try JSONValue.parse(Array($0))["id"]?.string }).count == images)
        #expect(lines.count == images)
    }

    @Test("The run ends when the reader of --print-new goes away, and stored images stay")
    func gone() async throws {
        let script = #"""
            { "$feedsync" --print-new "$1"; echo "code $?" >&2; } |
                { head -n 1 >"$HOME/first"; exec <&-; : >"$HOME/closed"; }
            """#
        let run = try program.startShell(script, server.feedURL)
        try await run.eventually { Files.exists(program.directory.path("closed")) }
        gate.open()
        let result = await run.wait()
        #expect(result.errorLines.last == "code 74", "\(result.errorText)")
        #expect(result.errorText.contains("standard output can't be written: Broken pipe"))
        #expect(try await program.sql("PRAGMA integrity_check") == "ok")
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int ?? 0 >= images - 1)
        expectQuiet(try await program.run(server.feedURL))
    }

    @Test("The reader of --print-new gets lines for images that arrived before the run was stopped")
    func stopped() async throws {
        let (server, gate) = (try FeedServer(images: 3), Gate())
        server.serve(Reply(body: FeedServer.image(2), gate: gate), at: 2)
        // Images load one after another: when the last one is requested, the others have arrived and are not saved yet.
        let run = try program.start("--print-new", "-j", "1", server.feedURL)
        await run.comes(to: gate)
        run.kill(SIGTERM)
        let result = await run.wait()
        gate.open()
        #expect(result.status == .exited(128 + SIGTERM))
        let urls = try result.outputLines.map { try JSONValue.parse(Array($0.utf8))["url"]?.string }
        #expect(urls == [0, 1].map(server.imageURL))
    }

    @Test("A stalled reader of --print-new holds neither the cache nor a stopped run")
    func stuck() async throws {
        gate.open()
        let pipe = try StuckPipe(in: program.directory)
        try pipe.fill()
        let run = try program.startShell(#"exec "$feedsync" --print-new "$1" > "$2""#, server.feedURL, pipe.path)
        try await run.eventually { Files.names(in: program.imageDirectory).count == images }
        let result = try await program.run("validate", "--lock-wait", "60")
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(run.result == nil)
        run.kill(SIGTERM)
        #expect(await run.wait().status == .exited(128 + SIGTERM))
        withExtendedLifetime(pipe) {}
    }
}
