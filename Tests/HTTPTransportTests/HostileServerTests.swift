import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Hostile servers", .timeLimit(.minutes(10)))
struct HostileServerTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: Reply
        /// The kind of the expected error; nil for a response with `bytes` bytes.
        let kind: FeedError.Kind?
        var bytes: Int64 = 0
        /// Whether endless data is discarded as it arrives, until the time is up.
        var isThrownAway = false

        init(
            _ description: String, _ reply: Reply, _ kind: FeedError.Kind?, bytes: Int64 = 0,
            isThrownAway: Bool = false
        ) {
            testDescription = description
            self.reply = reply
            self.kind = kind
            self.bytes = bytes
            self.isThrownAway = isThrownAway
        }

        /// Whether only a timeout ends the attack.
        var isWaiting: Bool { reply.stall != nil || isThrownAway }
    }

    static let ok = "HTTP/1.1 200 OK\r\n"
    static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    static let manyHeaders = (0..<10_000).map { "X-Header-\($0): 0123456789abcdef0123456789abcdef\r\n" }.joined()

    static let inHead = [
        Attack("silence", .raw("", thenSilent: Gate()), .connectivity),
        Attack("half a status line", .raw("HTTP/1.1 2", thenSilent: Gate()), .connectivity),
        Attack("slow headers", .raw(ok + "X-A: 1\r\nX-", thenSilent: Gate()), .connectivity),
        Attack(
            "slow headers of an interim answer", .raw("HTTP/1.1 103 \r\nX: 1\r\n", thenSilent: Gate()), .connectivity),
        Attack("an interim answer alone", .raw("HTTP/1.1 100 Continue\r\n\r\n", thenSilent: Gate()), .connectivity),
        Attack("10,000 headers", .raw(ok + manyHeaders + "Content-Length: 0\r\n\r\n"), .invalidData),
        Attack("endless headers", .raw(ok, thenEndless: "X-A: 0123456789\r\n"), .invalidData),
        Attack("endless headers of one byte", .raw(ok, thenEndless: "a:\n"), .invalidData),
        Attack("an endless header line", .raw(ok + "X-A: ", thenEndless: "a"), .invalidData),
        Attack("an endless folded header", .raw(ok + "X-A: a\r\n", thenEndless: " a\r\n"), .invalidData),
        Attack("an endless status line", .raw("HTTP/1.1 200 ", thenEndless: "a"), .invalidData),
        Attack("endless 100", .raw("", thenEndless: "HTTP/1.1 100 Continue\r\n\r\n"), .invalidData),
        Attack("endless 103", .raw("", thenEndless: "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n"), .invalidData),
        Attack("endless 199", .raw("", thenEndless: "HTTP/1.1 199 X\r\nContent-Length: 9\r\n\r\n"), .invalidData),
        Attack("switched protocols", .raw("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nabc"), .connectivity),
        Attack(
            "garbage after the status", .raw("HTTP/1.1 200 \u{1}\u{7F}\u{1B}[2J\r\nContent-Length: 1\r\n\r\nx"), nil,
            bytes: 1),
        Attack("garbage as the status", .raw("HTTP/1.1 2x0 OK\r\n\r\nabc"), .connectivity),
        Attack("a status of four digits", .raw("HTTP/1.1 2000 OK\r\n\r\nabc"), .connectivity),
        Attack("an unknown version", .raw("HTTP/7.3 200 OK\r\nContent-Length: 1\r\n\r\nx"), .connectivity),
        Attack("endless garbage", .raw("", thenEndless: "\u{0}garbage"), .connectivity),
        Attack("HTTP/0.9", .raw("<html>hello</html>"), .connectivity),
        Attack("NUL in a header", .raw(ok + "ETag: \"a\0b\"\r\nContent-Length: 1\r\n\r\nx"), .connectivity),
        Attack("a header with no colon", .raw(ok + "nonsense\r\nContent-Length: 1\r\n\r\nx"), .connectivity),
    ]

    static let inBodies = [
        Attack("a slow body", .raw(ok + "Content-Length: 10\r\n\r\na", thenSilent: Gate()), .connectivity),
        Attack("a slow body of unknown length", .raw(ok + "\r\na", thenSilent: Gate()), .connectivity),
        Attack("more than announced", .raw(ok + "Content-Length: 3\r\n\r\nabcdef"), nil, bytes: 3),
        Attack(
            "endlessly more than announced", .raw(ok + "Content-Length: 3\r\n\r\nabc", thenEndless: "d"), nil, bytes: 3),
        Attack("less than announced", .raw(ok + "Content-Length: 10\r\n\r\nabc"), .connectivity),
        Attack("a negative length", .raw(ok + "Content-Length: -5\r\n\r\nabc"), .connectivity),
        Attack("a length that is none", .raw(ok + "Content-Length: abc\r\n\r\nabc"), .connectivity),
        Attack(
            "two lengths, the last too long", .raw(ok + "Content-Length: 3\r\nContent-Length: 9\r\n\r\nabc"),
            .connectivity),
        Attack(
            "two lengths, the last too short", .raw(ok + "Content-Length: 3\r\nContent-Length: 1\r\n\r\nabc"),
            .connectivity),
        Attack(
            "one length twice", .raw(ok + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"), nil, bytes: 3),
        Attack("two lengths in a line", .raw(ok + "Content-Length: 3, 5\r\n\r\nabc"), .connectivity),
        Attack("one length twice in a line", .raw(ok + "Content-Length: 3, 3\r\n\r\nabc"), nil, bytes: 3),
        Attack("a length with more behind it", .raw(ok + "Content-Length: 3junk\r\n\r\nabc"), .connectivity),
        Attack(
            "a length that goes on in the next line", .raw(ok + "Content-Length: 3\r\n 1\r\n\r\nabc"), .connectivity),
        Attack(
            "a length that is no text", .raw(Array("\(ok)Content-Length: 3".utf8) + [0xE9] + Array("\r\n\r\nabc".utf8)),
            .connectivity),
        Attack(
            "two lengths in a line, and chunks",
            .raw(ok + "Content-Length: 1, 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), nil, bytes: 3),
        Attack("the largest length", .raw(ok + "Content-Length: 9223372036854775807\r\n\r\nabc"), .invalidData),
        Attack(
            "a length beyond all numbers", .raw(ok + "Content-Length: 99999999999999999999\r\n\r\n", thenEndless: "a"),
            .invalidData),
        Attack("an endless body", .raw(ok + "\r\n", thenEndless: "a"), .invalidData),
        Attack("an endless body in chunks of a byte", .raw(chunked, thenEndless: "1\r\na\r\n"), .invalidData),
        Attack("a body with 204", .raw("HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nhello"), nil),
        Attack("a body with 304", .raw("HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\nhello"), nil),
        Attack("chunks of a negative size", .raw(chunked + "-1\r\nabc\r\n0\r\n\r\n"), .connectivity),
        Attack("chunks of a huge size", .raw(chunked + "fffffffffffffffff\r\nabc"), .connectivity),
        Attack("chunks of no size", .raw(chunked + "\r\n\r\nabc"), .connectivity),
        Attack("an endless chunk size", .raw(chunked, thenEndless: "0"), .connectivity),
        Attack("a chunk longer than its size", .raw(chunked + "2\r\nabcdef\r\n0\r\n\r\n"), .connectivity),
        Attack("an endless chunk extension", .raw(chunked + "3;", thenEndless: "a"), .connectivity, isThrownAway: true),
        Attack("endless trailers", .raw(chunked + "0\r\n", thenEndless: "X-A: b\r\n"), .invalidData),
        Attack("an endless trailer", .raw(chunked + "0\r\nX-A: ", thenEndless: "b"), .connectivity),
        Attack("chunks without an end", .raw(chunked + "3\r\nabc\r\n"), .connectivity),
        Attack("an unknown transfer encoding", .raw(ok + "Transfer-Encoding: x\r\n\r\nabc"), .invalidData),
        Attack("an unknown encoding", .raw(ok + "Content-Encoding: x\r\nContent-Length: 3\r\n\r\nabc"), nil, bytes: 3),
        Attack(
            "encodings upon encodings",
            .raw(ok + "Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip\r\n\r\nabc"), .invalidData),
        Attack(
            "an encoding upon one of the transfer",
            .raw(ok + "Transfer-Encoding: zstd, chunked\r\nContent-Encoding: gzip\r\n\r\nabc"), .invalidData),
        Attack("a large window", .raw(ok + "Transfer-Encoding: zstd, chunked\r\n\r\nabc"), .invalidData),
        Attack("compressed by more than is offered", .raw(ok + "Content-Encoding: br\r\n\r\nabc"), .invalidData),
        Attack(
            "a bomb",
            Reply(headers: [("Content-Encoding", "zstd")], body: zstdOfSpaces(blocks: 100_000)), .invalidData),
    ]

    @Test("hostile headers end in the expected error", arguments: inHead)
    func inHeaders(_ attack: Attack) async throws { try await withstand(attack) }

    @Test("a hostile body ends in the expected error", arguments: inBodies)
    func inBody(_ attack: Attack) async throws { try await withstand(attack) }

    private func withstand(_ attack: Attack) async throws {
        let server = try LoopbackServer([
            "/": { _ in attack.reply }, "/good": { _ in Reply(body: Array("good".utf8)) },
        ])
        let client = try makeClient { if attack.isWaiting { $0.idleTimeout = .milliseconds(200) } }
        let sink = RecordingSink()
        do throws(FeedError) {
            let response = try await client.get(try makeRequestOfLittle(server.url()), into: sink)
            #expect(attack.kind == nil, "it ended with \(response)")
            #expect(response.bodyBytes == attack.bytes)
            #expect(Int64(sink.bytes.count) == attack.bytes)
        } catch {
            #expect(error.kind == attack.kind, "\(error.message)")
            #expect(error.stage == .transferring || attack.isWaiting && error.stage == .waiting, "\(error)")
            #expect(sink.bytes.count <= 1 << 20)
        }
        // Unread data is not held: beyond this, only the kernel buffers data for both sides.
        #expect(attack.isThrownAway || server.bytesSent < 32 << 20, "\(server.bytesSent)")
        // The client still works, although a kept connection may turn out to be broken.
        var good = RecordingSink()
        for _ in 0..<20 where good.bytes.isEmpty {
            good = RecordingSink()
            let error = await failure(of: try makeRequest(server.url("/good")), by: client, into: good)
            #expect(error == nil || error?.kind == .connectivity)
        }
        #expect(good.bytes == Array("good".utf8))
    }

    private func makeRequestOfLittle(_ url: String) throws(FeedError) -> HTTPRequest {
        do { return try makeRequest(url, maxBytes: 1 << 20) } catch { throw .invalidData("\(error)") }
    }

    static let answers = [
        ("announced", ok + "ETag: \"a\"\r\nContent-Length: 5\r\n\r\nhello"),
        ("chunked", chunked + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
        ("interim", "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" + ok + "Content-Length: 5\r\n\r\nhello"),
    ]

    @Test(
        "a response that is cut off at any byte ends in an error or is complete", arguments: answers,
        [Reply.Ending.close, .reset])
    func cutOffs(_ answer: (name: String, text: String), _ ending: Reply.Ending) async throws {
        let bytes = Array(answer.text.utf8)
        let server = try LoopbackServer()
        for count in 0...bytes.count { server.route("/\(count)", .raw(Array(bytes[..<count]), ending: ending)) }
        let client = try makeClient()
        for count in 0..<bytes.count {
            let sink = RecordingSink()
            let error = await failure(of: try makeRequest(server.url("/\(count)")), by: client, into: sink)
            // The last line break of a chunked body is redundant.
            if error == nil, count == bytes.count - 1, sink.bytes == Array("hello".utf8) { continue }
            #expect(error?.kind == .connectivity, "\(count): \(error?.message ?? "no error")")
            #expect(error?.stage == .transferring, "\(count)")
        }
        guard case .close = ending else { return }
        let whole = RecordingSink()
        _ = try await client.get(makeRequest(server.url("/\(bytes.count)")), into: whole)
        #expect(whole.bytes == Array("hello".utf8))
    }

    /// The beginnings of handshakes: one of an endless ServerHello record, and one of another protocol.
    static let handshakes: [(name: String, reply: Reply)] = [
        ("closed", .raw("")), ("reset", .raw("", ending: .reset)), ("silent", .raw("", thenSilent: Gate())),
        ("half and closed", .raw("\u{16}\u{3}\u{3}\0\u{7A}\u{2}\0\0\u{76}\u{3}\u{3}abc")),
        ("half and reset", .raw("\u{16}\u{3}\u{3}\0\u{7A}\u{2}\0\0\u{76}\u{3}\u{3}abc", ending: .reset)),
        ("half and silent", .raw("\u{16}\u{3}\u{3}\0\u{7A}\u{2}\0\0\u{76}\u{3}\u{3}abc", thenSilent: Gate())),
        ("plain HTTP", .raw(ok + "\r\n")), ("endless garbage", .raw("", thenEndless: "\u{16}\u{3}\u{3}garbage")),
        ("endless warnings", .raw("", thenEndless: "\u{15}\u{3}\u{3}\0\u{2}\u{1}\0")),
    ]

    @Test("a TLS handshake that breaks off anywhere ends in an error", arguments: handshakes)
    func handshake(_ name: String, _ reply: Reply) async throws {
        let server = try LoopbackServer(greeting: reply)
        let client = try makeClient { $0.connectTimeout = .milliseconds(200) }

        let error = try #require(
            await failure(of: makeRequest("https://127.0.0.1:\(server.port)/"), by: client))

        #expect(error.kind == .connectivity)
        #expect(error.stage == .connecting, "\(error.message)")
        #expect(server.bytesSent < 32 << 20)
    }
}
