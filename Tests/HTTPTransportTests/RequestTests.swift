import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Requests", .timeLimit(.minutes(10)))
struct RequestTests {
    @Test("a request is a GET with the user agent and the supported encodings")
    func plain() async throws {
        let server = try LoopbackServer()

        _ = try await makeClient().get(makeRequest(server.url("/a/b?c=d#part")), into: NullSink())

        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.path == "/a/b?c=d")
        #expect(request.header("user-agent") == "feedsync-test/1")
        #expect(try #require(request.header("accept-encoding")).contains("gzip"))
        for absent in ["if-none-match", "if-modified-since", "authorization", "cookie"] {
            #expect(request.header(absent) == nil, "\(absent)")
        }
    }

    @Test(
        "a request path is sent as browsers send it",
        arguments: [
            ("/a%20b%?c=%7B%#d", "/a%20b%?c=%7B%"), ("/é.png", "/%C3%A9.png"), ("/x?t=Été", "/x?t=%C3%89t%C3%A9"),
            ("/\"<>^`{}|'[]", "/%22%3C%3E%5E%60%7B%7D|'[]"), ("/x?\"<>^`{}|'[]", "/x?%22%3C%3E^`{}|%27[]"),
            ("?é#é", "/?%C3%A9"), ("/'#'", "/'"),
        ])
    func percentEncoding(given: String, asked: String) async throws {
        let server = try LoopbackServer()

        _ = try await makeClient().get(makeRequest("http://127.0.0.1:\(server.port)\(given)"), into: NullSink())

        #expect(server.requests.map(\.path) == [asked])
    }

    @Test("a request for an uncompressed body offers no encoding unless the user's header does")
    func uncompressed() async throws {
        let server = try LoopbackServer()
        let client = try makeClient()
        var request = try makeRequest(server.url())
        request.mayBeCompressed = false
        var conditional = request
        conditional.validators = Validators(etag: "\"a\"")
        var given = request
        given.secrets = Secrets(origin: request.origin, headers: ["accept-encoding: br"])

        for request in [request, conditional, given, try makeRequest(server.url())] {
            _ = try await client.get(request, into: NullSink())
        }

        let sent = server.requests.map { $0.header("accept-encoding") }
        #expect(sent.prefix(3) == [nil, nil, "br"])
        #expect(try #require(sent.last ?? nil).contains("gzip"))
    }

    @Test("a request with validators is conditional, and the next one without them is unconditional")
    func conditional() async throws {
        let server = try LoopbackServer([
            "/": { request in .validated([1, 2], etag: "\"a\"", lastModified: "yesterday", for: request) }
        ])
        let client = try makeClient()
        let validators = Validators(etag: "\"a\"", lastModified: "yesterday")

        let first = try await client.get(makeRequest(server.url(), validators: validators), into: NullSink())
        let second = try await client.get(makeRequest(server.url()), into: NullSink())

        #expect(first.head.status == 304)
        #expect(second.head.status == 200)
        let sent = server.requests.map { [$0.header("if-none-match"), $0.header("if-modified-since")] }
        #expect(sent == [["\"a\"", "yesterday"], [nil, nil]])
    }

    @Test("a validator cannot inject header lines")
    func validatorWithLineBreak() async throws {
        let server = try LoopbackServer()
        let validators = Validators(etag: "\"a\"\r\nX-Evil: 1", lastModified: "")

        _ = try await makeClient().get(makeRequest(server.url(), validators: validators), into: NullSink())

        let request = try #require(server.requests.first)
        #expect(request.header("x-evil") == nil)
        #expect(request.header("if-none-match") == nil)
    }

    @Test("a request sends its URL's credentials decoded, and the next one sends none")
    func credentials() async throws {
        let server = try LoopbackServer()
        let client = try makeClient()
        let authority = "127.0.0.1:\(server.port)"

        for credentials in ["user:pass@", "us%3Aer:p%40ss%20w@", "alone@", ""] {
            _ = try await client.get(makeRequest("http://\(credentials)\(authority)/"), into: NullSink())
        }

        // The values decode to user:pass, us:er:p@ss w, alone:
        #expect(
            server.requests.map { $0.header("authorization") } == [
                "Basic dXNlcjpwYXNz", "Basic dXM6ZXI6cEBzcyB3", "Basic YWxvbmU6", nil,
            ])
    }

    @Test("a request with invalid credentials is not sent", arguments: ["a%00b:c", "a:%00", "%FF:x"])
    func impossibleCredentials(_ credentials: String) async throws {
        let server = try LoopbackServer()
        let request = try makeRequest("http://\(credentials)@127.0.0.1:\(server.port)/")

        let error = try #require(await failure(of: request, by: makeClient()))

        #expect(error.kind == .invalidData)
        #expect(server.requests.isEmpty)
    }

    @Test("a request for the rest of a body has a range and no encoding, and the next one has neither")
    func rest() async throws {
        let server = try LoopbackServer("/", Reply(206, headers: [("Content-Range", "bytes 7-8/9")], body: [8, 9]))
        let client = try makeClient()
        var request = try makeRequest(server.url())
        request.rest = RestOfBody(offset: 7, validator: "\"a\"")

        let response = try await client.get(request, into: NullSink())
        _ = try await client.get(makeRequest(server.url()), into: NullSink())

        #expect(response.head[.contentRange] == "bytes 7-8/9")
        let sent = server.requests.map { request in
            ["range", "if-range", "accept-encoding"].map { request.header($0) }
        }
        #expect(try #require(sent.first) == ["bytes=7-", "\"a\"", nil])
        let next = try #require(sent.last)
        #expect(next[0] == nil && next[1] == nil && next[2] != nil)
    }

    @Test("a request reuses the previous connection, even after an unwanted response")
    func keepAlive() async throws {
        let server = try LoopbackServer([
            "/": { _ in Reply(body: pattern(40_000)) }, "/404": { _ in Reply(404, body: pattern(5_000)) },
        ])
        let client = try makeClient()

        for _ in 0..<10 {
            _ = try await client.get(makeRequest(server.url()), into: NullSink())
            _ = try await client.get(makeRequest(server.url("/404")), into: RecordingSink(isWanted: false))
        }

        #expect(server.requests.map(\.connection) == Array(repeating: 1, count: 20))
    }

    @Test("a request waits while its host has the maximum of connections")
    func connectionsPerHost() async throws {
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(body: [1], gate: gate))
        let client = try makeClient { $0.maxConnectionsPerHost = 3 }
        let request = try makeRequest(server.url())

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 { group.addTask { _ = try await client.get(request, into: NullSink()) } }
            await server.waitForRequests(3)
            gate.open()
            try await group.waitForAll()
        }

        #expect(server.requests.count == 12)
        #expect(Set(server.requests.map(\.connection)).isSubset(of: [1, 2, 3]))
    }

    @Test("a request is repeated if the kept connection turns out to be closed")
    func staleConnection() async throws {
        let server = try LoopbackServer("/", Reply(body: [1], ending: .close))
        let client = try makeClient()

        for _ in 0..<5 { _ = try await client.get(makeRequest(server.url()), into: NullSink()) }

        #expect(server.requests.count == 5)
    }
}
