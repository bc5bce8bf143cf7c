import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Signals", .timeLimit(.minutes(10)))
struct SignalTests {
    private let program: Program
    private let server: FeedServer
    private let gate = Gate()

    init() throws {
        program = try Program()
        server = try FeedServer(images: 5)
        // Images load one after another: when the last one is requested, the others have arrived and are not saved yet.
        server.serve(Reply(body: FeedServer.image(4), gate: gate), at: 4)
    }

    @Test(
        "The first signal stops the run: finished images are kept, and one line sums up",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func first(_ signal: Int32) async throws {
        let run = try program.start("sync", "--json", "-j", "1", server.feedURL)
        await run.comes(to: gate)
        run.kill(signal)
        let result = await run.wait()
        gate.open()

        #expect(result.status == .exited(128 + signal))
        #expect(result.errorLines.count == 1, "\(result.errorText)")
        #expect(result.errorText.contains("stopped"))
        #expect(result.errorText.contains("4 downloaded"))
        let json = try result.json
        #expect(json["images"]?["downloaded"]?.int == 4)
        #expect(json["images"]?["failed"]?.int == 0)
        #expect(json["failures"] == [])
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 4)
        #expect(Files.names(in: "\(program.cache)/incoming") == [])

        let before = server.requestCount
        expectQuiet(try await program.run())
        #expect(server.paths(after: before) == ["/feed.json", "/4.png"])
    }

