import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Choice of the client")
struct FetcherRoutingTests {
    @Test(
        "A request goes to the client for its scheme",
        arguments: [("http://a/", 201), ("https://a/", 201), ("file:///a", 202)])
    func routed(_ url: String, _ status: Int) async throws {
        let fetcher = Fetcher(
            ScriptedHTTPClient { _ in .status(201) }, files: ScriptedHTTPClient { _ in .status(202) },
            rules: FetchRules(), clockwork: .real)
        let request = HTTPRequest(url: try Samples.url(url), maxBytes: 10)
        #expect(try await fetcher.get(request, into: RecordedBody()).head.status == status)
    }
}
