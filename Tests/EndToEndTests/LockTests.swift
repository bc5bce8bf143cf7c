import Glibc
import JSONText
import TestSupport
import Testing

@Suite("The lock, from outside", .timeLimit(.minutes(10)))
struct RunLockTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    @Test("A run that holds the lock keeps out a second one, which says so at once, but no reader")
    func second() async throws {
        try await program.run(server.feedURL)
        let gate = Gate()
        server.serve(images: [0, 1, 2])
        server.serve(Reply(body: FeedServer.image(2), gate: gate), at: 2)
        let first = try program.start("sync", server.feedURL)
        await first.comes(to: gate)

        for command in [["sync"], ["sync", server.feedURL], ["validate"], ["validate", "--deep"]] {
            expectOneLine(try await program.run(command), exit: 75, [program.cache, "--lock-wait"])
        }
        #expect(try await program.status()["feeds"]?[0]?["images"]?.int == 3)
        #expect(try await program.run("show", "--offline", server.feedURL).status == .exited(0))
        #expect(try await program.run("image", server.imageURL(0)).standardOutput == FeedServer.image(0))
        #expect(try await program.run("show", server.feedURL).status == .exited(0))
        #expect(first.result == nil)

        gate.open()
        expectQuiet(await first.wait())
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 3)
    }

    @Test("A run waits for the lock with --lock-wait", arguments: [["sync"], ["validate", "--deep"]])
    func waiting(_ command: [String]) async throws {
        try await program.run(server.feedURL)
        let gate = Gate()
        server.serve(images: [0, 1, 2])
        server.serve(Reply(body: FeedServer.image(2), gate: gate), at: 2)
        let first = try program.start("sync", server.feedURL)
        await first.comes(to: gate)

        let second = try program.start(command + ["--lock-wait", "60"])
        try await holdsOpen(second, "\(program.cache)/lock")
        #expect(second.result == nil)
        gate.open()

        expectQuiet(await first.wait())
        expectQuiet(await second.wait())
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 3)
    }

    @Test("A run waits for the lock no longer than --lock-wait says")
    func patience() async throws {
        let lock = try HeldLock(of: program)
        expectOneLine(try await program.run("--lock-wait", "0.2", server.feedURL), exit: 75, [program.cache])
        withExtendedLifetime(lock) {}
    }

    @Test("The lock of a killed run is free, and the next run clears its leftovers")
    func killed() async throws {
        let gate = Gate()
        server.serve(Reply(body: FeedServer.image(1), stall: (after: 14, gate: gate)), at: 1)
        let first = try program.start("-j", "1", server.feedURL)
        await first.comes(to: gate)
        first.kill(SIGKILL)
        #expect(await first.wait().status == .signalled(SIGKILL))
        gate.open()
        try program.directory.write("left", to: "cache/incoming/99")

        server.serve(.png(1), at: 1)
        expectQuiet(try await program.run(server.feedURL))
        #expect(Files.names(in: "\(program.cache)/incoming") == [])
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
        expectQuiet(try await program.run("validate", "--deep"))
    }

    @Test("Two runs on two caches go on side by side")
    func twoCaches() async throws {
        let other = try Program()
        let gate = Gate()
        server.serve(Reply(body: FeedServer.image(1), gate: gate), at: 1)
        let first = try program.start(server.feedURL)
        await first.comes(to: gate)
        let quick = try FeedServer(images: 1)
        expectQuiet(try await other.run(quick.feedURL))
        gate.open()
        expectQuiet(await first.wait())
    }

    /// Returns when the process has opened the file, which is the only sign that it has come so far.
    private func holdsOpen(_ process: StartedProcess, _ path: String) async throws {
        let descriptors = "/proc/\(process.pid)/fd"
        while process.result == nil {
            for name in Files.names(in: descriptors) {
                guard let target = realpath("\(descriptors)/\(name)", nil) else { continue }
                defer { free(target) }
                if String(cString: target) == path { return }
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
