import JSONText
import TestSupport
import Testing

@Suite("Credentials in a URL", .timeLimit(.minutes(5)))
struct CredentialsTests {
    private let program: Program
    private let server: FeedServer
    /// ann, s3cr@t
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

    @Test("are sent to its server, kept in the database, and shown nowhere")
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

    @Test("are kept for a sync that is given the feed without them, or not at all")
    func kept() async throws {
        try await program.run(feed)
        expectQuiet(try await program.run())
        expectQuiet(try await program.run(server.feedURL))
        #expect(server.server.requests.count { $0.header("authorization") == authorization } >= 3)
        #expect(try await program.status()["feeds"]?.array?.count == 1)
        #expect(try await program.sql("SELECT credentials FROM feeds") == "ann:s3cr%40t")
    }

    @Test(
        "stay secret when something goes wrong", arguments: ["404", "503", "invalid", "dead", "bad item", "redirect"])
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
        "stay secret in wrong usage",
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

    @Test("go to no other server along with a feed's images")
    func otherServer() async throws {
        let other = try FeedServer(images: 1)
        server.serve(feedOf: [other.imageURL(0)])
        expectQuiet(try await program.run(feed))
        #expect(other.server.requests.first?.path == "/0.png")
        #expect(other.server.requests.first?.header("authorization") == nil)
    }
}
