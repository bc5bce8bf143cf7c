import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Credentials in a URL", .timeLimit(.minutes(10)))
struct CredentialsTests {
    private let program: Program
    private let server: FeedServer
    /// The header of the user ann with the password s3cr@t.
    private let authorization = "Basic YW5uOnMzY3JAdA=="

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    private var feed: String { withCredentials(server.feedURL) }

    private func withCredentials(_ url: String) -> String { url.replacing("http://", with: "http://ann:s3cr%40t@") }

    private func expectSecret(_ result: ProcessResult, sourceLocation: SourceLocation = #_sourceLocation) {
        for secret in ["s3cr", "ann:", "ann@", "YW5u"] {
            #expect(!result.outputText.contains(secret), "\(result.outputText)", sourceLocation: sourceLocation)
            #expect(!result.errorText.contains(secret), "\(result.errorText)", sourceLocation: sourceLocation)
        }
    }

    @Test("Credentials in a feed's URL are sent to its server, kept in the database, and printed nowhere")
    func secret() async throws {
        server.serve(feedOf: [server.imageURL(0), withCredentials(server.imageURL(1)), server.imageURL(2)])
        for command in [
            ["sync", "-v", "--json", feed], ["sync", "-n", "-v", feed], ["show", feed], ["show", "--json", feed],
            ["show", "--offline", "--json", feed], ["status"], ["status", "--json"],
            ["image", withCredentials(server.imageURL(2))], ["validate", "-n", "--max-age", "0s"],
            ["validate", "-v", "--json", "--max-age", "0s"],
        ] {
            expectSecret(try await program.run(command))
        }
        let requests = server.server.requests
        #expect(requests.filter { $0.path == "/feed.json" }.allSatisfy { $0.header("authorization") == authorization })
        #expect(requests.contains { $0.path == "/1.png" && $0.header("authorization") == authorization })
    }

