import JSONText
import TestSupport
import Testing

/// Host names that no local resolver knows.
///
/// The requests go through a proxy, which records them.
@Suite("A host beyond ASCII", .timeLimit(.minutes(15)))
struct InternationalHostTests {
    private let program: Program
    private let proxy: LoopbackServer
    private let feed = "http://ann:s3cr%40t@straße.test/feed.json"

    init() throws {
        program = try Program()
        proxy = try LoopbackServer()
        proxy.route("http://xn--strae-oqa.test/0.png", .png(0))
        proxy.route("http://xn--strae-oqa.test/1.png", .redirect(to: "http://straẞe.test/1.png"))
        for number in [1, 2] { proxy.route("http://strasse.test/\(number).png", .png(number)) }
    }

    private func serve(images: [String]) {
        proxy.route("http://xn--strae-oqa.test/feed.json", .text(FeedServer.feed(images)))
    }

    @Test("A host beyond ASCII gets its password, header and netrc entry, and a lookalike gets none")
    func secrets() async throws {
        serve(images: ["http://straße.test/0.png", "http://straße.test/1.png", "http://straẞe.test/2.png"])
        expectQuiet(try await program.run("--proxy", proxy.url(""), "-H", "X-Key: k", feed))
        #expect(proxy.requests.count == 5)
        for request in proxy.requests {
            let isFeeds = request.path.hasPrefix("http://xn--strae-oqa.test/")
            #expect((request.header("authorization") != nil) == isFeeds, "\(request.path)")
            #expect((request.header("x-key") != nil) == isFeeds, "\(request.path)")
        }
        let shown = try await program.run("show", "--offline", "http://xn--strae-oqa.test/feed.json")
        #expect(shown.exitCode == 0, "\(shown.errorText)")
    }

    @Test(
        "A host beyond ASCII that means localhost is refused through a proxy",
        arguments: ["ｌｏｃａｌｈｏｓｔ", "local\u{AD}host", "foo.ｌocalhost"])
    func localhost(_ host: String) async throws {
        serve(images: ["http://\(host)/0.png"])
        let result = try await program.run("--proxy", proxy.url(""), feed)
        #expect(result.exitCode == 23)
        #expect(result.errorText.contains("--allow-private"), "\(result.errorText)")
        #expect(proxy.requests.allSatisfy { $0.path.hasSuffix("/feed.json") })
    }
}
