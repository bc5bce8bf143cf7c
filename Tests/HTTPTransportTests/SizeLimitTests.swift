import FeedCore
import HTTPTransport
import TestSupport
import Testing

@Suite("A body larger than it may be", .timeLimit(.minutes(1)))
struct SizeLimitTests {
    static let framings: [(String, Reply.Framing)] = [
        ("/announced", .contentLength), ("/chunked", .chunked(size: 5000)), ("/closed", .untilClosed),
    ]

    @Test("is refused, announced or not, and one of just that size isn't", arguments: [1000, 200 << 10])
    func limit(_ size: Int) async throws {
        let server = try LoopbackServer()
        for (path, framing) in Self.framings { server.route(path, Reply(body: pattern(size), framing: framing)) }
        let client = try makeClient()
        for (path, _) in Self.framings {
            let fitting = try makeRequest(server.url(path), maxBytes: Int64(size))
            let tooLarge = try makeRequest(server.url(path), maxBytes: Int64(size - 1))

            #expect(try await client.get(fitting, into: NullSink()).bodyBytes == Int64(size))
            let sink = RecordingSink()
            let error = try #require(await failure(of: tooLarge, by: client, into: sink))
            #expect(error == .invalidData("larger than \(size - 1) bytes", host: "127.0.0.1"), "\(path)")
            #expect(sink.bytes.count < size)
        }
    }

    @Test(
        "is told of in powers of 1024",
        arguments: [
            (1, "1 byte"), (1023, "1023 bytes"), (1024, "1K"), (1536, "1536 bytes"), (64 << 20, "64M"), (3 << 30, "3G"),
            (1 << 40, "1024G"), (0, "0 bytes"),
        ] as [(Int64, String)])
    func message(_ limit: Int64, _ text: String) async throws {
        let server = try LoopbackServer("/", Reply(body: [1, 2], framing: .announced(1 << 41), ending: .close))

        let error = await failure(of: try makeRequest(server.url(), maxBytes: limit), by: try makeClient())

        #expect(error?.message == "larger than \(text)")
    }

    @Test("is nobody's concern when it isn't wanted")
    func unwanted() async throws {
        let server = try LoopbackServer("/", Reply(404, body: pattern(100_000)))
        let request = try makeRequest(server.url(), maxBytes: 10)

        let response = try await makeClient().get(request, into: RecordingSink(isWanted: false))

        #expect(response.head.status == 404)
    }
}
