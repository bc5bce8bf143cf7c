import JSONText
import TestSupport
import Testing

@Suite("Feeds with --every", .timeLimit(.minutes(10)))
struct EveryTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    /// Moves the saving times of all feeds back by this duration.
    private func age(byMinutes minutes: Int) async throws {
        try await program.sql("UPDATE feeds SET saved_at = saved_at - \(minutes) * 60 * 1000000")
    }

    @Test("A feed with --every is requested once in that time, and the other runs quietly wait")
    func waiting() async throws {
        expectQuiet(try await program.run("--every", "1h", server.feedURL))
        for _ in 0..<2 { expectQuiet(try await program.run("--every", "1h", server.feedURL)) }
        #expect(server.requestCount == 3)
        try await age(byMinutes: 61)
        expectQuiet(try await program.run("--every", "1h", server.feedURL))
        #expect(server.paths(after: 3) == ["/feed.json"])
    }

    @Test("A feed with --every auto waits as long as its server and the feed say, whichever is longer")
    func asServerSays() async throws {
        let feed = server.server.url("/feed.xml")
        let text = """
            <rss><channel><ttl>60</ttl><sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>12</sy:updateFrequency>
            <item><enclosure url="/0.png"/></item></channel></rss>
            """
        func serve(_ cacheControl: String) {
            let headers = [("Content-Type", "text/xml"), ("Cache-Control", cacheControl)]
            server.server.route("/feed.xml", Reply(headers: headers, body: Array(text.utf8)))
        }
        // The feed asks for an hour, and for two hours.
        serve("public, max-age=600")
        expectQuiet(try await program.run("--every", "auto", feed))
        try await age(byMinutes: 90)
        expectQuiet(try await program.run("--every", "auto", feed))
        #expect(server.requestCount == 2)
        try await age(byMinutes: 40)
        serve("max-age=\"10800\", public")
        expectQuiet(try await program.run("--every", "auto", feed))
        #expect(server.requestCount == 3)
        try await age(byMinutes: 130)
        expectQuiet(try await program.run("--every", "auto", feed))
        #expect(server.requestCount == 3)
        try await age(byMinutes: 60)
        expectQuiet(try await program.run("--every", "auto", feed))
        #expect(server.requestCount == 4)
    }

    @Test("A feed with --every auto whose server says nothing is requested in every run")
    func asServerSaysNothing() async throws {
        for count in [3, 4] {
            expectQuiet(try await program.run("--every", "auto", server.feedURL))
            #expect(server.requestCount == count)
        }
    }

    @Test("A feed with --every is requested early if an image is missing or the feed is no longer fresh")
    func unfinished() async throws {
        server.serve(Reply(503), at: 1)
        #expect(try await program.run(server.feedURL).status == .exited(23))
        server.serve(.png(1), at: 1)
        let count = server.requestCount
        expectQuiet(try await program.run("--every", "1d", server.feedURL))
        #expect(server.paths(after: count) == ["/feed.json", "/1.png"])
        try await age(byMinutes: 3)
        expectQuiet(try await program.run("--every", "1d", "--max-age", "2m", server.feedURL))
        #expect(server.requestCount == count + 3)
    }

    @Test("Images of a waiting feed wait too: cached ones count as cached, the others are left alone")
    func report() async throws {
        server.serve(Reply(404), at: 1)
        try await program.run(server.feedURL)
        let count = server.requestCount
        let metrics = program.directory.path("metrics")
        let result = try await program.run(
            "--every", "7d", "-v", "--revalidate", "--json", "--metrics-file", metrics, server.feedURL)
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(server.requestCount == count)
        let json = try result.json
        #expect(json["feeds"]?[0]?["outcome"]?.string == "waiting")
        #expect(json["feeds"]?[0]?["images"]?.int == 2)
        #expect(json["feeds"]?[0]?["saved_at"]?.string != nil)
        #expect(json["feeds"]?[0]?["error"] == .null)
        #expect(json["images"]?["cached"]?.int == 1)
        #expect(json["images"]?["skipped"]?.int == 1)
        #expect(result.errorText.contains("\(server.feedURL): waiting, 2 images, confirmed at 20"))
        #expect(result.errorText.contains("1 feed (1 waiting), 2 images: 1 cached, 0 downloaded, 1 skipped"))
        let figures = String(decoding: try Files.bytes(metrics), as: UTF8.self)
        #expect(figures.contains("feedsync_feeds{outcome=\"waiting\"} 1\n"))
    }

    @Test("A dry run says that feeds with --every would not be requested")
    func dryRun() async throws {
        try await program.run(server.feedURL)
        let count = server.requestCount
        let result = try await program.run("-n", "--every", "1h", server.feedURL)
        #expect(result.outputLines == ["would not request \(server.feedURL) (waiting, 2 images)"])
        #expect(server.requestCount == count)
    }

    @Test("--every can apply to one feed of several through its section of the config file")
    func section() async throws {
        let other = try FeedServer(images: 1)
        let config = try program.directory.write(
            "feed = \(other.feedURL)\n[feed \"\(server.feedURL)\"]\nevery = 1d\n", to: "config")
        for _ in 0..<2 { expectQuiet(try await program.run("--config", config)) }
        #expect(server.paths().filter { $0 == "/feed.json" }.count == 1)
        #expect(other.paths().filter { $0 == "/feed.json" }.count == 2)
        expectQuiet(try await program.run("--config", config, "--every", "none"))
        #expect(server.paths().filter { $0 == "/feed.json" }.count == 2)
    }

    @Test("--every yields to more pages, another password, a show, and a wrong clock")
    func asked() async throws {
        try await program.run(server.feedURL)
        let secret = server.feedURL.replacing("http://", with: "http://me:secret@")
        for arguments in [["--pages", "2", server.feedURL], ["--pages", "2", secret]] {
            let count = server.requestCount
            expectQuiet(try await program.run(["--every", "1d"] + arguments))
            #expect(server.paths(after: count) == ["/feed.json"])
            expectQuiet(try await program.run(["--every", "1d"] + arguments))
            #expect(server.requestCount == count + 1)
        }
        let count = server.requestCount
        let shown = try await program.run("show", server.feedURL, environment: ["FEEDSYNC_EVERY": "1d"])
        #expect(shown.status == .exited(0) && server.requestCount == count + 1)
        try await age(byMinutes: -120)
        expectQuiet(try await program.run("--every", "1d", server.feedURL))
        #expect(server.requestCount == count + 2)
    }
}
