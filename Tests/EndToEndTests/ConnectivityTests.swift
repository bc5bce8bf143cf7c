import JSONText
import TestSupport
import Testing

@Suite("Feeds that can't be reached", .timeLimit(.minutes(10)))
struct ConnectivityTests {
    /// The ways in which a server fails, and what the message says about each.
    enum Trouble: CaseIterable, Sendable {
        case refused, closed, reset, cutOff, stalled, noHTTP, tooMany, unavailable, timeout

        var reply: Reply {
            switch self {
            case .refused, .closed: .raw("")
            case .reset: .raw("HTTP/1.1 200", ending: .reset)
            case .cutOff: .cutOff(after: 10, of: Array(#"{"items":[]}"#.utf8))
            case .stalled: Reply(gate: Gate())
            case .noHTTP: .raw("220 mail.example ESMTP\r\n")
            case .tooMany: Reply(429, headers: [("Retry-After", "1")])
            case .unavailable: Reply(503)
            case .timeout: Reply(408)
            }
        }

        /// The limit is long enough for a slow machine.
        var patience: String { self == .stalled ? "0.3" : "900" }

        var reason: String {
            switch self {
            case .refused: "onnect"
            case .closed, .reset, .cutOff, .noHTTP: ""
            case .stalled: "300 ms"
            case .tooMany: "429"
            case .unavailable: "503"
            case .timeout: "408"
            }
        }
    }

    private let program: Program
    private let server: FeedServer
    private let dead: DeadPort

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
        dead = try DeadPort()
    }

    /// The feed's URL from now on.
    private func cause(_ trouble: Trouble, savedBefore isSaved: Bool) async throws -> String {
        guard trouble == .refused else {
            server.server.route("/feed.json", trouble.reply)
            return server.feedURL
        }
        let url = dead.url("/feed.json")
        if isSaved { try await program.sql("UPDATE feeds SET url = '\(url)'") }
        return url
    }

    @Test("A run fails if the feed can't be reached and has no saved copy", arguments: Trouble.allCases)
    func neverSaved(_ trouble: Trouble) async throws {
        let feed = try await cause(trouble, savedBefore: false)
        let result = try await program.run("--timeout", trouble.patience, feed)
        #expect(result.status == .exited(69), "\(result.errorText)")
        #expect(result.errorLines.count == 2)
        #expect(result.errorLines.first?.hasPrefix("feedsync: \(feed): ") == true)
        #expect(result.errorLines.first?.contains(trouble.reason) == true, "\(result.errorText)")
        let shown = try await program.run("show", "--timeout", trouble.patience, feed)
        expectOneLine(shown, exit: 69, [feed, trouble.reason, "no saved feed"])
    }

