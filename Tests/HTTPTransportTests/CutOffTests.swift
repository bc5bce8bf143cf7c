import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("A body that breaks off", .timeLimit(.minutes(10)))
struct CutOffTests {
    static let least = 16 << 10

    @Test(
        "leaves what came of it, for a retry to go on from, if that is enough to begin with",
        arguments: [0, 1, least - 1, least, least + 1, 128 << 10, (128 << 10) + 1, 400_000])
    func partOfBody(_ size: Int) async throws {
        let body = pattern(500_000)
        let server = try LoopbackServer("/", .cutOff(after: size, of: body))
        let sink = RecordingSink()

        let error = await failure(of: try makeRequest(server.url()), by: try makeClient(), into: sink)

        #expect(error?.kind == .connectivity)
        #expect(sink.received(size >= Self.least ? Array(body.prefix(size)) : []))
        #expect(sink.chunkSizes.first ?? Self.least >= Self.least)
    }

    @Test("leaves it too when it stalls")
    func stalls() async throws {
        let body = pattern(100_000)
        let server = try LoopbackServer("/", Reply(body: body, stall: (50_000, Gate())))
        let sink = RecordingSink()
        let client = try makeClient { $0.idleTimeout = .seconds(5) }

        let error = await failure(of: try makeRequest(server.url()), by: client, into: sink)

        #expect(error?.message.contains("arrived") == true)
        #expect(sink.received(Array(body.prefix(50_000))))
    }

    @Test("after some of it was delivered leaves even a little more")
    func littleMore() async throws {
        let size = (256 << 10) + 10
        let server = try LoopbackServer("/", .cutOff(after: size, of: pattern(1_000_000)))
        let sink = RecordingSink()

        _ = await failure(of: try makeRequest(server.url()), by: try makeClient(), into: sink)

        #expect(sink.bytes.count == size)
    }

    @Test("leaves nothing of what was compressed")
    func compressed() async throws {
        // Stored, not compressed: a header, and one block that says it is longer than what comes.
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 0xFF, 0xFF, 0x00, 0x00] + pattern(40_000)
        var reply = Reply.cutOff(after: gzip.count, of: gzip + [0])
        reply.headers = [("Content-Encoding", "gzip")]
        let server = try LoopbackServer("/", reply)
        let sink = RecordingSink()

        let error = await failure(of: try makeRequest(server.url()), by: try makeClient(), into: sink)

        #expect(error?.kind == .connectivity)
        #expect(sink.messages.isEmpty)
    }

    @Test("of an answer that isn't wanted is nobody's concern")
    func unwanted() async throws {
        var reply = Reply.cutOff(after: 20_000, of: pattern(30_000))
        reply.status = 503
        reply.headers = [("Retry-After", "7")]
        let server = try LoopbackServer("/", reply)

        let response = try await makeClient().get(makeRequest(server.url()), into: RecordingSink(isWanted: false))

        #expect(response.head.status == 503)
        #expect(response.head.retryAfter == .seconds(7))
    }
}
