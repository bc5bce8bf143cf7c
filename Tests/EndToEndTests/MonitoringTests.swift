import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Monitoring", .timeLimit(.minutes(10)))
struct MonitoringTests {
    private let program: Program
    private let server: FeedServer
    private let metrics: String

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
        metrics = program.directory.path("feedsync.prom")
    }

    /// Returns the figures by name and labels, after Prometheus's own tool has accepted them.
    private func figures() async throws -> [String: Double] {
        let text = try Files.bytes(metrics)
        let check = try await Subprocess.run("promtool", ["check", "metrics"], standardInput: text)
        #expect(check.status == .exited(0), "\(check.errorText)\(check.outputText)")
        #expect(check.errorText + check.outputText == "")
        var figures: [String: Double] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            figures[String(parts[0])] = Double(parts[1])
        }
        return figures
    }

    @Test("The metrics file has the figures of the run in Prometheus's format")
    func file() async throws {
        server.serve(Reply(404), at: 2)
        let result = try await program.run("--metrics-file", metrics, server.feedURL)
        #expect(result.status == .exited(23))
        let figures = try await figures()
        let size = FeedServer.image(0).count + FeedServer.image(1).count
        let expected: [String: Double] = [
            "feedsync_last_run_exit_code": 23, "feedsync_feeds{outcome=\"updated\"}": 1,
            "feedsync_feeds{outcome=\"failed\"}": 0, "feedsync_images{outcome=\"downloaded\"}": 2,
            "feedsync_images{outcome=\"failed\"}": 1, "feedsync_images{outcome=\"cached\"}": 0,
            "feedsync_downloaded_bytes": Double(size), "feedsync_cache_images": 2,
            "feedsync_cache_size_bytes": Double(size), "feedsync_build_info{version=\"0.2.0\"}": 1,
        ]
        for (name, value) in expected { #expect(figures[name] == value, "\(name)") }
        let feed = "{feed=\"\(server.feedURL)\"}"
        #expect(figures["feedsync_feed_images\(feed)"] == 3)
        #expect(figures["feedsync_feed_failures\(feed)"] == 1)
        #expect(try #require(figures["feedsync_feed_last_success_timestamp_seconds\(feed)"]) > 1_700_000_000)
        // There has been no success yet, so an alert on the time since then is raised.
        #expect(figures["feedsync_last_success_timestamp_seconds"] == 0)
        #expect(try #require(figures["feedsync_last_run_duration_seconds"]) > 0)
        let end = try #require(figures["feedsync_last_run_timestamp_seconds"])
        #expect(end > 1_700_000_000)
        let oldest = try #require(figures["feedsync_oldest_feed_timestamp_seconds"])
        #expect(oldest > 1_700_000_000 && oldest <= end)
    }

    @Test("The metrics can go to a pipe, and nothing is read from it first")
    func pipe() async throws {
        let result = try await program.shell(#""$feedsync" --metrics-file /dev/stdout "$1" | cat"#, server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.outputText.contains("feedsync_last_run_exit_code 0"))
        let fifo = program.directory.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let read = try await program.shell(
            #""$feedsync" --metrics-file "$2" "$1" & cat "$2"; wait $!"#, server.feedURL, fifo)
        #expect(read.status == .exited(0))
        #expect(read.outputText.contains("feedsync_last_run_exit_code 0"))
    }

    @Test("The time of the last success survives runs that fail, however early")
    func lastSuccess() async throws {
        let name = "feedsync_last_success_timestamp_seconds"
        try await program.run("--metrics-file", metrics, server.feedURL)
        let success = try #require(try await figures()[name])
        server.server.route("/feed.json", Reply(200, body: Array("nonsense".utf8)))
        try await program.run("--metrics-file", metrics, server.feedURL)
        let figures = try await figures()
        #expect(figures[name] == success)
        #expect(figures["feedsync_last_run_exit_code"] == 65)
    }

    @Test("A run that finds another at work leaves the metrics to that one")
    func locked() async throws {
        try await program.run("--metrics-file", metrics, server.feedURL)
        let before = try Files.bytes(metrics)
        let lock = try HeldLock(of: program)
        let result = try await program.run("--metrics-file", metrics, server.feedURL)
        #expect(result.status == .exited(75))
        #expect(try Files.bytes(metrics) == before)
        withExtendedLifetime(lock) {}
    }

    @Test("A sync writes metrics although another run is writing its gallery")
    func galleryLocked() async throws {
        let gallery = try program.directory.makeDirectory("gallery")
        let lock = try await HeldLock(ofOutput: gallery, of: program)
        let result = try await program.run("--gallery", gallery, "--metrics-file", metrics, server.feedURL)
        #expect(result.status == .exited(75))
        let figures = try await figures()
        #expect(figures["feedsync_last_run_exit_code"] == 75)
        #expect(figures["feedsync_images{outcome=\"downloaded\"}"] == 3)
        withExtendedLifetime(lock) {}
    }

    @Test("A sync writes metrics although its JSON can't be written")
    func fullOutput() async throws {
        let result = try await program.shell(
            #""$feedsync" sync --json --metrics-file "$1" "$2" > /dev/full"#, metrics, server.feedURL)
        expectOneLine(result, exit: 74, ["No space left on device"])
        let figures = try await figures()
        #expect(figures["feedsync_last_run_exit_code"] == 74)
        #expect(figures["feedsync_images{outcome=\"downloaded\"}"] == 3)
        #expect(figures["feedsync_cache_images"] == 3)
    }

    @Test("An unreadable time of the last success is reported, because it is then unknown")
    func unreadable() async throws {
        try program.directory.write(String(repeating: "x", count: 2 << 20), to: "feedsync.prom")
        expectQuiet(try await program.run("--metrics-file", metrics, server.feedURL))
        try program.directory.write(String(repeating: "x", count: 2 << 20), to: "feedsync.prom")
        server.serve(Reply(404), at: 2)
        let result = try await program.run("--revalidate", "--metrics-file", metrics, server.feedURL)
        #expect(result.status == .exited(23))
        #expect(result.errorLines.contains { $0.contains(metrics) && $0.contains("last success") })
        #expect(try await figures()["feedsync_last_success_timestamp_seconds"] == 0)
    }

    @Test("Missing figures of the cache are reported when the metrics are written")
    func uncountable() async throws {
        let other = try FeedServer(images: 1)
        try await program.run(server.feedURL, other.feedURL)
        try await program.sql("UPDATE feeds SET url = 'javascript:alert(1)' WHERE url = '\(other.feedURL)'")
        let result = try await program.run("--metrics-file", metrics, server.feedURL)
        expectOneLine(result, exit: 0, ["javascript:alert(1)"])
        #expect(try await figures()["feedsync_cache_images"] == nil)
    }

    @Test("Unwritable metrics fail a run that is otherwise a success or lacks single images")
    func unwritable() async throws {
        let result = try await program.run("--metrics-file", "/nowhere/feedsync.prom", server.feedURL)
        expectOneLine(result, exit: 73, ["/nowhere/feedsync.prom"])
        #expect(try await program.status()["images"]?["count"]?.int == 3)
        server.serve(images: [0, 1, 2, 3])
        server.serve(Reply(404), at: 3)
        let lacking = try await program.run("--metrics-file", "/nowhere/feedsync.prom", server.feedURL)
        #expect(lacking.status == .exited(73))
        #expect(lacking.errorText.contains(server.imageURL(3)))
    }

    @Test("A dry run is invisible to monitors")
    func dryRun() async throws {
        let ping = try LoopbackServer()
        try await program.run(
            "-n", "--metrics-file", metrics, "--ping-url", ping.url("/uuid"), server.feedURL)
        #expect(!Files.exists(metrics))
        #expect(ping.requests == [])
    }

    @Test("A monitor is pinged before the run, and after it with the exit code", arguments: ["/uuid", "/uuid/"])
    func ping(path: String) async throws {
        let ping = try LoopbackServer()
        for code in [0, 23, 65] {
            ping.route("/uuid/\(code)", .text("OK"))
        }
        ping.route("/uuid/start", .text("OK"))
        expectQuiet(try await program.run("--ping-url", ping.url(path), server.feedURL))
        server.serve(images: [0, 1, 2, 3])
        server.serve(Reply(404), at: 3)
        try await program.run("--ping-url", ping.url(path), server.feedURL)
        server.server.route("/feed.json", Reply(200, body: Array("nonsense".utf8)))
        try await program.run("--ping-url", ping.url(path), server.feedURL)
        let expected = ["/uuid/start", "/uuid/0", "/uuid/start", "/uuid/23", "/uuid/start", "/uuid/65"]
        #expect(ping.requests.map(\.path) == expected)
    }

    @Test("A slow monitor does not keep other runs from the cache")
    func slowPing() async throws {
        let gate = Gate()
        let ping = try LoopbackServer("/uuid/0", Reply(body: [], gate: gate))
        let first = try program.start("--ping-url", ping.url("/uuid"), server.feedURL)
        await first.comes(to: gate)
        expectQuiet(try await program.run(server.feedURL))
        gate.open()
        #expect(await first.wait().status == .exited(0))
    }

    @Test("The last ping of a run that was stopped, or whose time is over, may take three seconds")
    func hurriedPing() async throws {
        let gate = Gate()
        server.serve(Reply(gate: gate), at: 0)
        let stalled: LoopbackServer.Route = { _ in Reply(gate: Gate()) }
        let ping = try LoopbackServer(["/uuid/start": { _ in .text("") }, "/uuid/23": stalled, "/uuid/143": stalled])
        let complaint = "feedsync: the ping to 127.0.0.1 failed: no response within 3 seconds"

        let run = try program.start("--ping-url", ping.url("/uuid"), server.feedURL)
        await run.comes(to: gate)
        run.kill(SIGTERM)
        let stopped = await run.wait()
        #expect(stopped.status == .exited(143))
        #expect(stopped.errorText.contains(complaint), "\(stopped.errorText)")

        server.serve(Reply(gate: Gate()), at: 0)
        let late = try await program.run("--max-time", "1", "--ping-url", ping.url("/uuid"), server.feedURL)
        #expect(late.status == .exited(23), "\(late.errorText)")
        #expect(late.errorText.contains(complaint), "\(late.errorText)")
    }

    @Test("A failed ping never fails the run, and its message names only the host")
    func failedPing() async throws {
        let dead = try DeadPort()
        let result = try await program.run("--ping-url", dead.url("/s3cret"), server.feedURL)
        #expect(result.status == .exited(0))
        // Usually there is one ping; on a very busy machine the second may run out of time.
        #expect(Set(result.errorLines).count == result.errorLines.count && !result.errorLines.isEmpty)
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("feedsync: the ping to 127.0.0.1 failed: ") })
        #expect(!result.errorText.contains("s3cret"))
        expectQuiet(try await program.run("-q", "--ping-url", dead.url("/s3cret"), server.feedURL))

        let refusing = try LoopbackServer()
        let refused = try await program.run("--ping-url", refusing.url("/s3cret"), server.feedURL)
        #expect(refused.status == .exited(0))
        #expect(refused.errorText.contains("HTTP 404") && !refused.errorText.contains("s3cret"))
    }

    @Test("A run that a signal ends is reported to the monitor with the signal's code")
    func signalled() async throws {
        let ping = try LoopbackServer(["/uuid/start": { _ in .text("") }, "/uuid/143": { _ in .text("") }])
        let gate = Gate()
        server.serve(Reply(body: FeedServer.image(2), gate: gate), at: 2)
        let success = 1_774_744_200.5
        try program.directory.write("feedsync_last_success_timestamp_seconds \(success)\n", to: "feedsync.prom")
        let run = try program.start(
            "--metrics-file", metrics, "--ping-url", ping.url("/uuid"), "-j", "1", server.feedURL)
        await run.comes(to: gate)
        run.kill(SIGTERM)
        let result = await run.wait()
        gate.open()
        #expect(result.status == .exited(143))
        #expect(ping.requests.map(\.path) == ["/uuid/start", "/uuid/143"])
        let figures = try await figures()
        #expect(figures["feedsync_last_run_exit_code"] == 143)
        #expect(figures["feedsync_last_success_timestamp_seconds"] == success)
        #expect(figures["feedsync_cache_images"] == 2)
    }
}