    @Test("Feeds behind one dead server are reported in one line, with or without saved copies")
    func oneServer() async throws {
        let feeds = (0..<8).map { server.server.url("/\($0).json") }
        for number in 0..<8 { server.server.route("/\(number).json", .text(FeedServer.feed([]))) }
        _ = try await program.run(Array(feeds[..<4]))
        for number in 0..<8 { server.server.route("/\(number).json", Reply(503)) }

        let log = try await program.run(["--log-format", "json"] + feeds)
        let result = try await program.run(feeds)
        let verbose = try await program.run(["-v"] + feeds)

        let failed = try JSONValue.parse(Array(try #require(log.errorLines.first).utf8))
        #expect(failed["event"]?.string == "feed_failed" && failed["fields"]?["count"]?.int == 4)
        #expect(result.status == .exited(69))
        let place = "feedsync: 4 feeds from \(server.authority): "
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        #expect(result.errorLines[0] == "\(place)the server answered HTTP 503 (first: \(feeds[4]))")
        let substitutes = verbose.errorLines.filter { $0.hasPrefix("\(place)offline, using feeds saved at most ") }
        #expect(substitutes.count == 1, "\(verbose.errorText)")
        #expect(substitutes.first?.hasSuffix("(the server answered HTTP 503; first: \(feeds[0]))") == true)
    }

    @Test(
        "Feeds behind one dead server are reported without the age of the first feed's saved copy",
        arguments: [0, 1])
    func stories(stale: Int) async throws {
        let feeds = (0..<2).map { server.server.url("/\($0).json") }
        server.server.route("/\(stale).json", .text(FeedServer.feed([])))
        _ = try await program.run(feeds[stale])
        try await program.makeStale()
        for number in 0..<2 { server.server.route("/\(number).json", Reply(503)) }

        let result = try await program.run(["--retries", "0"] + feeds)

        #expect(result.status == .exited(69))
        let line = "feedsync: 2 feeds from \(server.authority): the server answered HTTP 503"
        #expect(result.errorLines.first == "\(line) (first: \(feeds[0]); -v shows each)")
    }

    @Test(
        "Nothing is printed in a pipe while the saved copy of an unreachable feed is fresh", arguments: Trouble.allCases
    )
    func fresh(_ trouble: Trouble) async throws {
        try await program.run(server.feedURL)
        try await program.sql("UPDATE feeds SET saved_at = saved_at - 3 * 3600 * 1000000")
        let feed = try await cause(trouble, savedBefore: true)
        let before = try await program.saved(feed)

        let result = try await program.run("--timeout", trouble.patience, feed)

        expectQuiet(result)
        #expect(try await program.saved(feed) == before)
        let shown = try await program.run("show", "--json", "--timeout", trouble.patience, feed)
        #expect(shown.status == .exited(0))
        #expect(try shown.json["source"]?.string == "cache")
        #expect(shown.errorText == "")
        let verbose = try await program.run("-v", "--timeout", trouble.patience, feed)
        let lines = verbose.errorLines.filter { $0.contains("\(feed): offline, using the feed saved 3 hours ago") }
        #expect(lines.count == 1 && lines[0].contains(trouble.reason), "\(verbose.errorText)")
    }

    @Test("A terminal shows one line with the age of the saved copy of an unreachable feed")
    func terminal() async throws {
        try await program.run(server.feedURL)
        try await program.sql("UPDATE feeds SET saved_at = saved_at - 3 * 3600 * 1000000")
        server.server.route("/feed.json", Reply(503))
        for (command, words) in [
            ("sync", "offline, using the feed saved 3 hours ago"), ("show", "showing the feed saved 3 hours ago"),
        ] {
            let terminal = try PseudoTerminal(columns: 200)
            let arguments = [command] + (command == "sync" ? ["--progress", "never"] : []) + [server.feedURL]
            let result = await (try program.start(arguments, on: terminal)).wait()
            #expect(result.status == .exited(0))
            let line = "feedsync: \(server.feedURL): \(words) (the server answered HTTP 503)\r\n"
            #expect(result.outputText.contains(line), "\(result.outputText)")
        }
    }

    @Test("A copy saved by a clock slightly ahead is used for an unreachable feed, without calling it new")
    func ahead() async throws {
        let (feed, other) = (server.feedURL, server.server.url("/other.json"))
        server.server.route("/other.json", .text(FeedServer.feed([])))
        try await program.run(feed, other)
        try await program.sql("UPDATE feeds SET saved_at = saved_at + 1800 * 1000000")
        for name in ["feed", "other"] { server.server.route("/\(name).json", Reply(503)) }
        let one = try await program.run("-v", feed)
        #expect(
            one.errorText.contains("offline, using the feed saved in the future (the server answered HTTP 503)"))
        let two = try await program.run("-v", feed, other)
        #expect(two.errorText.contains("offline, using feeds saved in the future"), "\(two.errorText)")
        let shown = try await program.run("show", "-v", feed)
        #expect(shown.errorText.contains("showing the feed saved in the future ("), "\(shown.errorText)")
        #expect(shown.outputText.contains("from the cache, saved in the future\n"))
    }

    @Test("A stale copy of an unreachable feed fails the run and stays saved", arguments: Trouble.allCases)
    func stale(_ trouble: Trouble) async throws {
        try await program.run(server.feedURL)
        try await program.makeStale()
        let feed = try await cause(trouble, savedBefore: true)
        let before = try await program.saved(feed)
        let result = try await program.run("--timeout", trouble.patience, feed)
        #expect(result.status == .exited(69), "\(result.errorText)")
        #expect(result.errorLines.count == 2)
        #expect(try await program.saved(feed) == before)
        let shown = try await program.run("show", "--timeout", trouble.patience, feed)
        expectOneLine(shown, exit: 69, [feed, trouble.reason, "stale"])
    }

    @Test(
        "--max-age says how long the copy of an unreachable feed is fresh",
        arguments: [("0s", 69), ("1d", 0), ("forever", 0)] as [(String, Int32)])
    func maxAge(_ age: String, _ code: Int32) async throws {
        try await program.run(server.feedURL)
        server.server.stop()
        #expect(try await program.run("--max-age", age, server.feedURL).status == .exited(code))
    }
}
