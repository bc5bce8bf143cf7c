import FeedCore
import TestDoubles
import TestSupport
import Testing

/// Faults of a server in the frames of HTTP/2, below headers and bodies.
@Suite("HTTP/2 frames", .timeLimit(.minutes(10)))
struct FrameTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func client(_ change: (inout NetworkSettings) -> Void = { _ in }) throws -> any HTTPClient {
        try makeClient { settings in
            settings.isInsecure = true
            change(&settings)
        }
    }

    @Test("a response over HTTP/2 arrives completely")
    func served() async throws {
        try directory.write(pattern(10_000), to: "body")
        let server = try await FrameServer([.serve(directory.path("body"))], in: directory)
        let sink = RecordingSink()
        let response = try await client().get(makeRequest(server.url()), into: sink)
        #expect(response.head.status == 200 && response.head.isMultiplexed)
        #expect(sink.received(pattern(10_000)))
    }

    @Test("a request that the server refuses repeatedly fails after a bounded number of attempts")
    func refused() async throws {
        let server = try await FrameServer([.refuse], in: directory)
        let client = try client()
        for _ in 1...3 {
            let before = try server.requestCount
            let error = await failure(of: try makeRequest(server.url()), by: client)
            #expect(error?.kind == .connectivity)
            #expect(try server.requestCount - before <= 12)
        }
    }

    @Test("a request that the server refuses once is repeated on another connection")
    func refusedOnce() async throws {
        try directory.write([1], to: "body")
        let answer = FrameServer.Behaviour.serve(directory.path("body"))
        let server = try await FrameServer([answer, .refuse, answer], in: directory)
        let client = try client()
        for _ in 1...3 { #expect(try await client.get(makeRequest(server.url()), into: NullSink()).bodyBytes == 1) }
        #expect(try server.connectionCount == 2)
    }

    @Test("a server that floods its connection fails only its own requests")
    func flood() async throws {
        let server = try await FrameServer([.flood], in: directory)
        let other = try LoopbackServer("/", Reply(body: [1]))
        let client = try client()
        let request = try makeRequest(server.url())
        async let error = failure(of: request, by: client)
        try await server.waitForRequests(1)
        #expect(try await client.get(makeRequest(other.url()), into: NullSink()).bodyBytes == 1)
        let expected = FeedError.connectivity(
            "the server sends HTTP/2 frames without content", host: "127.0.0.1:\(server.port)")
        #expect(await error == expected.at(.transferring))
        #expect(try await client.get(makeRequest(other.url()), into: NullSink()).bodyBytes == 1)
    }

    @Test("a server that drips empty DATA frames and PINGs counts as hanging")
    func drip() async throws {
        let server = try await FrameServer([.drip], in: directory)
        let client = try client { $0.idleTimeout = .seconds(1) }
        let error = await failure(of: try makeRequest(server.url()), by: client)
        #expect(error?.message == "no data arrived for 1 second")
        #expect(error?.stage == .transferring)
    }

    @Test("a request for a new connection does not use the existing one")
    func anew() async throws {
        try directory.write([1], to: "body")
        let server = try await FrameServer([.serve(directory.path("body"))], in: directory)
        let client = try client()
        var request = try makeRequest(server.url())
        for connections in [1, 1, 2] {
            request.connectsAnew = connections == 2
            _ = try await client.get(request, into: NullSink())
            #expect(try server.connectionCount == connections)
        }
    }
}
