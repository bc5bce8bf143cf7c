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
}
