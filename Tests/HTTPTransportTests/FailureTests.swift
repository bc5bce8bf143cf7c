import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Failed transfers", .timeLimit(.minutes(10)))
struct FailureTests {
    struct Misbehaviour: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: Reply
        var kind = FeedError.Kind.connectivity
    }

    static let misbehaviours = [
        Misbehaviour(testDescription: "cut off", reply: .cutOff(after: 500, of: pattern(1000))),
        Misbehaviour(testDescription: "reset", reply: .cutOff(after: 500, of: pattern(1000), ending: .reset)),
        Misbehaviour(testDescription: "cut off before the body", reply: .cutOff(after: 0, of: pattern(1000))),
        Misbehaviour(
            testDescription: "chunks without an end",
            reply: Reply(body: pattern(1000), framing: .chunked(size: 100), ending: .close)),
        Misbehaviour(
            testDescription: "chunks that are none",
            reply: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")),
        Misbehaviour(testDescription: "no answer at all", reply: .raw("")),
        Misbehaviour(testDescription: "no HTTP", reply: .raw("SSH-2.0-OpenSSH_9.2\r\n")),
        Misbehaviour(testDescription: "cut off within the headers", reply: .raw("HTTP/1.1 200 OK\r\nETag: \"")),
        Misbehaviour(
            testDescription: "broken compression",
            reply: Reply(headers: [("Content-Encoding", "gzip")], body: pattern(1000)), kind: .invalidData),
        Misbehaviour(
            testDescription: "compressed, and cut off where nothing tells but that",
            reply: Reply(headers: [("Content-Encoding", "gzip")], body: gzipOfNothing + [0x1F]),
            kind: .connectivity),
        Misbehaviour(
            testDescription: "headers without end",
            reply: .raw("HTTP/1.1 200 OK\r\n" + String(repeating: "X-A: 0123456789abcdef\r\n", count: 30_000)),
            kind: .invalidData),
    ]

    @Test("a malformed response is reported as the server's fault", arguments: misbehaviours)
    func misbehaving(_ misbehaviour: Misbehaviour) async throws {
        let server = try LoopbackServer("/", misbehaviour.reply)

        let error = try #require(await failure(of: makeRequest(server.url()), by: makeClient()))

        #expect(error.kind == misbehaviour.kind, "\(error)")
        #expect(error.stage == .transferring)
        #expect(error.host == "127.0.0.1:\(server.port)")
        #expect(!error.message.isEmpty)
    }

    @Test("an error names the bytes behind the end of a compressed body")
    func behindCompressed() async throws {
        let body = gzipOfNothing + [0, 0]
        let server = try LoopbackServer("/", Reply(headers: [("Content-Encoding", "gzip")], body: body))

        let error = await failure(of: try makeRequest(server.url()), by: try makeClient())

        #expect(error?.message == "the compressed body goes on behind its end")
    }

    @Test("a large body that breaks off after its first part is an error")
    func largeBodyCutOff() async throws {
        let server = try LoopbackServer("/", .cutOff(after: 1_000_000, of: pattern(2_000_000)))
        let sink = RecordingSink()

        let error = try #require(await failure(of: makeRequest(server.url()), by: makeClient(), into: sink))

        #expect(error.kind == .connectivity)
        #expect(sink.bytes.count < 2_000_000)
    }

    @Test("a refused connection is an error")
    func refused() async throws {
        let dead = try DeadPort()

        let error = try #require(await failure(of: makeRequest(dead.url()), by: makeClient()))

        #expect(error.kind == .connectivity)
        #expect(error.stage == .connecting)
        #expect(error.host == "127.0.0.1:\(dead.port)")
        #expect(error.message.contains("connect"), "\(error.message)")
    }

    @Test("an unknown host name is an error")
    func unknownHost() async throws {
        let error = try #require(
            await failure(of: makeRequest("http://nowhere.invalid/"), by: makeClient()))

        #expect(error.kind == .connectivity)
        #expect(error.stage == .connecting)
        #expect(error.host == "nowhere.invalid")
    }

    @Test("a connection that takes too long is an error")
    func connectTimeout() async throws {
        let dead = try DeadPort(isSilent: true)
        let client = try makeClient { $0.connectTimeout = .milliseconds(50) }

        let error = try #require(await failure(of: makeRequest(dead.url()), by: client))

        #expect(error.kind == .connectivity)
        #expect(error.stage == .connecting)
    }

    @Test(
        "a response without data for too long is an error, at its first byte and later",
        arguments: [nil, 0, 1000, 200_000])
    func idle(_ stallAfter: Int?) async throws {
        let gate = Gate()
        let reply =
            if let stallAfter {
                Reply(body: pattern(400_000), stall: (stallAfter, gate))
            } else {
                Reply(body: pattern(10), gate: gate)
            }
        let server = try LoopbackServer(["/stalls": { _ in reply }])
        let client = try makeClient { $0.idleTimeout = .milliseconds(100) }
        let request = try makeRequest(server.url("/stalls"))

        let first = await failure(of: request, by: client)
        // This request leaves a connection for reuse.
        _ = await failure(of: try makeRequest(server.url("/other")), by: client)
        let second = await failure(of: request, by: client)

        let silence = FeedError.connectivity("no data arrived for 100 ms", host: "127.0.0.1:\(server.port)")
            .at(.waiting)
        let little = FeedError.connectivity("less than 1 KiB arrived in 100 ms", host: silence.host).at(.transferring)
        // The data before the stall may be late, too.
        let possible = stallAfter == nil ? [silence] : [silence, silence.at(.transferring), little]
        for error in [first, second] { #expect(error.map(possible.contains) == true, "\(String(describing: error))") }
    }

    @Test("a response that drips is an error, in its head and in its body")
    func drip() async throws {
        var head = Reply.raw("HTTP/1.1 200 OK\r\n" + (0..<90).map { "X-\($0): a\r\n" }.joined())
        head.drip = 20
        let server = try LoopbackServer("/body", .dripping(pattern(900)))
        server.route("/head", head)
        let client = try makeClient { $0.idleTimeout = .seconds(1) }
        for path in ["/body", "/head"] {
            let error = await failure(of: try makeRequest(server.url(path)), by: client)
            let message = "less than 1 KiB arrived in 1 second"
            let expected = FeedError.connectivity(message, host: "127.0.0.1:\(server.port)").at(.transferring)
            #expect(error == expected, "\(path)")
        }
    }

    @Test(
        "a server that drips chunk extensions or trailers counts as hanging",
        arguments: [("3;x=", "a"), ("0\r\n", "X-A: \(String(repeating: "b", count: 90))\r\n")])
    func dripOfFraming(beginning: String, unit: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
        let rest = String(repeating: unit, count: 20_000 / unit.utf8.count)
        var reply = Reply.raw(head + beginning + rest + "\r\n\r\n")
        reply.drip = 1
        let server = try LoopbackServer("/", reply)
        let client = try makeClient { $0.idleTimeout = .seconds(3) }
        let error = await failure(of: try makeRequest(server.url()), by: client)
        let expected = FeedError.connectivity(
            "less than 1 KiB arrived in 3 seconds", host: "127.0.0.1:\(server.port)")
        #expect(error == expected.at(.transferring))
    }

    @Test("a slow sink does not make a transfer fail")
    func slowSinkIsNotIdle() async throws {
        let body = pattern(32 << 20)
        let server = try LoopbackServer([
            "/large": { _ in Reply(body: body) }, "/never": { _ in Reply(gate: Gate()) },
        ])
        // The timeout lets a busy machine get as far as the sink.
        let client = try makeClient { $0.idleTimeout = .seconds(5) }
        let gate = Gate()
        let large = try makeRequest(server.url("/large"))
        async let response = client.get(large, into: RecordingSink(gate: gate))
        await server.waitUntilBlocked()

        // The other request has waited as long when this one fails.
        let error = await failure(of: try makeRequest(server.url("/never")), by: client)
        gate.open()

        #expect(error?.kind == .connectivity)
        #expect(try await response.bodyBytes == 32 << 20)
    }

    @Test("an error message omits the credentials", arguments: ["/refused", "/cut", "/large", "/bad"])
    func secrecy(_ path: String) async throws {
        let dead = try DeadPort()
        let server = try LoopbackServer([
            "/cut": { _ in .cutOff(after: 5, of: pattern(10)) },
            "/large": { _ in Reply(body: pattern(1000)) },
            "/bad": { _ in .raw("nonsense") },
        ])
        let port = path == "/refused" ? dead.port : server.port
        let request = try makeRequest("http://alice:s3cret@127.0.0.1:\(port)\(path)", maxBytes: 100)

        let error = try #require(await failure(of: request, by: makeClient()))

        #expect(!"\(error)".contains("alice"))
        #expect(!"\(error)".contains("s3cret"))
    }
}

let gzipOfNothing: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
