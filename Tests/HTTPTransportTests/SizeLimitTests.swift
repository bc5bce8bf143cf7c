import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Size limits of a body", .timeLimit(.minutes(10)))
struct SizeLimitTests {
    static let framings: [(String, Reply.Framing)] = [
        ("/announced", .contentLength), ("/chunked", .chunked(size: 5000)), ("/closed", .untilClosed),
    ]

    @Test("a body above the limit is refused, and one of exactly that size is accepted", arguments: [1000, 200 << 10])
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
            let refusal = FeedError.larger(than: Int64(size - 1), host: "127.0.0.1:\(server.port)").at(.transferring)
            #expect(error == refusal, "\(path)")
            #expect(error.message == "larger than \(size - 1) bytes")
            #expect(sink.bytes.count < size)
        }
    }

    @Test(
        "the message about a large body uses powers of 1024",
        arguments: [
            (1, "1 byte"), (1023, "1023 bytes"), (1024, "1K"), (1536, "1536 bytes"), (64 << 20, "64M"), (3 << 30, "3G"),
            (1 << 40, "1T"), (0, "0 bytes"),
        ] as [(Int64, String)])
    func message(_ limit: Int64, _ text: String) async throws {
        let server = try LoopbackServer("/", Reply(body: [1, 2], framing: .announced(1 << 41), ending: .close))

        let error = await failure(of: try makeRequest(server.url(), maxBytes: limit), by: try makeClient())

        #expect(error?.message == "larger than \(text)")
    }

    @Test("an unwanted body may exceed the limit")
    func unwanted() async throws {
        let server = try LoopbackServer("/", Reply(404, body: pattern(100_000)))
        let request = try makeRequest(server.url(), maxBytes: 10)

        let response = try await makeClient().get(request, into: RecordingSink(isWanted: false))

        #expect(response.head.status == 404)
    }

    @Test("a compressed body for a slow sink does not delay other transfers")
    func bomb() async throws {
        let megabyte = [UInt8](repeating: 0x20, count: 1 << 20)
        let bomb = try await Subprocess.gzip(megabyte)
        let server = try LoopbackServer([
            "/bomb": { _ in Reply(headers: [("Content-Encoding", "gzip")], body: bomb) },
            "/small": { _ in Reply(body: [1]) },
        ])
        let client = try makeClient()
        let gate = Gate()
        let request = try makeRequest(server.url("/bomb"), maxBytes: 1 << 20)
        let sink = RecordingSink(gate: gate)
        async let response = client.get(request, into: sink)
        await gate.waitForArrivals()
        _ = try await client.get(makeRequest(server.url("/small")), into: NullSink())
        gate.open()

        #expect(try await response.bodyBytes == 1 << 20)
        #expect(sink.received(megabyte))
    }
}

/// Returns a Zstandard frame (RFC 8878) of blocks that each expand four bytes to 128 KiB.
func zstdOfSpaces(blocks: Int) -> [UInt8] {
    let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
    let block: [UInt8] = [0x02, 0x00, 0x10, 0x20]
    let last: [UInt8] = [0x03, 0x00, 0x10, 0x20]
    return head + (1..<blocks).flatMap { _ in block } + last
}
