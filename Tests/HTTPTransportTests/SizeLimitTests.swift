import FeedCore
import HTTPTransport
import TestSupport
import Testing

@Suite("A body larger than it may be", .timeLimit(.minutes(10)))
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
            #expect(error == refusal("larger than \(size - 1) bytes").dependingOnSettings(), "\(path)")
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

    @Test("is refused when a few bytes decompress to more than can be held back for a slow sink")
    func bomb() async throws {
        let server = try LoopbackServer([
            "/bomb": { _ in Reply(headers: [("Content-Encoding", "br")], body: brotliOfSpaces) },
            "/small": { _ in Reply(body: [1]) },
        ])
        let client = try makeClient()
        let gate = Gate()
        let bomb = try makeRequest(server.url("/bomb"), maxBytes: 1 << 30)
        async let error = failure(of: bomb, by: client, into: RecordingSink(gate: gate, keepsBytes: false))
        await gate.waitForArrivals()
        // Answered only after all that was read of the other has been decompressed.
        _ = try await client.get(makeRequest(server.url("/small")), into: NullSink())
        gate.open()

        #expect(await error == refusal("decompresses to more at once than can be held back"))
    }
}

private func refusal(_ message: String) -> FeedError {
    FeedError.invalidData(message, host: "127.0.0.1").at(.transferring)
}

/// A Zstandard frame (RFC 8878) of blocks that each stand for 128 KiB in four bytes.
func zstdOfSpaces(blocks: Int) -> [UInt8] {
    let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
    let block: [UInt8] = [0x02, 0x00, 0x10, 0x20]
    let last: [UInt8] = [0x03, 0x00, 0x10, 0x20]
    return head + (1..<blocks).flatMap { _ in block } + last
}

/// Brotli (RFC 7932) of 96 MB of spaces.
let brotliOfSpaces: [UInt8] = [
    0xCF, 0xFF, 0xFF, 0x7F, 0x00, 0x24, 0x40, 0xE2, 0xB1, 0x40, 0x72, 0xEF, 0xFF, 0xF9, 0xFF, 0xFF, 0x0F, 0x80,
    0x04, 0x40, 0x1C, 0x16, 0x80, 0xEE, 0xFD, 0x3F, 0xFF, 0xFF, 0xFF, 0x01, 0x90, 0x00, 0x88, 0xC3, 0x02, 0xD0,
    0xBD, 0xFF, 0xE7, 0xFF, 0xFF, 0x3F, 0x00, 0x12, 0x00, 0x71, 0x58, 0x00, 0xBA, 0xF7, 0xFF, 0xFC, 0xFF, 0xFF,
    0x07, 0x40, 0x02, 0x20, 0x0E, 0x0B, 0x40, 0xF7, 0xFE, 0x3F, 0xFF, 0xFF, 0xFF, 0x01, 0x48, 0x00, 0xC4, 0x61,
    0x01, 0xE8, 0xDE, 0xFF, 0x03,
]
