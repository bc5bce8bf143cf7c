import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Under cron", .timeLimit(.minutes(10)))
struct CronTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    /// Runs the program with less than cron's environment: without HOME and TERM.
    private func bare(_ script: String, _ arguments: String...) async throws -> ProcessResult {
        try await program.shell(
            #"cache=$FEEDSYNC_CACHE; f() { env -i PATH=/usr/bin:/bin LANG=C "$feedsync" --cache "$cache" --no-config "$@"; }; "#
                + script, arguments)
    }

    @Test("A run works silently with an almost empty environment")
    func quiet() async throws {
        expectQuiet(try await bare(#"f "$1" </dev/null"#, server.feedURL))
        expectQuiet(try await bare("f; f validate; f validate --deep"))
        #expect(try await program.status()["images"]?["count"]?.int == 2)
    }

    @Test("A run keeps the priority that it was started with, even root's")
    func niceness() async throws {
        let gate = Gate()
        server.serve(Reply(body: FeedServer.image(1), gate: gate), at: 1)
        let run = try program.startShell(#"exec nice -n 7 "$feedsync" "$1""#, server.feedURL)
        await run.comes(to: gate)
        let tasks = "/proc/\(run.pid)/task"
        let nicenesses = try Files.names(in: tasks).map { task in
            // The text after the name, which may contain blanks, begins with the third field.
            let fields = String(decoding: try Files.bytes("\(tasks)/\(task)/stat"), as: UTF8.self)
                .split(separator: ")").last?.split(separator: " ")
            return fields?[16]
        }
        gate.open()
        expectQuiet(await run.wait())
        let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        #expect(nicenesses.count > 2)
        #expect(Set(nicenesses) == ["\(min(19, own + 7))"])
    }

    @Test("A relative path in a deleted working directory fails instead of naming a file elsewhere")
    func lostDirectory() async throws {
        // The root has a file of this name, which a path without a beginning would name.
        let result = try await bare(
            #"mkdir "$1"; cd "$1"; rmdir "$1"; f show proc/version"#, program.directory.path("gone"))
        expectOneLine(result, exit: 66, ["proc/version", "no such file"])
    }

    @Test("Text beyond ASCII is printed completely in any locale")
    func locale() async throws {
        server.serve(
            feed: FeedServer.feed(items: [
                #"{"id":"\#(FeedServer.id(0))","description":"Zürich 東京","image":"\#(server.imageURL(0))"}"#
            ]))
        let result = try await bare(#"f show "$1""#, server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.outputText.contains("Zürich 東京"))
    }

    @Test(
        "An unwritable progress line, log or ping leaves the run's work unaffected",
        arguments: ["2>&-", "2> /dev/full"])
    func untold(_ redirection: String) async throws {
        server.serve(Reply(404), at: 1)
        let dead = try DeadPort()
        let result = try await bare(
            #"f --progress always --log-format json -v --ping-url "$2" "$1" "# + redirection, server.feedURL,
            dead.url("/ping"))
        #expect(result.status == .exited(23))
        #expect(try await program.status()["images"]?["count"]?.int == 1)
    }

    @Test("A run without a home directory looks for no config file, but reads one that is named")
    func noHome() async throws {
        let config = try program.directory.write("feed = \(server.feedURL)\n", to: "config")
        let result = try await program.shell(
            #"env -i "$feedsync" --cache "$FEEDSYNC_CACHE" --config "$1""#, [config])
        expectQuiet(result)
        #expect(server.paths().sorted() == ["/0.png", "/1.png", "/feed.json"])
    }

    @Test("A pipe gets the same failure of a saved feed and its images once a day, and the exit code tells of each")
    func repeated() async throws {
        try await program.run(server.feedURL)
        let dead = try DeadPort()
        let other = try FeedServer(images: 1)
        server.serve(feedOf: [server.imageURL(0), dead.url("/a.png"), dead.url("/b.png")])
        other.serve(feedOf: [other.imageURL(0), dead.url("/b.png")])
        func sync(_ options: String...) async throws -> ProcessResult {
            try await program.run(options + [server.feedURL, other.feedURL])
        }
        let first = try await sync()
        #expect(first.status == .exited(23))
        #expect(first.errorLines.count == 2, "\(first.errorText)")
        #expect(first.errorText.contains("2 images from 127.0.0.1") && first.errorText.contains("2 feeds, 4 images"))
        let second = try await sync()
        #expect(second.status == .exited(23))
        #expect(second.errorText == "")
        let json = try await sync("--json")
        #expect(json.errorText == "")
        #expect(try json.json["failures"]?.array?.count == 2)
        let verbose = try await sync("-v")
        #expect(verbose.errorText.contains(dead.url("/a.png")) && verbose.errorText.contains("2 feeds, 4 images"))
        #expect(try await sync("-q").errorText == "")
        // The first feed was reported a day ago, and the second one later.
        try await program.sql(
            """
            UPDATE reports SET last_at = last_at - 86400000000
            WHERE feed = (SELECT id FROM feeds WHERE url = '\(server.feedURL)')
            """)
        #expect(try await sync().errorLines.count == 2)
        server.serve(feedOf: [server.imageURL(0)])
        other.serve(feedOf: [other.imageURL(0)])
        expectQuiet(try await sync())
        #expect(try await program.sql("SELECT count(*) FROM reports") == "0")
        server.serve(feedOf: [server.imageURL(0), dead.url("/a.png")])
        #expect(try await sync().errorLines.count == 2)
    }

    @Test("A failed feed is reported once a day if it has a saved copy, and else by every run")
    func repeatedFeed() async throws {
        server.server.route("/feed.json", Reply(410))
        for _ in 0..<2 {
            let result = try await program.run(server.feedURL)
            #expect(result.status == .exited(65))
            #expect(result.errorLines.count == 2, "\(result.errorText)")
        }
        server.serve(images: [0, 1])
        expectQuiet(try await program.run(server.feedURL))
        server.server.route("/feed.json", Reply(410))
        #expect(try await program.run(server.feedURL).errorLines.count == 2)
        #expect(try await program.run("-n", server.feedURL).errorLines.count == 2)
        let again = try await program.run(server.feedURL)
        #expect(again.status == .exited(65) && again.errorText == "")
        server.server.route("/feed.json", Reply(404))
        #expect(try await program.run(server.feedURL).errorText.contains("HTTP 404"))
    }
}
