import JSONText
import TestSupport
import Testing

@Suite("Standard streams", .timeLimit(.minutes(10)))
struct StreamTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    @Test(
        "A closed or full standard output is a write error",
        arguments: [">&-", "> /dev/full"],
        [
            ["show", "FEED"], ["show", "--offline", "FEED"], ["image", "IMAGE"], ["status", "--json"], ["--help"],
            ["sync", "--json", "FEED"], ["sync", "-n", "FEED"], ["validate", "--json"], ["--version"],
            ["help", "--man"], ["completions", "fish"],
        ])
    func unwritable(_ redirection: String, _ command: [String]) async throws {
        try await program.run(server.feedURL)
        let words = command.map { $0 == "FEED" ? server.feedURL : $0 == "IMAGE" ? server.imageURL(0) : $0 }
        let result = try await program.shell("\"$feedsync\" \(words.joined(separator: " ")) \(redirection)")
        expectOneLine(result, exit: 74, ["standard output"])
        #expect(try await program.sql("PRAGMA integrity_check") == "ok")
    }

    @Test("A standard output that is not needed can be closed or full", arguments: [">&-", "> /dev/full", "<&- >&-"])
    func unneeded(_ redirection: String) async throws {
        expectQuiet(try await program.shell("\"$feedsync\" \"$1\" \(redirection)", server.feedURL))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
        #expect(try await program.sql("PRAGMA integrity_check") == "ok")
    }

    @Test("A reader that goes away is a write error and not a crash")
    func brokenPipe() async throws {
        server.serve(.image(Samples.png + Array(repeating: 7, count: 1 << 20)), at: 0)
        let script = #"{ "$feedsync" image "$1"; echo "code $?" >&2; } | true"#
        let result = try await program.shell(script, server.imageURL(0))
        #expect(result.errorLines.last == "code 74")
        #expect(result.errorLines.first?.contains("Broken pipe") == true)
        #expect(result.errorLines.count == 2)
    }

    @Test(
        "Standard error can be closed or full: the run works, and its exit code tells the result",
        arguments: ["2>&-", "2> /dev/full"])
    func noStandardError(_ redirection: String) async throws {
        server.serve(Reply(404), at: 1)
        let result = try await program.shell("\"$feedsync\" --json -v \"$1\" \(redirection)", server.feedURL)
        #expect(result.status == .exited(23))
        #expect(try result.json["images"]?["downloaded"]?.int == 1)
        #expect(try await program.sql("PRAGMA integrity_check") == "ok")
        #expect(
            try await Files.sha256("\(program.imageDirectory)/\(program.digest(of: server.imageURL(0)))")
                == program.digest(of: server.imageURL(0)))
    }

    @Test("All three standard streams can be closed")
    func none() async throws {
        let result = try await program.shell(#""$feedsync" "$1" <&- >&- 2>&-"#, server.feedURL)
        #expect(result.status == .exited(0))
        #expect(try await program.sql("PRAGMA integrity_check") == "ok")
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }

    @Test("Messages for people are never mixed with the data")
    func apart() async throws {
        server.serve(Reply(404), at: 1)
        let result = try await program.run("sync", "--json", "-v", server.feedURL)
        #expect(result.outputLines.count == 1)
        #expect(try result.json["images"]?["failed"]?.int == 1)
    }
}
