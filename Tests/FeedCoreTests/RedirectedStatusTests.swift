import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Status of a redirect's target")
struct RedirectedStatusTests {
    private static let start = "http://a.example:8080/x"
    private static let target = "http://a.example/x"
    private static let said = "redirected to \(target)"

    /// Redirects to the target, which responds with the status.
    private func client(_ status: Int, _ target: String = target) -> Fetcher {
        let scripted = ScriptedHTTPClient { request in
            request.url.text == Self.start ? .redirect(to: target) : .status(status)
        }
        return Fetcher(asking: scripted, rules: FetchRules(maxRedirects: 10))
    }

    private func feedError(
        _ status: Int, _ target: String = target, from start: String = start, headers: [String] = []
    ) async throws -> FeedError {
        let loader = RemoteFeedLoader(
            client: client(status, target), decoder: StubDecoder(try Samples.feed()), maxBytes: 9,
            identity: OwnCredentials(headers: headers))
        let error = await #expect(throws: FeedError.self) { try await loader.load(try Samples.url(start)) }
        return try #require(error)
    }

    @Test("The error of a redirected feed names the target of the redirect", arguments: [401, 404, 503])
    func feed(status: Int) async throws {
        let error = try await feedError(status)
        #expect(error.message == "the server answered HTTP \(status), \(Self.said)")
        #expect(error.status == status)
        #expect(error.host == "a.example")
    }

    @Test("The error of a redirect omits the query of the target, which may be a signature")
    func signed() async throws {
        let error = try await feedError(404, "http://a.example/x?signature=1")
        #expect(error.message == "the server answered HTTP 404, redirected to http://a.example/x?…")
    }

    @Test("The error of a redirected image names the target of the redirect", arguments: [403, 410, 503])
    func image(status: Int) async throws {
        let loader = RemoteImageDataLoader(client: client(status), maxBytes: 9)
        let url = try Samples.url(Self.start)
        let error = try #require(await #expect(throws: FeedError.self) { try await loader.load(url) })
        #expect(error.message == "the server answered HTTP \(status), \(Self.said)")
        #expect(error.host == "a.example")
    }

    @Test("The error of a redirected further page names the target of the redirect")
    func furtherPage() async throws {
        var first = ScriptedHTTPClient.Answer.ok([1])
        first.head[.link] = "</2>; rel=next"
        let page = first
        let scripted = ScriptedHTTPClient { request in
            switch request.url.text {
            case "http://a.example/1": page
            case "http://a.example/2": .redirect(to: "http://a.example/3")
            default: .status(404)
            }
        }
        let loader = RemoteFeedLoader(
            client: Fetcher(asking: scripted, rules: FetchRules(maxRedirects: 1)),
            decoder: StubDecoder(try Samples.feed()), maxBytes: 9,
            maxPages: 2)
        let url = try Samples.url("http://a.example/1")
        let error = try #require(await #expect(throws: FeedError.self) { try await loader.load(url) })
        let said = "the server answered HTTP 404, redirected to http://a.example/3"
        #expect(error.message == "page 2, http://a.example/2: \(said)")
    }

    @Test("A line for several redirected failures contains only the status")
    func several() async throws {
        #expect(try await feedError(404).withoutRest == "the server answered HTTP 404")
    }

    @Test(
        "The error of a refusal says that credentials were dropped, if they were",
        arguments: [
            (401, target, ["X-Key: 1"], true), (403, target, ["X-Key: 1"], true), (404, target, ["X-Key: 1"], false),
            (503, target, ["X-Key: 1"], false), (401, target, [], false),
            (401, "http://a.example:8080/y", ["X-Key: 1"], false),
            (401, "http://bob:pw@b.example/", ["X-Key: 1"], false),
        ])
    func credentials(_ status: Int, _ target: String, _ headers: [String], isSaid: Bool) async throws {
        let error = try await feedError(status, target, headers: headers)
        #expect(error.message.contains("; no credentials were sent to ") == isSaid, "\(error.message)")
        #expect(!error.message.contains("pw"))
    }

    @Test("The error of a refusal says that credentials of the URL were dropped")
    func ownCredentials() async throws {
        let error = try await feedError(401, from: "http://ann:secret@a.example:8080/x")
        let unsent = "no credentials were sent to http://a.example"
        #expect(error.message == "the server answered HTTP 401, \(Self.said); \(unsent)")
    }
}
