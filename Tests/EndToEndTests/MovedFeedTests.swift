import JSONText
import TestSupport
import Testing

@Suite("Feeds that have moved for good", .timeLimit(.minutes(10)))
struct MovedFeedTests {
    private let program: Program
    /// Where the feed was.
    private let old: LoopbackServer
    /// Where it is.
    private let new: FeedServer
    private let url: String

    init() throws {
        program = try Program()
        new = try FeedServer(images: 1)
        old = try LoopbackServer("/old", .redirect(301, to: new.feedURL))
        url = old.url("/old")
    }

    /// Lists the paths that a run asked, at the old place and the new.
    private func paths(asked run: () async throws -> Void) async throws -> [[String]] {
        let counts = (old.requests.count, new.requestCount)
        try await run()
        return [old.requests.dropFirst(counts.0).map(\.path), new.paths(after: counts.1)]
    }

    private func expectTold(_ result: ProcessResult, _ url: String, _ place: String) {
        #expect(result.status == .exited(0))
        #expect(result.errorText == "feedsync: \(url): has moved for good to \(place)\n")
    }

    @Test("are asked there from then on, with their validators and under their old key", arguments: [301, 308])
    func remembered(status: Int) async throws {
        old.route("/old", .redirect(status, to: new.feedURL))
        let body = Array(FeedServer.feed([new.imageURL(0)]).utf8)
        new.server.route("/feed.json") { .validated(body, etag: "\"1\"", for: $0) }
        expectTold(try await program.run(url), url, new.feedURL)
        let asked = try await paths { for _ in 0..<2 { expectQuiet(try await program.run(url)) } }
        #expect(asked == [[], ["/feed.json", "/feed.json"]])
        #expect(new.server.requests.last?.header("if-none-match") == "\"1\"")
        let feeds = try await program.status()["feeds"]
        #expect(feeds?.array?.count == 1)
        #expect(feeds?[0]?["url"]?.string == url)
    }

    @Test("are told of but with -q, and in JSON logs too")
    func told() async throws {
        #expect(try await program.run("-q", "-n", url).errorText == "")
        let result = try await program.run("--log-format", "json", url)
        let line = try JSONValue.parse(Array(result.errorText.utf8))
        #expect(line["event"]?.string == "feed_moved" && line["level"]?.string == "warning")
        #expect(line["fields"] == ["url": "\(url)", "moved_to": "\(new.feedURL)"])
    }

    @Test("are none where a redirect on the way is for today alone, or names a password")
    func notForGood() async throws {
        old.route("/hop", .redirect(302, to: new.feedURL))
        let secret = new.feedURL.replacing("http://", with: "http://me:s3cret@")
        for target in ["/hop", secret] {
            old.route("/old", .redirect(301, to: target))
            for _ in 0..<2 {
                let asked = try await paths { expectQuiet(try await program.run(url)) }
                #expect(asked[0].first == "/old" && asked[1].first == "/feed.json")
            }
        }
    }

    @Test("and move on are asked at the last place, and told of anew")
    func movedOn() async throws {
        try await program.run(url)
        new.server.route("/feed.json", .redirect(301, to: "/hop"))
        new.server.route("/hop", .redirect(308, to: "/there"))
        new.server.route("/there", .text(FeedServer.feed([new.imageURL(0)])))
        expectTold(try await program.run(url), url, new.server.url("/there"))
        let asked = try await paths { expectQuiet(try await program.run(url)) }
        #expect(asked == [[], ["/there"]])
    }

    @Test(
        "are asked where they were if the new place fails for good, and it is forgotten where that answers",
        arguments: [Reply(404), Reply(410), Reply(501), .text("<!DOCTYPE html><html></html>")])
    func back(_ reply: Reply) async throws {
        try await program.run(url)
        new.server.route("/feed.json", reply)
        old.route("/old", .text(FeedServer.feed([new.imageURL(0)])))
        let asked = try await paths { expectQuiet(try await program.run(url)) }
        #expect(asked == [["/old"], ["/feed.json"]])
        let later = try await paths { expectQuiet(try await program.run(url)) }
        #expect(later == [["/old"], []])
    }

