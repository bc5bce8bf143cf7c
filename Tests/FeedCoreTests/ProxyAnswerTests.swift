import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Response of a proxy itself")
struct ProxyAnswerTests {
    @Test(
        "A response of the proxy itself is reported as the proxy's",
        arguments: ["http://a.example/", "http://b.example/"])
    func asksWhoAsks(asked: String) async throws {
        let client = Fetcher(asking: AskingProxy(), rules: FetchRules(maxRedirects: 1))
        let feeds = RemoteFeedLoader(client: client, decoder: StubDecoder(try Samples.feed()), maxBytes: 9)
        let images = RemoteImageDataLoader(client: client, maxBytes: 9)
        let url = try Samples.url(asked)
        for error in [
            try #require(await #expect(throws: FeedError.self) { try await feeds.load(url) }),
            try #require(await #expect(throws: FeedError.self) { try await images.load(url) }),
        ] {
            let way = asked.contains("b.example") ? "" : ", redirected to http://b.example/"
            #expect(error.message == "the proxy p:3128 asks for a user name and password (HTTP 407)\(way)")
            #expect(error.kind == .invalidData)
            #expect(error.status == 407)
            #expect(error.host == "b.example")
        }
    }
}

/// Forwards requests to one host, which redirects to another.
private final class AskingProxy: HTTPClient {
    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        if request.url.host == "a.example" {
            return HTTPResponse(head: HTTPHead(status: 302), redirectTarget: "http://b.example/")
        }
        var response = HTTPResponse(head: HTTPHead(status: 407))
        response.askingProxy = "p:3128"
        return response
    }
}
