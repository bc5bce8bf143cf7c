import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Responses", .timeLimit(.minutes(10)))
struct ResponseTests {
    @Test(
        "a response is delivered, whatever its status",
        arguments: [200, 204, 206, 301, 304, 400, 404, 410, 429, 500, 503])
    func status(_ status: Int) async throws {
        let hasBody = status != 204 && status != 304
        let body = hasBody ? Array("some text".utf8) : []
        let server = try LoopbackServer("/a", Reply(status, body: body))
        let sink = RecordingSink()

        let response = try await makeClient().get(makeRequest(server.url("/a")), into: sink)

        var expected = HTTPResponse(head: HTTPHead(status: status), bodyBytes: Int64(body.count))
        expected.isFromPrivateAddress = true
        #expect(response == expected)
        #expect(sink.messages.first == .begin(HTTPHead(status: status)))
        #expect(sink.received(body))
    }

    @Test("a response carries its validators and content type, whatever their case")
    func headers() async throws {
        let headers = [
            ("eTAG", "W/\"x, y\""), ("LAST-MODIFIED", "Fri, 20 Nov 2026 18:02:13 GMT"),
            ("content-type", "image/png; q=1"), ("X-Other", "1"),
        ]
        let server = try LoopbackServer("/", Reply(headers: headers, body: [1]))

        let response = try await makeClient().get(makeRequest(server.url()), into: NullSink())

        let validators = Validators(etag: "W/\"x, y\"", lastModified: "Fri, 20 Nov 2026 18:02:13 GMT")
        #expect(response.head == HTTPHead(status: 200, validators: validators, contentType: "image/png; q=1"))
    }

    @Test(
        "a header is trimmed; of several the first counts, and lists are joined",
        arguments: [
            ("ETag:\"a\"", .etag, "\"a\""), ("ETag: \t \"a\" \t ", .etag, "\"a\""), ("ETag: \t", .etag, nil),
            ("ETag :\"a\"", .etag, nil), ("ETags: \"a\"", .etag, nil), ("X-ETag: \"a\"", .etag, nil),
            ("ETag: \"a\"\r\nETag: \"b\"", .etag, "\"a\""), ("ETag:\r\nETag: \"b\"", .etag, "\"b\""),
            ("Content-Type: image/png;\r\n\tq=1\r\n r=2", .contentType, "image/png; q=1 r=2"),
            ("X-A: b\r\n c\r\nContent-Type: d", .contentType, "d"), ("ETag:\r\n \"a\"", .etag, "\"a\""),
            ("ETag: \"a\"\r\nETag: \"b\"\r\n c", .etag, "\"a\""), ("ETag: \"a\"\r\nHTTP/x: y", .etag, "\"a\""),
            ("Link:\r\n <2>; rel=next", .link, "<2>; rel=next"),
            ("Content-Type: \u{FFFD}", .contentType, "\u{FFFD}"),
            ("Link: <1>; rel=next\r\nX-A: b\r\nLINK: <2>,\r\n <3>", .link, "<1>; rel=next, <2>, <3>"),
        ] as [(String, HTTPHead.Header, String?)])
    func headerLines(_ lines: String, _ header: HTTPHead.Header, _ expected: String?) async throws {
        let server = try LoopbackServer("/", .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(lines)\r\n\r\n"))

        let head = try await makeClient().get(makeRequest(server.url()), into: NullSink()).head

        #expect(head[header] == expected)
    }

    @Test("a header in endless lines is cut", arguments: ["Link: <abc>", " <abc>"])
    func manyLines(_ line: String) async throws {
        let lines = String(repeating: "\(line)\r\n", count: 5000)
        let server = try LoopbackServer("/", .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nLink: <1>\r\n\(lines)\r\n"))

        let head = try await makeClient().get(makeRequest(server.url()), into: NullSink()).head

        let link = try #require(head[.link])
        #expect(link.hasPrefix("<1>") && link.hasSuffix("<abc>"))
        #expect((16_000...16 << 10).contains(link.utf8.count))
    }

    @Test("a header after one in endless lines is read")
    func behindManyLines() async throws {
        let lines = String(repeating: "Link: <\(String(repeating: "a", count: 500))>\r\n", count: 40)
        let server = try LoopbackServer(
            "/", .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(lines)ETag: \"a\"\r\n\r\n"))

        let head = try await makeClient().get(makeRequest(server.url()), into: NullSink()).head

        #expect(head[.etag] == "\"a\"")
    }

    @Test("a header that is no text is ignored")
    func noText() async throws {
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: \"".utf8) + [0xE9] + Array("\"\r\n\r\n".utf8)
        let server = try LoopbackServer("/", .raw(answer))

        let response = try await makeClient().get(makeRequest(server.url()), into: NullSink())

        #expect(response.head == HTTPHead(status: 200))
    }

    @Test(
        "Retry-After and Content-Range are read only with a status that gives them a meaning",
        arguments: [(200, nil, nil), (206, nil, "bytes 1-1/2"), (302, nil, nil), (429, 120, nil), (503, 120, nil)]
            as [(Int, Int?, String?)])
    func furtherHeaders(_ status: Int, _ retryAfter: Int?, _ contentRange: String?) async throws {
        let headers = [("retry-after", "120"), ("content-range", "bytes 1-1/2")]
        let server = try LoopbackServer("/", Reply(status, headers: headers, body: [1]))

        let head = try await makeClient().get(makeRequest(server.url()), into: NullSink()).head

        #expect(head.retryAfter == retryAfter.map { .seconds($0) })
        #expect(head[.contentRange] == contentRange)
    }

