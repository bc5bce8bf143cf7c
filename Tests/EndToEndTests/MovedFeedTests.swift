import JSONText
import TestSupport
import Testing

@Suite("Feeds that have moved permanently", .timeLimit(.minutes(10)))
struct MovedFeedTests {
    private let program: Program
    private let old: LoopbackServer
    private let new: FeedServer
    /// The URL of the feed on its old server.
    private let url: String

    init() throws {
        program = try Program()
        new = try FeedServer(images: 1)
        old = try LoopbackServer("/old", .redirect(301, to: new.feedURL))
        url = old.url("/old")
    }

    /// Returns the paths that a run requests from the old server and from the new one.
    private func paths(requestedBy run: () async throws -> Void) async throws -> [[String]] {
        let counts = (old.requests.count, new.requestCount)
        try await run()
        return [old.requests.dropFirst(counts.0).map(\.path), new.paths(after: counts.1)]
    }

    private func expectReport(_ result: ProcessResult, _ url: String, _ newURL: String) {
        #expect(result.status == .exited(0))
        #expect(result.errorText == "feedsync: \(url): has moved permanently to \(newURL)\n")
    }

    @Test("Every run requests the original URL and follows the redirect", arguments: [301, 308])
    func followedEachTime(status: Int) async throws {
        old.route("/old", .redirect(status, to: new.feedURL))
        let body = Array(FeedServer.feed([new.imageURL(0)]).utf8)
        new.server.route("/feed.json") { .validated(body, etag: "\"1\"", for: $0) }
        expectReport(try await program.run(url), url, new.feedURL)
        let requested = try await paths { for _ in 0..<2 { expectQuiet(try await program.run(url)) } }
        #expect(requested == [["/old", "/old"], ["/feed.json", "/feed.json"]])
        #expect(new.server.requests.last?.header("if-none-match") == "\"1\"")
        let feeds = try await program.status()["feeds"]
        #expect(feeds?.array?.count == 1)
        #expect(feeds?[0]?["url"]?.string == url)
        #expect(feeds?[0]?["moved_to"]?.string == new.feedURL)
    }

    @Test("A move is reported in JSON logs, and not with -q")
    func reported() async throws {
        #expect(try await program.run("-q", "-n", url).errorText == "")
        let result = try await program.run("--log-format", "json", url)
        let line = try JSONValue.parse(Array(result.errorText.utf8))
        #expect(line["event"]?.string == "feed_moved" && line["level"]?.string == "warning")
        #expect(line["fields"] == ["url": "\(url)", "moved_to": "\(new.feedURL)"])
    }

    @Test("A temporary redirect and a new URL with a password are not reported")
    func notReported() async throws {
        let secret = new.feedURL.replacing("http://", with: "http://me:s3cret@")
        for reply in [Reply.redirect(302, to: new.feedURL), .redirect(301, to: secret)] {
            old.route("/old", reply)
            expectQuiet(try await program.run(url))
        }
    }

    @Test("The new URL is the target of the leading permanent redirects")
    func leadingRedirects() async throws {
        old.route("/old", .redirect(301, to: "/hop"))
        old.route("/hop", .redirect(308, to: "/there"))
        old.route("/there", .redirect(302, to: new.feedURL))
        expectReport(try await program.run(url), url, old.url("/there"))
    }

    @Test("A second move is reported once")
    func movedAgain() async throws {
        try await program.run(url)
        new.server.route("/feed.json", .redirect(301, to: "/there"))
        new.server.route("/there", .text(FeedServer.feed([new.imageURL(0)])))
        expectReport(try await program.run(url), url, new.server.url("/there"))
        expectQuiet(try await program.run(url))
    }

    @Test("A feed that is back at its original URL has not moved")
    func back() async throws {
        try await program.run(url)
        new.server.stop()
        let other = try FeedServer(images: 1)
        old.route("/old", .text(FeedServer.feed([other.imageURL(0)])))
        expectQuiet(try await program.run(url))
        #expect(try await program.status()["feeds"]?[0]?["moved_to"]?.string == nil)
    }

    @Test("A redirect to another origin carries no secrets, in any run")
    func secrets() async throws {
        let secret = url.replacing("http://", with: "http://me:s3cret@")
        for _ in 0..<2 { try await program.run("-H", "X-Key: 1", secret) }
        #expect(new.requestCount == 3)
        for request in new.server.requests {
            #expect(request.header("x-key") == nil && request.header("authorization") == nil)
        }
    }

    @Test("show reports a move as sync does")
    func show() async throws {
        let shown = try await program.run("show", url)
        #expect(shown.errorText == "feedsync: \(url): has moved permanently to \(new.feedURL)\n")
        #expect(try await program.run("show", url).errorText == "")
    }

    @Test("A dry run does not count as a report")
    func dryRun() async throws {
        for _ in 0..<2 { #expect(try await program.run("-n", url).errorText.contains("has moved permanently")) }
    }
}
