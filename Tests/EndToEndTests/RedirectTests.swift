import JSONText
import TestSupport
import Testing

@Suite("Redirects of a feed", .timeLimit(.minutes(10)))
struct RedirectTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    @Test("A redirect is followed, and the feed is saved under the given URL", arguments: [301, 302, 303, 307, 308])
    func followed(_ status: Int) async throws {
        server.server.route("/old", .redirect(status, to: "/feed.json"))
        let url = server.server.url("/old")
        let result = try await program.run(url)
        #expect(result.status == .exited(0) && result.outputText == "")
        let feeds = try await program.status()["feeds"]
        #expect(feeds?.array?.count == 1)
        #expect(feeds?[0]?["url"]?.string == url)
        #expect(feeds?[0]?["images_cached"]?.int == 1)
    }

    @Test("A redirect to a page that is no feed is reported")
    func toLogin() async throws {
        let other = try LoopbackServer("/login?u=1", .text("<!DOCTYPE html><html></html>"))
        server.server.route("/old", .redirect(to: other.url("/login?u=1")))
        expectOneLine(
            try await program.run("show", server.server.url("/old")), exit: 65,
            ["an HTML page", "redirected to \(other.url("/login?u=1"))"])
    }

    @Test("A redirect to a refused target is reported, and the withheld credentials are mentioned")
    func toRefusal() async throws {
        let other = try LoopbackServer("/feed.json", Reply(401))
        server.server.route("/old", .redirect(to: other.url("/feed.json")))
        let url = server.server.url("/old")
        let message = "the server answered HTTP 401, redirected to \(other.url("/feed.json"))"
        expectOneLine(
            try await program.run("show", "-H", "X-Key: s3cret", url), exit: 65,
            ["\(message), and no saved feed stands in; no credentials were sent to \(other.url(""))"])
        expectOneLine(try await program.run("show", url), exit: 65, ["\(message), and no saved feed stands in"])
    }

    @Test("Redirected images give one cause for each server that they lead to")
    func causes() async throws {
        let others = try [FeedServer(images: 2), FeedServer(images: 2)]
        server.serve(feedOf: (0..<4).map(server.imageURL))
        for image in 0..<4 {
            let other = others[image / 2]
            other.serve(Reply(404), at: image)
            server.serve(.redirect(to: other.imageURL(image)), at: image)
        }
        let result = try await program.run(server.feedURL)
        #expect(result.status == .exited(23))
        #expect(result.errorLines.count == 3, "\(result.errorText)")
        for (index, other) in others.enumerated() {
            let said = "2 images from \(other.authority): the server answered HTTP 404"
            let line = "\(said) (first: \(server.imageURL(2 * index)); -v shows each)"
            #expect(result.errorText.contains(line), "\(result.errorText)")
        }
        // The failures count as permanent, as if their own server had sent them.
        let count = others.map(\.requestCount)
        expectQuiet(try await program.run(server.feedURL))
        #expect(others.map(\.requestCount) == count)
    }

    @Test("Redirects are followed as often as --max-redirs allows", arguments: [0, 1, 3])
    func limit(_ limit: Int) async throws {
        for hop in 0..<4 { server.server.route("/\(hop)", .redirect(to: hop == 3 ? "/feed.json" : "/\(hop + 1)")) }
        let near = server.server.url("/\(4 - limit)")
        if limit > 0 { expectQuiet(try await program.run("--max-redirs", "\(limit)", near)) }
        let before = server.requestCount
        let far = server.server.url("/\(3 - limit)")
        let result = try await program.run("--max-redirs", "\(limit)", far)
        #expect(result.status == .exited(65))
        #expect(result.errorText.contains(limit == 1 ? "1 redirect " : "\(limit) redirects "))
        #expect(server.requestCount - before == limit + 1)
    }
}