    @Test(
        "Retry-After is read as seconds or as a date, and a past or invalid one is ignored",
        arguments: [
            ("0", false), ("soon", false), ("-7", false), ("Fri, 20 Nov 2020 00:00:00 GMT", false),
            ("Fri, 31 Dec 9999 23:59:59 GMT", true), ("Friday, 31-Dec-60 23:59:59 GMT", true), ("9999999999", true),
        ])
    func retryAfter(_ header: String, _ isLong: Bool) async throws {
        let server = try LoopbackServer("/", Reply(503, headers: [("Retry-After", header)], body: [1]))

        let pause = try await makeClient().get(makeRequest(server.url()), into: NullSink()).head.retryAfter

        #expect(pause.map { $0 > .seconds(3600) } == (isLong ? true : nil))
    }

    @Test("a response has no headers of earlier or interim responses or of its trailers")
    func foreignHeaders() async throws {
        let server = try LoopbackServer([
            "/first": { _ in Reply(headers: [("ETag", "\"first\"")], body: [1]) },
            "/second": { _ in Reply(body: [1]) },
            "/interim": { _ in
                .raw("HTTP/1.1 103 Early\r\nETag: \"early\"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            },
            "/trailers": { _ in
                .raw(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: ETag\r\n\r\n1\r\nx\r\n0\r\n"
                        + "ETag: \"late\"\r\n\r\n")
            },
        ])
        let client = try makeClient()

        let first = try await client.get(makeRequest(server.url("/first")), into: NullSink())
        #expect(first.head.validators.etag == "\"first\"")
        for path in ["/second", "/interim", "/trailers"] {
            let response = try await client.get(makeRequest(server.url(path)), into: NullSink())
            #expect(response.head == HTTPHead(status: 200), "\(path)")
            #expect(response.bodyBytes == 1, "\(path)")
        }
    }

    @Test(
        "a response body arrives byte for byte",
        arguments: [0, 1, 16 << 10, (128 << 10) - 1, 128 << 10, (128 << 10) + 1, 3_000_001])
    func size(_ size: Int) async throws {
        let body = pattern(size)
        let server = try LoopbackServer([
            "/length": { _ in Reply(body: body) },
            "/chunked": { _ in Reply(body: body, framing: .chunked(size: 10_007)) },
            "/closed": { _ in Reply(body: body, framing: .untilClosed) },
        ])
        for path in ["/length", "/chunked", "/closed"] {
            let sink = RecordingSink()

            let response = try await makeClient().get(makeRequest(server.url(path)), into: sink)

            #expect(response.bodyBytes == Int64(size))
            #expect(sink.received(body), "\(path)")
            #expect(sink.chunkSizes.allSatisfy { $0 > 0 && $0 <= 128 << 10 })
        }
    }

    @Test("a small body arrives in one chunk, and a large one begins with at least 16 KiB")
    func pieces() async throws {
        let server = try LoopbackServer([
            "/small": { _ in Reply(body: pattern(27_000), framing: .chunked(size: 100)) },
            "/large": { _ in Reply(body: pattern(500_000), framing: .chunked(size: 100)) },
        ])
        let small = RecordingSink()
        let large = RecordingSink()

        _ = try await makeClient().get(makeRequest(server.url("/small")), into: small)
        _ = try await makeClient().get(makeRequest(server.url("/large")), into: large)

        #expect(small.chunkSizes == [27_000])
        #expect(try #require(large.chunkSizes.first) >= 16 << 10)
    }

    @Test("a redirect is reported with its absolute target and is not followed")
    func redirect() async throws {
        let server = try LoopbackServer([
            "/from/here": { _ in .redirect(to: "../to?x=1") },
            "/abroad": { _ in .redirect(307, to: "ftp://example.org/x") },
            "/nowhere": { _ in Reply(302) },
            "/ok": { _ in Reply(200, headers: [("Location", "/elsewhere")]) },
        ])
        let expected = [
            "/from/here": server.url("/to?x=1"), "/abroad": "ftp://example.org/x", "/nowhere": nil, "/ok": nil,
        ]
        for (path, target) in expected {
            let response = try await makeClient().get(makeRequest(server.url(path)), into: NullSink())
            #expect(response.redirectTarget == target, "\(path)")
        }
        #expect(server.requests.count == expected.count)
    }

    @Test(
        "a redirect target that is not UTF-8 is percent-encoded",
        arguments: [
            (Array("/caf".utf8) + [0xE9], "/caf%E9"),
            (Array("/".utf8) + [0xC3, 0xE9] + Array("?q=".utf8) + [0xFF], "/%C3%E9?q=%FF"),
            (Array("/caf\u{E9}".utf8), "/caf%c3%a9"),
        ] as [([UInt8], String)])
    func redirectBeyondText(location: [UInt8], expected: String) async throws {
        let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8)
        let server = try LoopbackServer("/", .raw(head + location + Array("\r\n\r\n".utf8)))

        let response = try await makeClient().get(makeRequest(server.url()), into: NullSink())

        #expect(response.redirectTarget == server.url(expected))
    }
}
