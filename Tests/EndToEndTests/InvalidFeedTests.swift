import JSONText
import TestSupport
import Testing

@Suite("Feeds that are invalid", .timeLimit(.minutes(10)))
struct InvalidFeedTests {
    private static let good = #"{"id":"\#(FeedServer.id(0))","image":"http://images.example/0.png"}"#

    /// Feeds with an invalid second item, and what the message says about it.
    private static let wrongItems = [
        (#"{"image":"http://h/1.png"}"#, "items[1].id: missing"),
        (#"{"id":"ID","image":"file:///etc/passwd"}"#, "items[1].image: a file: URL"),
        (#"{"id":"ID","id":"ID","image":"http://h/1.png"}"#, "items[1].id: given twice"),
    ].map { (FeedServer.feed(items: [good, $0.0.replacing("\"ID\"", with: "\"\(FeedServer.id(1))\"")]), $0.1) }

    /// Bodies that are not feeds.
    private static let wrongBodies = [
        ("", "is empty"), ("<!DOCTYPE html><html><body>Please log in</body></html>", "HTML page"),
        ("{}", "items: missing"), (#"{"items":[\#(good)]"#, ""),
    ]

    @Test(
        "An invalid feed is reported in one line with its place, and the old cache stays",
        arguments: wrongItems + wrongBodies)
    func invalid(_ body: String, _ reason: String) async throws {
        try await expectInvalid(.text(body), reason)
    }

    private static let wrongAnswers = [
        (Reply(204), "204"), (Reply(206, body: Array("{\"items\":[]}".utf8)), "206"), (Reply(304), "304"),
        (Reply(400), "400"), (Reply(401), "401"), (Reply(403), "403"), (Reply(404), "404"), (Reply(410), "410"),
        (Reply(302), "302"),
        (.redirect(to: "/feed.json"), "more than 10 redirects"),
        (.redirect(to: "file:///etc/passwd"), "local file"),
        (.redirect(to: "ftp://h/feed.json"), "redirected"),
        (.redirect(to: "gopher://h/"), "redirected"),
        (Reply(body: [0xFF, 0xFE] + Array("{\0".utf8)), "UTF-16"),
        (Reply(body: Array("{\"items\":[],\"x\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)), ""),
        (Reply(body: Samples.png), "is an image"),
        (.text("{\"items\":[]" + String(repeating: " ", count: 5000) + "}"), "larger than 4K"),
        (
            Reply(
                body: Array(("{\"items\":[]" + String(repeating: " ", count: 5000) + "}").utf8),
                framing: .untilClosed, ending: .close), "larger than 4K"
        ),
    ]

    @Test("A response that is no feed is reported in one line", arguments: wrongAnswers.indices)
    func wrongAnswer(_ index: Int) async throws {
        let (reply, reason) = Self.wrongAnswers[index]
        try await expectInvalid(reply, reason, options: ["--max-feed-size", "4K"])
    }

    private func expectInvalid(_ reply: Reply, _ reason: String, options: [String] = []) async throws {
        let program = try Program()
        let server = try FeedServer(images: 2)
        try await program.run(server.feedURL)
        let before = try await program.saved(server.feedURL)
        let files = Files.names(in: program.imageDirectory)
        server.server.route("/feed.json", reply)

        let result = try await program.run(options + [server.feedURL])

        #expect(result.status == .exited(65), "\(result.errorText)")
        #expect(result.outputText == "")
        let lines = result.errorLines
        #expect(lines.count == 2, "\(result.errorText)")
        #expect(lines.first?.hasPrefix("feedsync: \(server.feedURL): ") == true, "\(result.errorText)")
        #expect(lines.first?.contains(reason) == true, "\(result.errorText)")
        #expect(lines.first.map { $0.utf8.count < 400 } == true)
        #expect(lines.last?.contains("1 feed (1 failed)") == true)
        #expect(try await program.saved(server.feedURL) == before)
        #expect(Files.names(in: program.imageDirectory) == files)
        #expect(server.paths(after: 3).allSatisfy { $0 == "/feed.json" })
    }

    @Test("show falls back to the saved feed and says why")
    func shown() async throws {
        let program = try Program()
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        server.serve(feed: "{}")
        let result = try await program.run("show", "--json", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(try result.json["source"]?.string == "cache")
        #expect(result.errorLines.count == 1)
        #expect(result.errorText.contains("items: missing"))
    }
}