    @Test("Credentials are printed nowhere if item ids repeat the feed's URL in a loose spelling")
    func loose() async throws {
        let ids = ["https:ann:s3cret@h", "HTTP:\\\\\\\\ann:s3cret@h/", " ht\\ttp:/ann:s3cret@h/2"]
        let items = ids.enumerated().map { #"{"id":"\#($1)","image":"/\#($0).png"}"# }.joined(separator: ",")
        server.serve(images: [0, 1, 2])
        server.serve(feed: #"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[\#(items)]}"#)
        try await program.run(server.feedURL)
        for olderCache in [false, true] {
            if olderCache {
                try await program.sql("UPDATE items SET item_id = 'https:ann:s3cret@h' WHERE position = 1")
            }
            expectSecret(try await program.run("show", "--offline", "--json", server.feedURL))
            expectSecret(try await program.run("export", "-"))
        }
    }

    @Test("A feed that is named twice has the credentials of either mention")
    func twice() async throws {
        expectQuiet(try await program.run(server.feedURL, feed))
        let requests = server.server.requests.filter { $0.path == "/feed.json" }
        #expect(requests.map { $0.header("authorization") } == [authorization])
    }

    @Test("The saved credentials are used if a sync names the feed without them, or not at all")
    func kept() async throws {
        try await program.run(feed)
        expectQuiet(try await program.run())
        expectQuiet(try await program.run(server.feedURL))
        #expect(server.server.requests.count { $0.header("authorization") == authorization } >= 3)
        #expect(try await program.status()["feeds"]?.array?.count == 1)
        #expect(try await program.sql("SELECT credentials FROM feeds") == "ann:s3cr%40t")
    }

    @Test("New credentials apply to images at the feed's origin, although the feed is unchanged")
    func renewed() async throws {
        let body = #"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","image":"/1.png"}]}"#
        server.server.route(
            "/feed.json", Reply(200, headers: [(name: "ETag", value: "\"1\"")], body: Array(body.utf8)))
        try await program.run("show", server.feedURL.replacing("http://", with: "http://ann:old@"))
        expectQuiet(try await program.run(server.feedURL.replacing("http://", with: "http://ann:new@")))
        #expect(server.server.requests.allSatisfy { $0.header("if-none-match") == nil })
        #expect(try await program.sql("SELECT DISTINCT credentials FROM items") == "ann:new")
        let last = try #require(server.server.requests.last)
        #expect(last.path == "/1.png" && last.header("authorization") == "Basic YW5uOm5ldw==")
    }

    @Test(
        "Credentials stay secret in error messages",
        arguments: ["404", "503", "invalid", "dead", "bad item", "redirect"])
    func failing(_ trouble: String) async throws {
        let dead = try DeadPort()
        var url = feed
        switch trouble {
        case "404": server.server.route("/feed.json", Reply(404))
        case "503": server.server.route("/feed.json", Reply(503))
        case "invalid": server.serve(feed: "{")
        case "dead": url = withCredentials(dead.url("/feed.json"))
        case "bad item": server.serve(feedOf: ["http://ann:s3cr@t@h:x/1.png"])
        default: server.server.route("/feed.json", .redirect(to: "http://ann:s3cr@t@h:x/"))
        }
        for command in ["sync", "show"] {
            let result = try await program.run(command, "-v", url)
            #expect([65, 69].contains(result.exitCode))
            expectSecret(result)
        }
    }

    @Test(
        "Credentials stay secret in messages about wrong usage",
        arguments: [
            "http://ann:s3cr@t@h:x/", "ftp://ann:s3cret@h/", "http://ann:s3cret@", "http://ann:s3c ret@h/",
            "http://ann:s3cret@h:99999/",
        ])
    func usage(_ url: String) async throws {
        let result = try await program.run(url)
        #expect(result.status == .exited(64), "\(result.errorText)")
        expectSecret(result)
        expectSecret(try await program.run("show", "http://h/", url))
    }

    @Test("Credentials are not sent to another server with a feed's images")
    func otherServer() async throws {
        let other = try FeedServer(images: 1)
        server.serve(feedOf: [other.imageURL(0)])
        expectQuiet(try await program.run(feed))
        #expect(other.server.requests.first?.path == "/0.png")
        #expect(other.server.requests.first?.header("authorization") == nil)
    }
}

@Suite("Secrets from the command line", .timeLimit(.minutes(10)))
struct SecretsTests {
    private let program: Program
    private let server: FeedServer
    private let other: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
        other = try FeedServer(images: 3)
    }

    /// Serves a feed with an image at its own server, one at another server, one that redirects there, and one that
    /// comes back.
    private func serveImagesAllOver() {
        server.serve(feedOf: [
            server.imageURL(0), other.imageURL(0), server.server.url("/away.png"), server.server.url("/and-back.png"),
        ])
        server.server.route("/away.png", .redirect(to: other.imageURL(1)))
        server.server.route("/and-back.png", .redirect(to: other.server.url("/back.png")))
        other.server.route("/back.png", .redirect(to: server.server.url("/back.png")))
        server.server.route("/back.png", .png(7))
    }

    private func expectSecret(_ header: String, _ value: String, _ arguments: [String]) async throws {
        serveImagesAllOver()
        let result = try await program.run(["sync", "-v"] + arguments + [server.feedURL])
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(!result.errorText.contains("s3cret"))
        for request in server.server.requests {
            #expect((request.header(header) == value) == (request.path != "/back.png"), "\(request.path)")
        }
        #expect(server.requestCount == 5)
        #expect(other.requestCount == 3)
        #expect(other.server.requests.allSatisfy { $0.header(header) == nil })
    }

    @Test("Headers go to the feed's own origin only, even after a redirect back to it")
    func headers() async throws {
        try await expectSecret("x-key", "s3cret", ["-H", "X-Other: 1", "-H", "X-Key: s3cret"])
        #expect(server.server.requests.first?.header("x-other") == "1")
    }

    @Test("Netrc entries go to the feed's own origin only, although they name just the host")
    func netrc() async throws {
        let file = try program.directory.write("machine 127.0.0.1 login ann password s3cret\n", to: "netrc")
        try await expectSecret("authorization", "Basic YW5uOnMzY3JldA==", ["--netrc-file", file])
    }

    @Test(
        "A missing file of netrc entries or authorities is reported as not found and ends the run",
        arguments: ["--netrc-file", "--cacert"])
    func missingFile(option: String) async throws {
        try await program.run(server.feedURL)
        let before = server.requestCount
        let path = program.directory.path("nowhere")
        expectOneLine(try await program.run(option, path, server.feedURL), exit: 66, [option, path])
        expectOneLine(try await program.run("show", option, path, server.feedURL), exit: 66, [option, path])
        #expect(server.requestCount == before)
        #expect(try await program.run("show", "--offline", option, path, server.feedURL).status == .exited(0))
    }

    @Test(
        "A FIFO as the netrc file is refused at once, because only the first request could read it",
        arguments: ["--netrc-file", "--cacert"])
    func pipe(option: String) async throws {
        let path = program.directory.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        expectOneLine(try await program.run(option, path, server.feedURL), exit: 66, [option, path])
        #expect(server.requestCount == 0)
    }

    @Test(
        "An unreadable file of netrc entries or authorities is reported with the reason",
        arguments: ["--netrc-file", "--cacert"])
    func unreadable(option: String) async throws {
        let file = try program.directory.write("machine h login ann password s3cret\n", to: "kept")
        #expect(chmod(file, 0) == 0)
        let kept = try await program.runBound(option, file, server.feedURL)
        expectOneLine(kept, exit: 66, ["\(option): \(file) can't be read as a file: Permission denied"])
        let directory = try await program.run(option, program.directory.path, server.feedURL)
        expectOneLine(directory, exit: 66, ["can't be read as a file: it is a directory"])
    }

    @Test("An unusable ~/.netrc is reported if --netrc asks for it")
    func usualPipe() async throws {
        let path = program.directory.path(".netrc")
        #expect(mkfifo(path, 0o600) == 0)
        expectOneLine(try await program.run("--netrc", server.feedURL), exit: 66, ["--netrc", path])
        try await program.run(server.feedURL)
    }

    @Test("A file of authorities without any counts as not found, even with a saved copy")
    func uselessFile() async throws {
        let file = try program.directory.write("no certificate\n", to: "ca.pem")
        let url = server.feedURL.replacing("http:", with: "https:")
        try await program.run(server.feedURL)
        try await program.sql("UPDATE feeds SET url = '\(url)'")
        let result = try await program.run("--cacert", file, url)
        #expect(result.status == .exited(66), "\(result.errorText)")
        #expect(result.errorText.contains(file))
    }

    @Test("A machine without certificate authorities gets a hint about how to install them")
    func noAuthorities() async throws {
        let result = try await program.shellWithOwnMounts(
            #"mount -t tmpfs none /etc/ssl/certs || exit 99; "$feedsync" show "$1""#,
            server.feedURL.replacing("http:", with: "https:"))
        expectOneLine(result, exit: 66, ["/ca-certificates.crt: install ca-certificates, or give --cacert"])
    }

    @Test("An entry of ~/.netrc is used only with --netrc")
    func home() async throws {
        try program.directory.write("machine 127.0.0.1 login ann password s3cret\n", to: ".netrc")
        try await program.run(server.feedURL)
        #expect(server.server.requests.allSatisfy { $0.header("authorization") == nil })
        let before = server.requestCount
        try await program.run("--netrc", server.feedURL)
        #expect(server.server.requests.dropFirst(before).first?.header("authorization") == "Basic YW5uOnMzY3JldA==")
    }

    @Test("Secrets are not sent to a feed from an archive until a user has named it")
    func imported() async throws {
        let source = try Program()
        expectQuiet(try await source.run(server.feedURL))
        let archive = try await source.run("export", "-").standardOutput
        let netrc = try program.directory.write("machine 127.0.0.1 login ann password s3cret\n", to: "netrc")
        let secrets = ["-H", "X-Key: s3cret", "--netrc-file", netrc]
        func expectSent(_ isSent: Bool, _ arguments: [String]) async throws {
            let before = server.requestCount
            expectQuiet(try await program.run(["sync", "--revalidate"] + secrets + arguments))
            let requests = server.server.requests.dropFirst(before)
            #expect(requests.map(\.path) == ["/feed.json", "/0.png"])
            #expect(requests.allSatisfy { ($0.header("x-key") == "s3cret") == isSent })
            #expect(requests.allSatisfy { ($0.header("authorization") != nil) == isSent })
        }
        try await program.run("import", "-", input: archive)
        let before = server.requestCount
        for _ in 0..<2 { _ = try await program.run(["sync", "--revalidate"] + secrets) }
        #expect(server.requestCount == before)
        try await expectSent(true, [server.feedURL])
        try await expectSent(true, [])
    }

    @Test("A feed from an archive gets secrets as long as the config file names it")
    func importedAndConfigured() async throws {
        try await program.run(server.feedURL)
        let archive = try await program.run("export", "-").standardOutput
        let other = try Program()
        try await other.run("import", "-", input: archive)
        let file = try other.directory.write("feed = \(server.feedURL)\n", to: "list")
        let before = server.requestCount
        expectQuiet(try await other.run("sync", "-H", "X-Key: s3cret", "--config", file))
        #expect(server.server.requests.dropFirst(before).map { $0.header("x-key") } == ["s3cret", "s3cret"])
    }

    @Test("An image that is requested by itself gets no secrets")
    func image() async throws {
        server.server.route("/away.png", .redirect(to: other.imageURL(1)))
        let result = try await program.run("image", "-H", "X-Key: s3cret", server.server.url("/away.png"))
        #expect(result.standardOutput == FeedServer.image(1))
        #expect(server.server.requests.map { $0.header("x-key") } == [nil])
        #expect(other.server.requests.map { $0.header("x-key") } == [nil])
    }

    @Test("Secrets in a wrong command line are not printed", arguments: ["s3cret", "X: s3cret\nY: 1"])
    func usage(line: String) async throws {
        let result = try await program.run("-H", line, server.feedURL)
        expectOneLine(result, exit: 64, ["-H", "X-Key: 1"])
        #expect(!result.errorText.contains("s3cret"))
    }

    @Test("A proxy is asked for hosts without an address here")
    func proxy() async throws {
        let feed = "http://feeds.invalid/feed.json"
        server.server.route(feed, .text(FeedServer.feed(["http://feeds.invalid/1.png"])))
        server.server.route("http://feeds.invalid/1.png", .png(1))
        expectQuiet(try await program.run("--proxy", "http://ann:s3cret@127.0.0.1:\(server.server.port)", feed))
        #expect(server.requestCount == 2)
    }

    @Test("--insecure prints one warning in each run")
    func insecure() async throws {
        let result = try await program.run("--insecure", server.feedURL)
        expectOneLine(result, exit: 0, ["--insecure", "certificates are not verified"])
        expectQuiet(try await program.run("-q", "--insecure", server.feedURL))
        let list = try program.directory.write(
            "<opml><body><outline xmlUrl='\(server.feedURL)'/></body></opml>", to: "o")
        expectOneLine(
            try await program.run("--insecure", "--allow-private", "--opml", list), exit: 0,
            ["certificates are not verified"])
    }

    @Test("A missing file of secrets is reported before the cache is created or its lock is awaited")
    func trustFirst() async throws {
        let arguments = ["--insecure", "--cacert", "nowhere.pem", server.feedURL]
        expectOneLine(try await program.run(arguments), exit: 66, ["--cacert: there is no such file: nowhere.pem"])
        #expect(!Files.exists(program.cache))
        expectQuiet(try await program.run("-q", server.feedURL))
        let lock = try HeldLock(of: program)
        expectOneLine(try await program.run(arguments), exit: 66, ["--cacert"])
        withExtendedLifetime(lock) {}
    }
}