    @Test("say of both places why neither has them")
    func neither() async throws {
        try await program.run(url)
        new.server.route("/feed.json", Reply(404))
        let redirected = try await program.run(url)
        #expect(redirected.status == .exited(65))
        #expect(redirected.errorText.contains("\(url): the server answered HTTP 404, redirected to \(new.feedURL)\n"))
        old.route("/old", Reply(503))
        try await program.makeStale()
        let result = try await program.run("show", url)
        expectOneLine(result, exit: 69, ["HTTP 503, and from \(new.feedURL), where it had moved: ", "HTTP 404"])
    }

    @Test("wait for their new place while it is out of order, and the old one is left alone")
    func passing() async throws {
        try await program.run(url)
        new.server.route("/feed.json", Reply(503))
        let asked = try await paths { expectQuiet(try await program.run(url)) }
        #expect(asked == [[], ["/feed.json"]])
    }

    @Test("get no secrets at another origin, and all of them at their own")
    func secrets() async throws {
        let secret = url.replacing("http://", with: "http://me:s3cret@")
        for _ in 0..<2 { try await program.run("-H", "X-Key: 1", secret) }
        #expect(new.requestCount == 3)
        for request in new.server.requests {
            #expect(request.header("x-key") == nil && request.header("authorization") == nil)
        }
        old.route("/old", .redirect(301, to: "/new"))
        old.route("/new", .text(FeedServer.feed([])))
        let other = try Program()
        for _ in 0..<2 { try await other.run("-H", "X-Key: 1", secret) }
        #expect(old.requests.suffix(3).map(\.path) == ["/old", "/new", "/new"])
        #expect(old.requests.last?.header("x-key") == "1" && old.requests.last?.header("authorization") != nil)
    }

    @Test("are not asked at a private address of another name, but through the server that names it")
    func privatePlace() async throws {
        let place = new.feedURL.replacing("127.0.0.1", with: "localhost")
        old.route("/old", .redirect(301, to: place))
        expectTold(try await program.run(url), url, place)
        let asked = try await paths { expectQuiet(try await program.run(url)) }
        #expect(asked == [["/old"], ["/feed.json"]])
        let allowed = try await paths { expectQuiet(try await program.run("--allow-private", url)) }
        #expect(allowed == [[], ["/feed.json"]])
    }

    @Test("name images relative to their new place")
    func relative() async throws {
        let feed = #"{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{"id":"1","image":"0.png"}]}"#
        new.serve(feed: feed)
        for _ in 0..<2 {
            try await program.run(url)
            #expect(try await program.sql("SELECT url FROM items") == new.imageURL(0))
        }
    }

    @Test("are asked at their old place where the new one's server is gone")
    func gone() async throws {
        try await program.run(url)
        new.server.stop()
        let back = try FeedServer(images: 1)
        old.route("/old", .text(FeedServer.feed([back.imageURL(0)])))
        expectQuiet(try await program.run(url))
        #expect(try await program.sql("SELECT moved_to IS NULL FROM feeds") == "1")
    }

    @Test("are found and remembered by show as by sync")
    func show() async throws {
        let shown = try await program.run("show", url)
        #expect(shown.errorText == "feedsync: \(url): has moved for good to \(new.feedURL)\n")
        let asked = try await paths {
            expectQuiet(try await program.run(url))
            #expect(try await program.run("show", url).errorText == "")
        }
        #expect(asked == [[], ["/feed.json", "/0.png", "/feed.json"]])
    }

    @Test("are not remembered by a dry run")
    func dryRun() async throws {
        try await program.run("-n", url)
        #expect(try await program.run("-n", url).errorText.contains("has moved for good"))
        #expect(try await paths { try await program.run(url) }[0] == ["/old"])
    }
}
