import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Bodies that break off", .timeLimit(.minutes(10)))
struct CutOffTests {
    static let least = 16 << 10

    @Test(
        "a large enough part of a body that breaks off is delivered, so that a retry can continue",
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

    @Test("a part of a stalled body is delivered, so that a retry can continue")
    func stalls() async throws {
        let body = pattern(100_000)
        let server = try LoopbackServer("/", Reply(body: body, stall: (50_000, Gate())))
        let sink = RecordingSink()
        let client = try makeClient { $0.idleTimeout = .seconds(5) }

        let error = await failure(of: try makeRequest(server.url()), by: client, into: sink)

        #expect(error?.message.contains("arrived") == true)
        #expect(sink.received(Array(body.prefix(50_000))))
    }

    @Test("the last small part of a body that breaks off is delivered after earlier parts")
    func littleMore() async throws {
        let size = (256 << 10) + 10
        let server = try LoopbackServer("/", .cutOff(after: size, of: pattern(1_000_000)))
        let sink = RecordingSink()

        _ = await failure(of: try makeRequest(server.url()), by: try makeClient(), into: sink)

        #expect(sink.bytes.count == size)
    }

    @Test("no part of a compressed body that breaks off is delivered at its failure")
    func compressed() async throws {
        // The gzip body is stored uncompressed: a header, and one block that announces more bytes than arrive.
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 0xFF, 0xFF, 0x00, 0x00] + pattern(40_000)
        var reply = Reply.cutOff(after: gzip.count, of: gzip + [0])
        reply.headers = [("Content-Encoding", "gzip")]
        let server = try LoopbackServer("/", reply)
        let sink = RecordingSink()

        let error = await failure(of: try makeRequest(server.url()), by: try makeClient(), into: sink)

        #expect(error?.kind == .connectivity)
        #expect(sink.messages.isEmpty)
    }

    @Test("an unwanted body that breaks off causes no error")
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