    @Test("A signal while a feed is loaded keeps the old one and shows no fallback")
    func duringFeed() async throws {
        gate.open()
        try await program.run(server.feedURL)
        let saved = try await program.saved(server.feedURL)
        for command in ["sync", "show"] {
            let gate = Gate()
            server.server.route("/feed.json", Reply(body: Array(#"{"items":[]}"#.utf8), gate: gate))
            let run = try program.start(command, server.feedURL)
            await run.comes(to: gate)
            run.kill(SIGTERM)
            let result = await run.wait()
            gate.open()
            #expect(result.status == .exited(128 + SIGTERM))
            #expect(result.outputText == "")
            #expect(!result.errorText.contains("offline"))
            #expect(!result.errorText.contains(server.feedURL))
            #expect(try await program.saved(server.feedURL) == saved)
        }
    }

    @Test("A signal while an image is loaded ends the run with nothing written")
    func duringImage() async throws {
        let run = try program.start("image", server.imageURL(4))
        await run.comes(to: gate)
        run.kill(SIGINT)
        let result = await run.wait()
        gate.open()
        #expect(result.status == .exited(128 + SIGINT))
        #expect(result.outputText == "")
        #expect(result.errorText == "")
    }

    @Test("A signal ends the wait for the lock")
    func duringWait() async throws {
        let lock = try HeldLock(of: program)
        let run = try program.start("--lock-wait", "600", server.feedURL)
        try await run.eventually { run.mask("SigCgt", has: SIGTERM) }
        run.kill(SIGTERM)
        #expect(await run.wait().status == .exited(128 + SIGTERM))
        withExtendedLifetime(lock) {}
    }

    @Test("Two signals at once are one request, as `timeout` and a closed terminal send theirs twice")
    func together() async throws {
        let run = try program.start("-j", "1", server.feedURL)
        await run.comes(to: gate)
        // Two pending signals of one kind are one signal to the kernel, so the test sends two kinds.
        for signal in [SIGSTOP, SIGTERM, SIGHUP, SIGCONT] { run.kill(signal) }
        let result = await run.wait()
        gate.open()

        #expect([.exited(128 + SIGTERM), .exited(128 + SIGHUP)].contains(result.status))
        #expect(result.errorText.contains("4 downloaded"), "\(result.errorText)")
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 4)
    }

    @Test("A second signal ends the run at once, whatever it is doing")
    func second() async throws {
        gate.open()
        server.serve(feedOf: (0..<2000).map(server.imageURL))
        let terminal = try PseudoTerminal(columns: 80)
        // The pipe has no reader, and the program can't open it itself, so the program is stopped in the middle of a
        // write.
        let run = try program.startShell(
            #"""
            user=$(id -u); [ "$user" = 0 ] && bound="setpriv --bounding-set=-dac_override,-dac_read_search"
            exec > "$2"; chmod 0 "$2"; exec $bound "$feedsync" show --json "$1"
            """#, server.feedURL, terminal.path)
        try await run.eventually { terminal.unread > 0 }

        run.kill(SIGTERM)
        // Signals that follow soon count as the same request.
        while run.result == nil {
            run.kill(SIGINT)
            try await Task.sleep(for: .milliseconds(20))
        }

        // Usually the second signal ends the run; the first may arrive between two writes.
        #expect([.exited(128 + SIGTERM), .exited(128 + SIGINT)].contains(run.result?.status))
        withExtendedLifetime(terminal) {}
    }

    @Test("A signal silently ends a run that waits for its config file from a pipe")
    func configFromPipe() async throws {
        let fifo = program.directory.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let run = try program.start("--config", fifo, "status")
        try await run.eventually { run.mask("SigCgt", has: SIGTERM) }
        run.kill(SIGTERM)
        let result = await run.wait()
        #expect(result.status == .exited(128 + SIGTERM))
        #expect(result.errorText == "")
    }

    @Test("HUP is ignored in a run that was started to outlive its terminal")
    func nohup() async throws {
        let run = try program.startShell(#"exec nohup "$feedsync" -j 1 "$1""#, server.feedURL)
        await run.comes(to: gate)
        #expect(run.mask("SigIgn", has: SIGHUP))
        run.kill(SIGHUP)
        gate.open()
        #expect(await run.wait().status == .exited(0))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 5)
    }
}

@Suite("A run that waits for whoever reads its output", .timeLimit(.minutes(10)))
struct UnreadOutputTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    @Test(
        "The first signal ends a run whose output nobody reads",
        arguments: [
            #"show --json "$1" >"#, #"show "$1" >"#, #"sync -n "$1" >"#, #"sync --json "$1" >"#, #"sync -v "$1" 2>"#,
            #"image "${1%feed.json}0.png" >"#, #"image "${1%feed.json}0.png" -o"#, "export - >", "export",
        ])
    func unread(_ command: String) async throws {
        server.serve(.image(Samples.png + Array(repeating: 7, count: 1 << 20)), at: 0)
        try await program.run(server.feedURL)
        // Most of these images are missing, so the run has something to report.
        server.serve(feedOf: (0..<2000).map(server.imageURL))
        let pipe = try StuckPipe(in: program.directory)
        let run = try program.startShell(#"exec "$feedsync" \#(command) "$2""#, server.feedURL, pipe.path)
        try await run.eventually { pipe.bytes >= 60_000 }

        run.kill(SIGTERM)
        let result = await run.wait()

        #expect(result.status == .exited(128 + SIGTERM))
        #expect(result.outputText == "")
        expectQuiet(try await program.run("validate"))
        withExtendedLifetime(pipe) {}
    }

    @Test(
        "The first signal ends a run whose terminal looks ready and accepts nothing",
        arguments: [
            #"show --json "$1" >"#, #"show "$1" >"#, #"sync -n "$1" >"#, #"sync -v "$1" 2>"#,
            #"image "${1%feed.json}0.png" -o"#,
        ])
    func unreadTerminal(_ command: String) async throws {
        server.serve(.image(Samples.png + Array(repeating: 7, count: 1 << 20)), at: 0)
        try await program.run(server.feedURL)
        server.serve(feedOf: (0..<2000).map(server.imageURL))
        let terminal = try PseudoTerminal(columns: 80)
        let run = try program.startShell(#"exec "$feedsync" \#(command) "$2""#, server.feedURL, terminal.path)
        try await run.eventually { terminal.isFull }

        run.kill(SIGTERM)
        let result = await run.wait()

        #expect(result.status == .exited(128 + SIGTERM))
        expectQuiet(try await program.run("validate"))
        withExtendedLifetime(terminal) {}
    }

    @Test(
        "A run that is stopped while downloading reports its work, and waits only briefly for a reader",
        arguments: [1, 2])
    func lastWords(_ stream: Int) async throws {
        let gate = Gate()
        server.serve(Reply(body: FeedServer.image(0), gate: gate), at: 0)
        let pipe = try StuckPipe(in: program.directory)
        try pipe.fill()
        let script = #"exec "$feedsync" sync --json "$1" \#(stream)> "$2""#
        let run = try program.startShell(script, server.feedURL, pipe.path)
        await run.comes(to: gate)

        run.kill(SIGTERM)
        let result = await run.wait()
        gate.open()

        #expect(result.status == .exited(128 + SIGTERM))
        // The signal arrives while the program writes to the stream that is read.
        #expect((stream == 1 ? result.errorText : result.outputText).contains("downloaded"))
        withExtendedLifetime(pipe) {}
    }

    @Test("A signal ends a run before anybody has opened its output pipe")
    func unopened() async throws {
        try await program.run(server.feedURL)
        let pipe = program.directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for command in [["export", pipe], ["image", server.imageURL(0), "-o", pipe]] {
            let run = try program.start(command)
            try await run.eventually { run.mask("SigCgt", has: SIGTERM) }
            run.kill(SIGTERM)
            #expect(await run.wait().status == .exited(128 + SIGTERM))
        }
    }
}

extension StartedProcess {
    /// Returns whether a signal is in one of the sets that Linux shows for a process.
    func mask(_ name: String, has signal: Int32) -> Bool {
        guard let status = try? Files.bytes("/proc/\(pid)/status") else { return false }
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("\(name):") }
        guard let set = line.flatMap({ UInt64($0.suffix(16), radix: 16) }) else { return false }
        return set >> UInt64(signal - 1) & 1 == 1
    }

    /// Polls for a state of a running process that can only be observed.
    func eventually(_ holds: () -> Bool) async throws {
        while !holds(), result == nil { try await Task.sleep(for: .milliseconds(2)) }
    }
}
