import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Secrets of a request", .timeLimit(.minutes(10)))
struct SecretsTests {
    @Test("secrets are sent to their own origin, and not with the next request on the connection")
    func ownOrigin() async throws {
        let server = try LoopbackServer()
        let client = try makeClient()
        var request = try makeRequest(server.url("/a"))
        request.secrets = Secrets(
            origin: request.url.origin, headers: ["X-Token: t0k3n", "Cookie: a=b"], credentials: "us%3Aer:p%40ss")

        _ = try await client.get(request, into: NullSink())
        _ = try await client.get(makeRequest(server.url("/b")), into: NullSink())

        let first = try #require(server.requests.first)
        #expect(first.header("x-token") == "t0k3n")
        #expect(first.header("cookie") == "a=b")
        #expect(first.header("authorization") == "Basic dXM6ZXI6cEBzcw==")
        let second = try #require(server.requests.last)
        #expect(second.connection == first.connection)
        for name in ["x-token", "cookie", "authorization"] { #expect(second.header(name) == nil, "\(name)") }
    }

    @Test("secrets of another origin are not sent", arguments: ["https", "port", "name"])
    func otherOrigin(_ difference: String) async throws {
        let server = try LoopbackServer()
        var request = try makeRequest(server.url())
        let origins = [
            "https": "https://127.0.0.1:\(server.port)", "port": "http://127.0.0.1:80",
            "name": "http://localhost:\(server.port)",
        ]
        request.secrets = Secrets(
            origin: try #require(origins[difference]), headers: ["X-Token: t0k3n", "User-Agent:"], credentials: "a:b",
            usesNetrc: true)

        _ = try await makeClient { $0.netrcFile = "/nonexistent" }.get(request, into: NullSink())

        let sent = try #require(server.requests.first)
        #expect(sent.header("x-token") == nil)
        #expect(sent.header("authorization") == nil)
        #expect(sent.header("user-agent") == "feedsync-test/1")
    }

    @Test("header lines of the user remove, replace and empty headers like those of curl")
    func lines() async throws {
        let server = try LoopbackServer()
        let client = try makeClient()
        var request = try makeRequest(server.url())
        request.secrets = Secrets(
            origin: request.url.origin, headers: ["User-Agent:", "accept: image/*", "X-Empty;", "X-Tab:\ta\u{E9}"])

        _ = try await client.get(request, into: NullSink())
        _ = try await client.get(makeRequest(server.url()), into: NullSink())

        let first = try #require(server.requests.first)
        #expect(first.header("user-agent") == nil)
        #expect(first.headers.filter { $0.name == "accept" }.map(\.value) == ["image/*"])
        #expect(first.header("x-empty")?.isEmpty == true)
        #expect(first.header("x-tab") == "\ta\u{E9}")
        let second = try #require(server.requests.last)
        #expect(second.header("user-agent") == "feedsync-test/1")
        #expect(second.header("accept") == "*/*")
    }

    @Test("a header line of the user does not compress the rest of a body")
    func restOfBody() async throws {
        let server = try LoopbackServer()
        var request = try makeRequest(server.url())
        request.rest = RestOfBody(offset: 1, validator: "\"a\"")
        request.secrets = Secrets(origin: request.url.origin, headers: ["Accept-Encoding: gzip", "X-A: 1", "Range: x"])

        _ = try await makeClient().get(request, into: NullSink())

        let sent = try #require(server.requests.first)
        #expect(sent.header("accept-encoding") == nil)
        #expect(sent.header("x-a") == "1")
        #expect(sent.headers.filter { $0.name == "range" }.map(\.value) == ["bytes=1-"])
    }

    @Test(
        "a header line with a line break is neither sent nor shown",
        arguments: ["X-A: 1\r\nX-Secret: 2", "X-Secret: 1\n", "X-Secret: \0", "X-Secret: \u{7F}"])
    func lineBreaks(_ line: String) async throws {
        let server = try LoopbackServer()
        var request = try makeRequest(server.url())
        request.secrets = Secrets(origin: request.url.origin, headers: [line])

        let error = try #require(await failure(of: request, by: makeClient()))

        #expect(error.kind == .invalidData)
        #expect(!error.message.contains("Secret"))
        #expect(server.requests.isEmpty)
    }

    @Test("credentials in the URL outrank other secrets")
    func precedence() async throws {
        let server = try LoopbackServer()
        let directory = try TemporaryDirectory()
        let netrc = "machine 127.0.0.1 login net password rc\nmachine 127.0.0.1 login other password oo\n"
        try directory.write(netrc, to: "netrc")
        let client = try makeClient { $0.netrcFile = directory.path("netrc") }
        let authority = "127.0.0.1:\(server.port)"
        for (own, credentials, usesNetrc) in [
            ("a:b@", "c:d", true), ("", "c:d", true), ("", nil, true), ("", nil, false), ("other@", nil, true),
            ("net@", "c:d", true), ("", "other", true), ("other@", nil, false), ("", nil, true),
        ] as [(String, String?, Bool)] {
            var request = try makeRequest("http://\(own)\(authority)/")
            request.secrets = Secrets(origin: request.url.origin, credentials: credentials, usesNetrc: usesNetrc)
            _ = try await client.get(request, into: NullSink())
        }

        // The values decode to a:b, c:d, net:rc, none, other:oo, net:rc, other:oo, other:, net:rc
        #expect(
            server.requests.map { $0.header("authorization") } == [
                "Basic YTpi", "Basic Yzpk", "Basic bmV0OnJj", nil, "Basic b3RoZXI6b28=", "Basic bmV0OnJj",
                "Basic b3RoZXI6b28=", "Basic b3RoZXI6", "Basic bmV0OnJj",
            ])
    }

