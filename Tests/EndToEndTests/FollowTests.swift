import Glibc
import JSONText
import Synchronization
import TestSupport
import Testing

@Suite("Images of the pages that items link to", .timeLimit(.minutes(10)))
struct FollowTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
    }

    /// Serves a feed of items that link to these pages.
    private func serve(_ pages: [String]) -> String {
        let items = pages.map { "<item><guid isPermaLink='false'>\($0)</guid><link>/\($0)</link></item>" }.joined()
        let feed = Array("<rss><channel>\(items)</channel></rss>".utf8)
        server.server.route("/feed.xml") { .validated(feed, etag: "\"\(pages.count)\"", for: $0) }
        return server.server.url("/feed.xml")
    }

    private static func page(_ image: Int) -> Reply { html("<meta property='og:image' content='/\(image).png'>") }

    private static func html(_ head: String) -> Reply {
        .text("<!DOCTYPE html><html><head>\(head)</head><body></body></html>", type: "text/html; charset=utf-8")
    }

    private func counts(_ result: ProcessResult) throws -> [Int?] {
        try ["total", "downloaded", "cached", "skipped", "failed"].map { try result.json["images"]?[$0]?.int }
    }

    @Test("A feed of 1,000 links makes 1,000 page requests in the first run, at most six at once, and none later")
    func thousand() async throws {
        let state = Mutex((atWork: 0, most: 0))
        let pages = (0..<1000).map { "page-\($0)" }
        for name in pages {
            server.server.route("/\(name)") { _ in
                state.withLock { state in
                    state.atWork += 1
                    state.most = max(state.most, state.atWork)
                }
                usleep(1000)
                state.withLock { $0.atWork -= 1 }
                return Self.page(0)
            }
        }
        let feed = serve(pages)
        expectQuiet(try await program.run("--follow", feed))
        #expect(server.requestCount == 1002)
        #expect(state.withLock { $0.most } <= 6)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 1000)
        for options in [[], ["--retry-failed"], ["--revalidate"]] {
            let count = server.requestCount
            expectQuiet(try await program.run(["--follow"] + options + [feed]))
            #expect(!server.paths(after: count).contains { $0.hasPrefix("/page-") })
        }
        // The feed is requested in full, as after a change.
        server.server.route("/feed.xml") { _ in .text("<rss><channel></channel></rss>") }
        _ = try await program.run("--follow", feed)
        let again = serve(pages)
        let count = server.requestCount
        expectQuiet(try await program.run("--follow", "--max-per-host", "2", again))
        // Each item has a new id, so that an image with a known URL is requested once more.
        #expect(server.paths(after: count).count == 1002)
    }

    @Test("The image of a page belongs to the item, and an item without an image is left out without --follow")
    func show() async throws {
        server.server.route("/a", Self.page(1))
        let feed = serve(["a"])
        #expect(try await program.run("show", "--json", feed).json["images"]?.array?.count == 0)
        expectQuiet(try await program.run("--follow", feed))
        let image = try await program.run("show", "--json", "--follow", feed).json["images"]?[0]
        #expect(image?["id"]?.string == "a")
        #expect(image?["url"]?.string == server.imageURL(1))
        #expect(image?["link"]?.string == server.server.url("/a"))
        #expect(image?["digest"]?.string != nil)
    }

    @Test("A page that can't be had counts as a failed image, and is left alone like one")
    func failures() async throws {
        server.server.route("/good", Self.page(0))
        server.server.route("/text", .text("<meta property='og:image' content='/1.png'>", type: "text/plain"))
        server.server.route("/busy", Reply(503))
        let large = Array("<meta property=og:image content=/1.png>".utf8) + Array(repeating: 0x20, count: 5 << 20)
        server.server.route("/large", Reply(headers: [("Content-Type", "text/html")], body: large))
        let feed = serve(["good", "text", "busy", "gone", "large"])
        let first = try await program.run("--follow", "--json", feed)
        #expect(first.status == .exited(23))
        #expect(try counts(first) == [5, 1, 0, 0, 4])
        let failures = try #require(try first.json["failures"]?.array)
        let failed = ["text", "busy", "gone", "large"].map { server.server.url("/\($0)") }
        #expect(failures.map { $0["url"]?.string } == failed)
        #expect(failures.map { $0["kind"]?.string } == ["invalidData", "connectivity", "invalidData", "invalidData"])
        for (failure, words) in zip(failures, ["text/plain", "503", "404", "larger than 5M"]) {
            #expect(failure["message"]?.string?.contains(words) == true, "\(failure.text())")
        }
        let count = server.requestCount
        server.server.route("/busy", Self.page(2))
        let second = try await program.run("--follow", "--json", feed)
        #expect(second.status == .exited(0))
        #expect(try counts(second) == [5, 1, 1, 3, 0])
        #expect(server.paths(after: count).sorted() == ["/2.png", "/busy", "/feed.xml"])
        server.server.route("/gone", Self.page(1))
        let third = try await program.run("--follow", "--retry-failed", "--json", feed)
        #expect(try counts(third) == [5, 1, 2, 0, 2])
    }

    @Test("A page without an image is requested once, and is no failure")
    func withoutImage() async throws {
        server.server.route("/a", Self.html("<title>Words</title>"))
        let feed = serve(["a"])
        for _ in 1...2 { expectQuiet(try await program.run("--follow", feed)) }
        #expect(server.paths() == ["/feed.xml", "/a", "/feed.xml"])
        let verbose = try await program.run("--follow", "-v", feed)
        #expect(verbose.status == .exited(0))
    }

    @Test("-v names each page and the number of its images, and -n only says how many it would request")
    func lines() async throws {
        server.server.route("/a", Self.page(0))
        server.server.route("/b", Self.html(""))
        let feed = serve(["a", "b"])
        let plan = try await program.run("--follow", "-n", feed)
        #expect(plan.outputLines.first == "would request 2 pages that \(feed) links to")
        #expect(server.paths() == ["/feed.xml"])
        let verbose = try await program.run("--follow", "-v", feed)
        #expect(verbose.errorText.contains("\(server.server.url("/a")): 1 image\n"), "\(verbose.errorText)")
        #expect(verbose.errorText.contains("\(server.server.url("/b")): no image\n"))
    }

    @Test("A section of the config file follows the links of its feed only")
    func section() async throws {
        server.server.route("/a", Self.page(0))
        let feed = serve(["a"])
        let other = try FeedServer(images: 0)
        let items = "<item><guid isPermaLink='false'>b</guid><link>/b</link></item>"
        other.server.route("/feed.json", .text("<rss><channel>\(items)</channel></rss>"))
        let text = "feed = \(other.feedURL)\n[feed \"\(feed)\"]\nfollow\n"
        let config = try program.directory.write(text, to: "config")
        expectQuiet(try await program.run("--config", config))
        #expect(server.paths() == ["/feed.xml", "/a", "/0.png"])
        #expect(other.paths() == ["/feed.json"])
        let without = try await program.run("--no-follow", "--config", config, feed)
        #expect(without.errorLines.count == 1 && without.errorText.contains("empty"), "\(without.errorText)")
    }

    @Test("The environment and --follow=true follow links too")
    func settings() async throws {
        server.server.route("/a", Self.page(0))
        let feed = serve(["a"])
        expectQuiet(try await program.run(feed, environment: ["FEEDSYNC_FOLLOW": "true"]))
        expectQuiet(try await program.run("--follow=true", feed))
        #expect(server.paths() == ["/feed.xml", "/a", "/0.png", "/feed.xml"])
    }

    @Test("A page gets the headers of the feed at its own origin, and no other page gets them")
    func secrets() async throws {
        let other = try FeedServer(images: 1)
        other.server.route("/b", Self.page(0))
        server.server.route("/a", Self.page(0))
        let links = ["/a", other.server.url("/b")].map { "<item><link>\($0)</link></item>" }.joined()
        server.server.route("/feed.xml", .text("<rss><channel>\(links)</channel></rss>"))
        expectQuiet(try await program.run("--follow", "-H", "X-Key: 7", server.server.url("/feed.xml")))
        #expect(server.server.requests.first { $0.path == "/a" }?.header("x-key") == "7")
        #expect(other.server.requests.allSatisfy { $0.header("x-key") == nil })
        #expect(other.paths().sorted() == ["/0.png", "/b"])
    }

    @Test("The image of a page stays with --keep after its item has left the feed")
    func keeping() async throws {
        server.server.route("/a", Self.page(0))
        server.server.route("/b", Self.page(1))
        let feed = serve(["a"])
        expectQuiet(try await program.run("--follow", "--keep", "forever", feed))
        server.server.route("/feed.xml") { _ in
            .text("<rss><channel><item><guid isPermaLink='false'>b</guid><link>/b</link></item></channel></rss>")
        }
        let result = try await program.run("--follow", "--json", feed)
        #expect(try result.json["feeds"]?[0]?["kept"]?.int == 1)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
        #expect(server.paths().filter { $0 == "/a" }.count == 1)
    }
}
