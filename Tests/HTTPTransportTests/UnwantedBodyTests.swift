import FeedCore
import HTTPTransport
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Responses with an unwanted body", .timeLimit(.minutes(10)))
struct UnwantedBodyTests {
    struct Body: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The reply is built anew for each test, which needs gates of its own.
        private let reply: @Sendable () -> Reply

        init(_ description: String, _ reply: @escaping @autoclosure @Sendable () -> Reply) {
            testDescription = description
            self.reply = reply
        }

        func with(_ status: Int, _ header: (name: String, value: String)) -> Reply {
            var reply = reply()
            reply.status = status
            reply.headers.append(header)
            return reply
        }
    }

    static let bodies = [
        Body("cut off at once", .cutOff(after: 0, of: pattern(100))),
        Body("cut off", .cutOff(after: 3, of: pattern(100))),
        Body("cut off late", .cutOff(after: 300_000, of: pattern(400_000))),
        Body("stalled at once", Reply(body: pattern(100), stall: (0, Gate()))),
        Body("stalled", Reply(body: pattern(100), stall: (3, Gate()))),
        Body("stalled late", Reply(body: pattern(400_000), stall: (300_000, Gate()))),
        Body(
            "chunks without an end",
            Reply(body: pattern(300), framing: .chunked(size: 100), ending: .close)),
        Body("long chunks", Reply(body: pattern(400_000), framing: .chunked(size: 8000))),
        Body(
            "broken compression",
            Reply(headers: [("Content-Encoding", "gzip")], body: pattern(100))),
        Body(
            "an unknown encoding", Reply(headers: [("Content-Encoding", "x")], body: [1, 2])),
        Body("over the limit", Reply(body: pattern(600_000))),
        Body("far over the limit", Reply(body: [1], framing: .announced(1 << 40))),
    ]

    private func answer(_ reply: Reply, _ sink: any BodySink = RecordingSink(isWanted: false)) async throws
        -> HTTPResponse
    {
        let server = try LoopbackServer("/from/here", reply)
        let request = try makeRequest(server.url("/from/here"), maxBytes: 500_000)
        let response = try await makeClient().get(request, into: sink)
        #expect(response.redirectTarget.map { $0.replacing(server.url(""), with: "") } == response.head.expectedTarget)
        return response
    }

    @Test("a redirect is reported, whatever happens to its body", arguments: bodies, [301, 302, 303, 307, 308])
    func redirects(_ body: Body, _ status: Int) async throws {
        let response = try await answer(body.with(status, ("Location", "../to?x=1")))

        #expect(response.head.status == status)
    }

    @Test("a failure status is reported, whatever happens to its body", arguments: bodies, [404, 410, 500])
    func failures(_ body: Body, _ status: Int) async throws {
        let sink = RecordingSink(isWanted: false)

        let response = try await answer(body.with(status, ("X-A", "1")), sink)

        #expect(response.head == HTTPHead(status: status) || response.head.isContentEncoded)
        #expect(response.head.status == status)
        #expect(sink.messages == [.begin(response.head)])
    }

    @Test("a Retry-After is reported, whatever happens to the body", arguments: bodies, [429, 503])
    func pauses(_ body: Body, _ status: Int) async throws {
        let response = try await answer(body.with(status, ("Retry-After", "7")))

        #expect(response.head.status == status)
        #expect(response.head.retryAfter == .seconds(7))
    }

    @Test("an unwanted response is delivered before its slow body has ended", arguments: slow)
    func neverEnding(_ body: Body) async throws {
        #expect(try await answer(body.with(404, ("X-A", "1"))).head.status == 404)
    }

    static let slow = [
        Body("chunks", Reply(body: pattern(300), framing: .chunked(size: 100), stall: (200, Gate()))),
        Body("until the end of the connection", Reply(body: pattern(300), framing: .untilClosed, stall: (0, Gate()))),
        Body(
            "compressed", Reply(headers: [("Content-Encoding", "gzip")], body: pattern(100), stall: (50, Gate()))),
        Body("little left of much", Reply(body: pattern(190_000), stall: (189_999, Gate()))),
    ]

    @Test("a declined 200 response is delivered before its body has ended")
    func unwantedByChoice() async throws {
        let sink = RecordingSink(isWanted: false)

        let response = try await answer(Reply(body: pattern(190_000), stall: (189_999, Gate())), sink)

        #expect(response.head.status == 200)
        #expect(sink.messages == [.begin(response.head)])
    }

    @Test("a wanted body of another status is waited for")
    func wantedAndSlow() async throws {
        let gate = Gate()
        let sink = OpeningSink(gate)

        let response = try await answer(Reply(404, body: pattern(100), stall: (50, gate)), sink)

        #expect(response.bodyBytes == 100)
        #expect(sink.chunks.withLock { $0 } == [pattern(100)])
    }

    @Test("a wanted body of another status that breaks off is an error")
    func wanted() async throws {
        let body = try #require(Self.bodies.first { $0.testDescription == "cut off" })
        let server = try LoopbackServer("/", body.with(404, ("X-A", "1")))

        let error = await failure(of: try makeRequest(server.url()), by: try makeClient())

        #expect(error?.kind == .connectivity)
    }

    @Test(
        "a redirect's target is known without its body",
        arguments: [
            ("/a b", "http://a.example/a%20b"), ("//other.example/x", "http://other.example/x"),
            ("https://other.example/x", "https://other.example/x"), ("ftp://other.example/x", "ftp://other.example/x"),
            ("?y", "http://a.example/p/q?y"),
        ])
    func targets(_ location: String, _ target: String) async throws {
        var reply = Reply.cutOff(after: 0, of: [1])
        reply.status = 302
        reply.headers = [("Location", location)]
        let proxy = try LoopbackServer("http://a.example/p/q?x", reply)
        let client = try makeClient { $0.proxy = proxy.url("") }

        let response = try await client.get(
            makeRequest("http://a.example/p/q?x"), into: RecordingSink(isWanted: false))

        #expect(response.redirectTarget == target)
    }
}

/// A sink that opens its gate, and thereby releases the body, when it is asked whether it wants the body.
private final class OpeningSink: BodySink {
    private let gate: Gate
    let chunks = Mutex<[[UInt8]]>([])

    init(_ gate: Gate) { self.gate = gate }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        gate.open()
        return true
    }

    func receive(_ chunk: [UInt8]) throws(FeedError) { chunks.withLock { $0.append(chunk) } }
}

extension HTTPHead {
    fileprivate var expectedTarget: String? { (300..<400).contains(status) ? "/to?x=1" : nil }
}
