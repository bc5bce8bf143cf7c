import Glibc
import JSONText
import TestSupport
import Testing

@Suite("The config file, from outside", .timeLimit(.minutes(10)))
struct ConfigTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    private func write(_ text: String, to name: String = "config") throws -> String {
        try program.directory.write(text, to: name)
    }

    @Test("feedsync without operands syncs the feeds of the config file, each with its own options")
    func feeds() async throws {
        let other = try FeedServer(images: 1)
        let config = try write(
            """
            header = X-All: 1
            feed = \(server.feedURL)
            [feed "\(other.feedURL)"]
            header = X-Own: 2
            user-agent = mirror/2
            """)
        expectQuiet(try await program.run("--config", config))
        #expect(server.paths() == ["/feed.json", "/0.png"])
        #expect(other.paths() == ["/feed.json", "/0.png"])
        for request in server.server.requests {
            #expect(request.header("x-all") == "1")
            #expect(request.header("x-own") == nil)
            #expect(request.header("user-agent") == "feedsync/0.2.0")
        }
        for request in other.server.requests {
            #expect(request.header("x-all") == nil)
            #expect(request.header("x-own") == "2")
            #expect(request.header("user-agent") == "mirror/2")
        }
    }

    @Test("A feed on the command line has its section of the config file applied, even for show")
    func given() async throws {
        let config = try write("[feed \"\(server.feedURL)\"]\nheader = X-Own: 1\n")
        try await program.run("--config", config, server.feedURL)
        try await program.run("show", "--config", config, server.feedURL)
        #expect(server.server.requests.map { $0.header("x-own") } == ["1", "1", "1"])
    }

    @Test("The limits of a feed's section apply to that feed only")
    func limits() async throws {
        let other = try FeedServer(images: 1)
        let config = try write(
            "feed = \(other.feedURL)\n[feed \"\(server.feedURL)\"]\nmax-filesize = 10\nmax-redirs = 0\n")
        let result = try await program.run("--config", config, "--json")
        #expect(result.status == .exited(23))
        let json = try result.json
        #expect(json["images"]?["downloaded"]?.int == 1)
        #expect(json["failures"]?[0]?["url"]?.string == server.imageURL(0))
        other.server.route("/moved.json") { _ in .redirect(to: other.feedURL) }
        server.server.route("/moved.json") { _ in .redirect(to: other.feedURL) }
        let moved = try write(
            "feed = \(other.server.url("/moved.json"))\n[feed \"\(server.server.url("/moved.json"))\"]\nmax-redirs = 0\n"
        )
        let outcomes = try await program.run("--config", moved, "--json").json["feeds"]
        #expect(outcomes?[0]?["outcome"]?.string == "updated")
        #expect(outcomes?[1]?["outcome"]?.string == "failed")
    }

    @Test("The proxy, retries and times of a feed's section apply to that feed only")
    func transport() async throws {
        let dead = try DeadPort()
        let proxied = "http://proxied.invalid/feed.json"
        let config = try write(
            """
            feed = \(server.feedURL)
            [feed "\(proxied)"]
            proxy = \(dead.url(""))
            """)
        let result = try await program.run("--config", config, "--json")
        let feeds = try result.json["feeds"]
        #expect(feeds?[0]?["outcome"]?.string == "updated")
        #expect(feeds?[1]?["outcome"]?.string == "failed")
        #expect(feeds?[1]?["error"]?["message"]?.string?.contains("127.0.0.1") == true)

        let flaky = try FeedServer(images: 0)
        flaky.server.route("/feed.json") { _ in Reply(503) }
        server.server.route("/down.json") { _ in Reply(503) }
        let retrying = try write(
            "feed = \(server.server.url("/down.json"))\n[feed \"\(flaky.feedURL)\"]\nretries = 1\n")
        let before = server.requestCount
        // The environment of these tests sets no retries, which would override the file.
        try await program.run("--config", retrying, environment: ["FEEDSYNC_RETRIES": ""])
        #expect(flaky.requestCount == 2)
        #expect(server.requestCount - before == 4)
    }

    @Test("--retry-failed and --revalidate can differ from feed to feed")
    func scope() async throws {
        let other = try FeedServer(images: 2)
        server.serve(images: [0, 1])
        let config = try write("feed = \(server.feedURL)\n[feed \"\(other.feedURL)\"]\nrevalidate\n")
        expectQuiet(try await program.run("--config", config))
        let before = (server.requestCount, other.requestCount)
        expectQuiet(try await program.run("--config", config))
        #expect(server.paths(after: before.0) == ["/feed.json"])
        #expect(other.paths(after: before.1).sorted() == ["/0.png", "/1.png", "/feed.json"])

        server.serve(Reply(404), at: 1)
        other.serve(Reply(404), at: 1)
        try await program.sql("DELETE FROM data")
        let retrying = try write("feed = \(server.feedURL)\n[feed \"\(other.feedURL)\"]\nretry-failed\n")
        try await program.run("--config", retrying)
        let later = (server.requestCount, other.requestCount)
        try await program.run("--config", retrying)
        #expect(server.paths(after: later.0) == ["/feed.json"])
        #expect(other.paths(after: later.1).sorted() == ["/1.png", "/feed.json"])
    }

    @Test("An image that two feeds request in the same way is requested once, whatever else differs")
    func sameWay() async throws {
        server.serve(Reply(404), at: 0)
        let feeds = (1...3).map { "/\($0).json" }
        for feed in feeds { server.server.route(feed, .text(FeedServer.feed([server.imageURL(0)]))) }
        let sections = feeds.enumerated().map { days, feed in
            "[feed \"\(server.server.url(feed))\"]\nmax-age = \(days + 1)d\n"
        }
        let config = try write(sections.joined())
        #expect(try await program.run("--config", config).status == .exited(23))
        #expect(server.paths().filter { $0 == "/0.png" } == ["/0.png"])
    }

    @Test("--max-age can differ from feed to feed")
    func maxAge() async throws {
        try await program.run(server.feedURL)
        try await program.makeStale()
        let config = try write("[feed \"\(server.feedURL)\"]\nmax-age = 30d\n")
        #expect(try await program.status()["feeds"]?[0]?["fresh"] == false)
        #expect(try await program.run("status", "--json", "--config", config).json["feeds"]?[0]?["fresh"] == true)
        #expect(try await program.run("validate", "--json", "--config", config).json["feeds_deleted"] == [])
        let page = program.directory.path("page")
        try await program.run("gallery", page)
        let stale = String(decoding: try Files.bytes("\(page)/index.html"), as: UTF8.self)
        try await program.run("gallery", page, "--config", config)
        #expect(String(decoding: try Files.bytes("\(page)/index.html"), as: UTF8.self) != stale)
        #expect(try await program.run("show", "--offline", server.feedURL).status == .exited(69))
        #expect(try await program.run("show", "--offline", "--config", config, server.feedURL).status == .exited(0))
    }

    @Test("The config file is found in its default location, and --no-config ignores it")
    func usual() async throws {
        try program.directory.makeDirectory(".config")
        try program.directory.makeDirectory(".config/feedsync")
        try program.directory.write("feed = \(server.feedURL)\n", to: ".config/feedsync/config")
        expectQuiet(try await program.run())
        #expect(server.paths() == ["/feed.json", "/0.png"])
        expectOneLine(
            try await program.run("--no-config", "--cache", program.directory.path("other")), exit: 64,
            ["no feed to sync"])
    }

    @Test(
        "A local feed is relative to the config file, whatever directory the run starts in",
        arguments: ["site/config", "link"])
    func relative(name: String) async throws {
        try program.directory.makeDirectory("site")
        try program.directory.write(FeedServer.feed([]), to: "site/feed.json")
        try program.directory.write("feed = feed.json\n", to: "site/config")
        symlink("site/config", program.directory.path("link"))
        let result = try await program.shell(
            #"cd /; exec "$feedsync" --config "$1""#, program.directory.path(name))
        expectQuiet(result)
        let saved = try await program.status()["feeds"]?[0]?["url"]?.string
        #expect(saved == "file://\(program.directory.path("site/feed.json"))")
    }

    @Test("A mistake in the config file ends any command with 78 and its line; a missing file gives 66")
    func mistakes() async throws {
        let config = try write("# mine\nmax-aeg = 7d\n")
        for command in [["status"], ["show", server.feedURL], [server.feedURL], ["validate"]] {
            expectOneLine(
                try await program.run(command + ["--config", config]), exit: 78,
                ["\(config):2: unknown option 'max-aeg' (did you mean max-age?)"])
        }
        #expect(server.requestCount == 0)
        expectOneLine(try await program.run("--config", "/nowhere/config"), exit: 66, ["/nowhere/config"])
    }

    @Test("An unreadable config file is reported, and an endless one is not read forever")
    func unreadable() async throws {
        expectOneLine(
            try await program.run("--config", program.directory.path), exit: 78,
            [program.directory.path, "Is a directory"])
        expectOneLine(try await program.run("--config", "/dev/zero"), exit: 78, ["/dev/zero", "larger than 1M"])
        expectOneLine(try await program.run("--config", "/bin/sh"), exit: 78, ["/bin/sh:", "not UTF-8"])
    }

    @Test("The user name and password of a feed stay in the config file")
    func credentials() async throws {
        let secret = server.feedURL.replacing("http://", with: "http://me:s3cret@")
        let config = try write("feed = \(secret)\n")
        for run in [["-v", "--json"], ["-v", "--json", server.feedURL]] {
            let result = try await program.run(run + ["--config", config])
            #expect(result.status == .exited(0), "\(result.errorText)")
            #expect(!result.outputText.contains("s3cret") && !result.errorText.contains("s3cret"))
        }
        #expect(server.server.requests.allSatisfy { $0.header("authorization") == "Basic bWU6czNjcmV0" })
    }

    @Test("-v reports the outcome of each image, even of cached ones and of unreachable feeds")
    func outcomes() async throws {
        try await program.run(server.feedURL)
        let again = try await program.run("-v", server.feedURL)
        #expect(again.errorText.contains("\(server.imageURL(0)): cached"))
        try await program.sql("DELETE FROM data")
        server.server.route("/feed.json", Reply(503))
        let offline = try await program.run("-v", server.feedURL)
        #expect(offline.errorText.contains("\(server.imageURL(0)): not requested, because its feed is unreachable"))
    }

    @Test("-v reports the steps of saving a feed in their order")
    func steps() async throws {
        try await program.run(server.feedURL)
        server.serve(images: [1])
        let lines = try await program.run("-v", server.feedURL).errorLines.map(String.init)
        let words = [
            "replacing the saved feed", "encoding 1 image", "timestamp 20", "saving", "updated", "downloaded",
        ]
        var rest = lines[...]
        for word in words {
            let place = try #require(rest.firstIndex { $0.contains(word) }, "\(word): \(lines)")
            rest = rest[(place + 1)...]
        }
    }
}