    @Test(
        "credentials of a netrc file are not sent to a redirect's target",
        arguments: ["/b", "b", "?b", "//127.0.0.1:PORT/b"])
    func redirected(location: String) async throws {
        let server = try LoopbackServer()
        let target = location.replacing("PORT", with: "\(server.port)")
        server.route("/a", Reply(302, headers: [("Location", target)]))
        let directory = try TemporaryDirectory()
        try directory.write("machine 127.0.0.1 login alice password s3cret\n", to: "netrc")
        let client = try makeClient { $0.netrcFile = directory.path("netrc") }
        for login in ["", "alice@"] {
            var request = try makeRequest("http://\(login)127.0.0.1:\(server.port)/a")
            request.secrets = Secrets(origin: request.url.origin, usesNetrc: true)
            let response = try await client.get(request, into: NullSink())
            #expect(server.requests.last?.header("authorization") == "Basic YWxpY2U6czNjcmV0")
            let path = location == "?b" ? "/a?b" : "/b"
            #expect(response.redirectTarget == "http://127.0.0.1:\(server.port)\(path)")
        }
    }

    @Test("a missing netrc file gives no credentials")
    func missingNetrc() async throws {
        let server = try LoopbackServer()
        var request = try makeRequest(server.url())
        request.secrets = Secrets(origin: request.url.origin, usesNetrc: true)

        let response = try await makeClient { $0.netrcFile = "/nonexistent/netrc" }.get(request, into: NullSink())

        #expect(response.head.status == 404)
        #expect(server.requests.first?.header("authorization") == nil)
    }

    @Test("a malformed netrc file is reported by its name as a local fault")
    func badNetrc() async throws {
        let server = try LoopbackServer()
        let directory = try TemporaryDirectory()
        try directory.write("machine 127.0.0.1 login \"alice password s3cret\n", to: "netrc")
        var request = try makeRequest(server.url())
        request.secrets = Secrets(origin: request.url.origin, usesNetrc: true)
        let client = try makeClient { $0.netrcFile = directory.path("netrc") }

        let error = try #require(await failure(of: request, by: client))

        #expect(error.kind == .notFound)
        #expect(error.stage == .trusting)
        #expect(error.message.contains(directory.path("netrc")), "\(error.message)")
        #expect(!"\(error)".contains("alice") && !"\(error)".contains("s3cret"), "\(error)")
        #expect(server.requests.isEmpty)
    }

    @Test("no error contains secrets", arguments: ["/refused", "/cut", "/bad", "/large"])
    func errors(_ path: String) async throws {
        let dead = try DeadPort()
        let server = try LoopbackServer([
            "/cut": { _ in .cutOff(after: 5, of: pattern(10)) }, "/bad": { _ in .raw("nonsense") },
            "/large": { _ in Reply(body: pattern(1000)) },
        ])
        let directory = try TemporaryDirectory()
        try directory.write("machine 127.0.0.1 login alice password s3cret\n", to: "netrc")
        let client = try makeClient { $0.netrcFile = directory.path("netrc") }
        let port = path == "/refused" ? dead.port : server.port
        for credentials in ["alice:s3cret", nil] {
            var request = try makeRequest("http://127.0.0.1:\(port)\(path)", maxBytes: 100)
            request.secrets = Secrets(
                origin: request.url.origin, headers: ["X-Token: s3cret"], credentials: credentials, usesNetrc: true)

            let error = try #require(await failure(of: request, by: client))

            #expect(!"\(error)".contains("alice") && !"\(error)".contains("s3cret"), "\(error)")
        }
    }
}
