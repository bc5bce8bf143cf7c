import FeedCore
import HTTPTransport
import TestSupport
import Testing

@Suite("An encoding that libcurl doesn't know", .timeLimit(.minutes(10)))
struct UnknownEncodingTests {
    /// As stores of objects, and servers that are set up by guess, say of what isn't encoded at all.
    @Test("leaves the body as it is", arguments: ["aws-chunked", "UTF-8", "binary", "gzip, x"], [1000, 300_000])
    func asItIs(encoding: String, size: Int) async throws {
        let server = try LoopbackServer("/", Reply(headers: [("Content-Encoding", encoding)], body: pattern(size)))
        let client = try makeClient()
        let sink = RecordingSink()

        let response = try await client.get(makeRequest(server.url()), into: sink)

        #expect(response.head.status == 200)
        #expect(sink.bytes == pattern(size))
        #expect(server.requests.count == 2)
    }

    @Test("is forgotten with the next request, whose body is decoded again")
    func forgotten() async throws {
        let server = try LoopbackServer()
        server.route("/odd", Reply(headers: [("Content-Encoding", "x")], body: pattern(10)))
        server.route("/gzip", Reply(headers: [("Content-Encoding", "gzip")], body: gzipOfNothing))
        let client = try makeClient()
        _ = try await client.get(makeRequest(server.url("/odd")), into: NullSink())
        let sink = RecordingSink()
        _ = try await client.get(makeRequest(server.url("/gzip")), into: sink)
        #expect(sink.bytes == [])
        #expect(server.requests.map(\.path) == ["/odd", "/odd", "/gzip"])
    }

    @Test("is held to the limit of a body all the same")
    func tooLarge() async throws {
        let server = try LoopbackServer("/", Reply(headers: [("Content-Encoding", "x")], body: pattern(2000)))
        let error = await failure(of: try makeRequest(server.url(), maxBytes: 1000), by: try makeClient())
        #expect(error?.kind == .invalidData)
    }

    @Test("of an answer whose body nobody wants asks for nothing more")
    func unwanted() async throws {
        let server = try LoopbackServer("/", Reply(404, headers: [("Content-Encoding", "x")], body: pattern(10)))
        let response = try await makeClient().get(makeRequest(server.url()), into: RecordingSink(isWanted: false))
        #expect(response.head.status == 404)
        #expect(server.requests.count == 1)
    }
}
