import JSONText
import TestSupport
import Testing

@Suite("The image that people mean", .timeLimit(.minutes(10)))
struct BestRenditionTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
        serve(#"<a href="/full.jpg"><img src="/0.png" alt="A heron"></a><img class="emoji" src="/1.png">"#)
    }

    private var feed: String { server.server.url("/feed.xml") }

    private func serve(_ html: String, headers: [(name: String, value: String)] = []) {
        let text = """
            <rss><channel><title>Fen</title><item><guid>7</guid><title>Frost</title><link>/7.html</link>
            <pubDate>Fri, 20 Nov 2026 08:15:00 +0100</pubDate><description><![CDATA[\(html)]]></description></item>
            <item><guid>8</guid><title>Words alone</title></item></channel></rss>
            """
        server.server.route("/feed.xml", Reply(headers: headers, body: Array(text.utf8)))
    }

    private func image() async throws -> JSONValue {
        let images = try (await program.run("show", "--offline", "--json", feed)).json["images"]?.array
        return try #require(images?.first)
    }

    @Test("The best rendition of an image is downloaded with what the feed says of it")
    func best() async throws {
        server.server.route("/full.jpg", .png(7))
        expectQuiet(try await program.run(feed))
        let image = try await image()
        #expect(image["url"]?.string == server.server.url("/full.jpg"))
        #expect(image["description"]?.string == "A heron")
        #expect(image["title"]?.string == "Frost")
        #expect(image["link"]?.string == server.server.url("/7.html"))
        #expect(image["published"]?.string == "2026-11-20T07:15:00.000000Z")
        #expect(server.paths() == ["/feed.xml", "/full.jpg"])
    }

    @Test(
        "An image comes from its next URL if the best is gone for good, and the best is not requested again",
        arguments: [
            Reply(404), Reply(410), Reply(403), Reply(), .text("<!DOCTYPE html><html>a page</html>", type: "text/html"),
        ])
    func next(reply: Reply) async throws {
        server.server.route("/full.jpg", reply)
        expectQuiet(try await program.run(feed))
        let image = try await image()
        #expect(image["url"]?.string == server.server.url("/full.jpg"))
        #expect(image["path"]?.string != nil)
        #expect(Files.names(in: program.imageDirectory).count == 1)
        #expect(server.paths() == ["/feed.xml", "/full.jpg", "/0.png"])
        expectQuiet(try await program.run(feed))
        #expect(server.paths(after: 3) == ["/feed.xml"])
    }

    @Test("An image waits for its best URL if the server fails for a moment")
    func passing() async throws {
        server.server.route("/full.jpg", Reply(503))
        let result = try await program.run(feed)
        #expect(result.status == .exited(23))
        #expect(server.paths() == ["/feed.xml", "/full.jpg"])
    }

    @Test("The next run requests the next address alone where the best is gone and the next failed for a moment")
    func passingAlternative() async throws {
        server.server.route("/full.jpg", Reply(404))
        server.serve(Reply(503), at: 0)
        #expect(try await program.run(feed).status == .exited(23))
        server.serve(.png(0), at: 0)
        expectQuiet(try await program.run(feed))
        #expect(server.paths(after: 3) == ["/feed.xml", "/0.png"])
    }

    @Test("An image with data under another address costs no request, and validate keeps that data")
    func otherAddress() async throws {
        serve(#"<img src="/0.png">"#)
        expectQuiet(try await program.run(feed))
        server.server.route("/full.jpg", Reply(503))
        serve(#"<a href="/full.jpg"><img src="/0.png"></a>"#)
        let count = server.requestCount
        expectQuiet(try await program.run(feed))
        #expect(server.paths(after: count) == ["/feed.xml"])
        #expect(try await image()["from"]?.string == server.imageURL(0))
        for _ in 0..<2 {
            #expect(try (await program.run("validate", "--json")).json["images_deleted"] == .integer(0))
        }
        server.server.route("/full.jpg", .png(7))
        expectQuiet(try await program.run("--retry-failed", feed))
        #expect(try await image()["from"] == nil)
    }

    @Test("An image none of whose URLs has data fails once, for the reason of the best URL")
    func none() async throws {
        server.server.route("/full.jpg", Reply(410))
        server.serve(Reply(404), at: 0)
        let result = try await program.run("--json", feed)
        #expect(result.status == .exited(23))
        let report = try result.json
        let failures = report["failures"]?.array ?? []
        #expect(failures.map { $0["url"]?.string } == [server.server.url("/full.jpg")])
        #expect(failures.first?["message"]?.string?.contains("HTTP 410") == true)
        #expect(report["images"]?["failed"] == .integer(1))
        let second = try await program.run("--json", feed)
        #expect(try second.json["images"]?["skipped"] == .integer(1))
        #expect(server.paths(after: 3) == ["/feed.xml"])
    }

    @Test("Left-out images are reported once with what they are, by -v and in JSON only")
    func notes() async throws {
        server.server.route("/full.jpg", Reply(404))
        server.serve(Reply(404), at: 0)
        let notes = [#"left out an image of item 1 ("7"): "/1.png": an emoji"#, #"item 2 ("8") has no image"#]
        let told = try await program.run("-v", "--json", feed)
        #expect(try told.json["feeds"]?.array?.first?["notes"]?.array?.map(\.string) == notes)
        for note in notes { #expect(told.errorText.contains("feedsync: \(feed): \(note)\n"), "\(told.errorText)") }
        #expect(told.errorLines.count { $0.contains("HTTP 404") } == 1, "\(told.errorText)")
        #expect(!told.errorText.contains("deleting"))
        let quiet = try await program.run("--retry-failed", feed)
        #expect(quiet.errorLines.count == 2, "\(quiet.errorText)")
    }

    @Test("Images are chosen again under other rules, although the feed is unchanged")
    func rules() async throws {
        server.server.route("/full.jpg", .png(7))
        serve(#"<img src="/0.png"><img class="emoji" src="/1.png">"#, headers: [("ETag", "\"1\"")])
        expectQuiet(try await program.run(feed))
        let rss = try #require(server.server.requests.last)
        #expect(rss.header("if-none-match") == nil)
        expectQuiet(try await program.run(feed))
        #expect(server.server.requests.last?.header("if-none-match") == "\"1\"")
        expectQuiet(try await program.run("--all-images", feed))
        #expect(server.paths(after: 3) == ["/feed.xml", "/1.png"])
        #expect(server.server.requests[3].header("if-none-match") == nil)
    }

    @Test("Images are chosen by expressions on the command line and in a feed's section")
    func expressions() async throws {
        serve(#"<img src="/0.png"><img src="/1.png">"#)
        expectQuiet(try await program.run("--exclude", "/0[.]png$", feed))
        #expect(server.paths() == ["/feed.xml", "/1.png"])
        let config = try program.directory.write(
            "[feed \"\(feed)\"]\ninclude = /0.png\ninclude = /9.png\n", to: "config")
        expectQuiet(try await program.run("--config", config))
        #expect(server.paths(after: 2) == ["/feed.xml", "/0.png"])
        #expect(try await image()["id"]?.string == "7")
    }

    @Test("An invalid expression for choosing images is refused")
    func wrongExpression() async throws {
        expectOneLine(
            try await program.run("--include", "(", feed), exit: 64, ["--include", "a regular expression"])
    }

    @Test("A feed fails if an expression of --exclude takes too long")
    func endlessExpression() async throws {
        serve(#"<img src="/\#(String(repeating: "a", count: 60)).png">"#)
        let result = try await program.run("--exclude", "(a|a|aa)+$", feed)
        #expect(result.status == .exited(65))
        #expect(result.errorText.contains("took too long"), "\(result.errorText)")
    }
}
