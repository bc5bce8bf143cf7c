import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("The proxy of a request", .timeLimit(.minutes(10)))
struct ProxyChoiceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let url: String
        var given: String?
        let environment: [String: String]
        let proxy: String?

        init(_ url: String, given: String? = nil, _ environment: [String: String], _ proxy: String?) {
            self.url = url
            self.given = given
            self.environment = environment
            self.proxy = proxy
        }

        var testDescription: String { "\(url) given \(given ?? "nothing") in \(environment)" }
    }

    static let cases = [
        Case("http://a/", [:], nil),
        Case("http://a/", ["http_proxy": "p"], "p"),
        Case("http://a/", ["http_proxy": "", "all_proxy": "q"], "q"),
        Case("http://a/", ["HTTP_PROXY": "p"], nil),
        Case("http://a/", ["https_proxy": "p", "HTTPS_PROXY": "p"], nil),
        Case("http://a/", ["all_proxy": "p", "ALL_PROXY": "q"], "p"),
        Case("http://a/", ["ALL_PROXY": "q"], "q"),
        Case("https://a/", ["http_proxy": "p"], nil),
        Case("https://a/", ["https_proxy": "p", "HTTPS_PROXY": "q"], "p"),
        Case("https://a/", ["HTTPS_PROXY": "q", "all_proxy": "r"], "q"),
        Case("https://a/", ["all_proxy": "r"], "r"),
        Case("http://a/", given: "g", ["http_proxy": "p"], "g"),
        Case("https://a/", given: "g", ["https_proxy": "p"], "g"),
        Case("http://a/", given: "", ["http_proxy": "p", "all_proxy": "p"], nil),
        Case("http://a/", given: "g", ["no_proxy": "a"], nil),
        Case("http://a/", ["http_proxy": "p", "no_proxy": "", "NO_PROXY": "a"], nil),
        Case("http://a/", ["http_proxy": "p", "no_proxy": "b", "NO_PROXY": "a"], "p"),
    ]

    @Test("the proxy is the given one, else that of the environment", arguments: cases)
    func choice(_ example: Case) throws {
        let choice = ProxyChoice(given: example.given, environment: example.environment)
        #expect(choice.proxy(for: try ResourceURL(example.url))?.text == example.proxy)
    }

    static let exceptions: [(list: String, host: String, isException: Bool)] = [
        ("", "a", false), ("*", "a", true), ("*", "[::1]", true), ("*,b", "a", false), ("*.a", "b.a", false),
        ("example.org", "example.org", true), ("example.org", "EXAMPLE.org", true),
        ("EXAMPLE.ORG", "www.example.org", true), ("example.org", "notexample.org", false),
        ("example.org", "org", false), (".example.org", "example.org", true), (".example.org", "a.b.example.org", true),
        ("example.org.", "example.org", true), ("example.org", "example.org.", true),
        ("a, b\tc,,d", "b", true), ("a, b\tc,,d", "c", true), ("a, b\tc,,d", "d", true), ("a b", "e", false),
        ("straße.test", "xn--strae-oqa.test", true), ("straẞe.test", "strasse.test", true),
        ("example.org:8080", "example.org", true), (",", "a", false), (".", "a", false),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1:80", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
        ("0.0.1", "127.0.0.1", false), ("10.0.0.0/8", "10.200.3.4", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("192.168.4.0/22", "192.168.7.255", true), ("192.168.4.0/22", "192.168.8.0", false),
        ("192.168.4.5/32", "192.168.4.5", true), ("0.0.0.0/0", "1.2.3.4", true), ("10.0.0.0/33", "10.0.0.0", false),
        ("10.0.0.0/x", "10.0.0.0", false), ("10.0.0.0/8", "a.example", false), ("10.0.0.0/8", "[a00::]", false),
        ("::1", "[::1]", true), ("[::1]", "[::1]", true), ("[::1]:80", "[::1]", true), ("::1", "[::2]", false),
        ("fd00::/8", "[fdff:1::2]", true), ("fd00::/8", "[fe00::]", false), ("0:0::1", "[::1]", true),
        ("2001:db8::/33", "[2001:db8:8000::]", false), ("2001:db8::/33", "[2001:db8:7fff::]", true),
    ]

    @Test("hosts that are excluded by name, address or block get no proxy", arguments: exceptions)
    func exception(_ list: String, _ host: String, _ isException: Bool) throws {
        #expect(ProxyExceptions(list).contains(host) == isException)
    }

    @Test("a request goes to the proxy of the option or the environment", arguments: [nil, "given"])
    func asked(_ given: String?) async throws {
        let proxy = try LoopbackServer("http://images.invalid/a", Reply(body: [1]))
        let client = try makeClient(environment: given == nil ? ["http_proxy": proxy.url("")] : [:]) { settings in
            if given != nil { settings.proxy = proxy.url("") }
        }

        let response = try await client.get(makeRequest("http://images.invalid/a"), into: NullSink())

        #expect(response.head.status == 200)
        #expect(proxy.requests.map(\.path) == ["http://images.invalid/a"])
    }

    @Test("a direct request after a proxied one uses no proxy")
    func noLonger() async throws {
        let proxy = try LoopbackServer("http://images.invalid/", Reply(body: [1]))
        let server = try LoopbackServer("/", Reply(body: [1, 2]))
        let client = try makeClient(environment: ["http_proxy": proxy.url(""), "no_proxy": "127.0.0.0/8"])

        let sizes = [
            try await client.get(makeRequest("http://images.invalid/"), into: NullSink()).bodyBytes,
            try await client.get(makeRequest(server.url()), into: NullSink()).bodyBytes,
            try await client.get(makeRequest("http://images.invalid/"), into: NullSink()).bodyBytes,
        ]

        #expect(sizes == [1, 2, 1])
        #expect(proxy.requests.count == 2)
    }

    @Test(
        "a malformed proxy is reported without its password",
        arguments: [
            ("http://alice:s3cret@127.0.0.1:PORT", .connectivity, .connecting),
            ("http://alice:s3cret@nowhere.invalid", .connectivity, .connecting),
            ("gopher://alice:s3cret@127.0.0.1", .notFound, .trusting),
            ("http://alice:s3cret@:x", .notFound, .trusting), ("http://", .notFound, .trusting),
            ("http://alice:s3cret@127.0.0.1:99999", .notFound, .trusting),
        ] as [(String, FeedError.Kind, FeedError.Stage)])
    func unusable(_ proxy: String, _ kind: FeedError.Kind, _ stage: FeedError.Stage) async throws {
        let dead = try DeadPort()
        let client = try makeClient { $0.proxy = proxy.split(separator: "PORT").joined(separator: "\(dead.port)") }

        let error = try #require(await failure(of: makeRequest("http://images.invalid/"), by: client))

        #expect(error.kind == kind)
        #expect(error.stage == stage)
        #expect(!"\(error)".contains("s3cret") && !"\(error)".contains("alice"), "\(error)")
    }

    @Test(
        "a proxy whose credentials hold a control character is refused",
        arguments: ["", "http_proxy", "ALL_PROXY"],
        [
            "http://alice:s3cret%0a@127.0.0.1", "http://a%00lice:s3cret@127.0.0.1",
            "socks5h://alice:s3cret%1F@127.0.0.1",
        ])
    func controlCharacter(_ variable: String, _ proxy: String) async throws {
        let server = try LoopbackServer("/", Reply(body: [1]))
        let client =
            variable.isEmpty
            ? try makeClient { $0.proxy = proxy } : try makeClient(environment: [variable: proxy])

        let error = try #require(await failure(of: makeRequest(server.url()), by: client))

        #expect(error.kind == .notFound)
        #expect(error.stage == .trusting)
        let place = variable.isEmpty ? "" : " in \(variable)"
        #expect(error.withoutHint == "the proxy 127.0.0.1\(place) can't be used: a control character is in it")
        #expect(error.isMisuse)
        #expect(!"\(error)".contains("s3cret") && !"\(error)".contains("lice"), "\(error)")
        #expect(server.requests.isEmpty)
    }

    @Test("a proxy's temporary refusal is a connection failure", arguments: [408, 429, 500, 502, 503])
    func tunnelFailed(_ status: Int) async throws {
        let proxy = try LoopbackServer("images.invalid:443", Reply(status))
        let place = "127.0.0.1:\(proxy.port)"
        let client = try makeClient { $0.proxy = "http://alice:s3cret@\(place)/" }

        let error = try #require(await failure(of: makeRequest("https://images.invalid/"), by: client))

        #expect(error.kind == .connectivity)
        #expect(error.stage == .connecting)
        #expect(error.message == "the proxy \(place) refused the connection with HTTP \(status)")
    }

    @Test(
        "a proxy's lasting refusal is no outage and is reported without its password", arguments: [401, 403, 407])
    func tunnelRefused(_ status: Int) async throws {
        let proxy = try LoopbackServer("images.invalid:443", Reply(status))
        let place = "127.0.0.1:\(proxy.port)"
        let client = try makeClient { $0.proxy = "http://alice:s3cret@\(place)/" }

        for _ in 0..<2 {
            let error = try #require(await failure(of: makeRequest("https://images.invalid/"), by: client))

            #expect(error.kind == .invalidData)
            #expect(error.status == status)
            #expect(error.message == "the proxy \(place) refused the connection with HTTP \(status)")
            #expect(error.host == "images.invalid")
            #expect(!AttemptFailure(error).isPassing)
            #expect(!PermanentFailures.isPermanent(error))
        }
    }

    @Test("a proxy that demands authentication is reported without its password")
    func proxyAsks() async throws {
        let server = try LoopbackServer(["http://images.invalid/": { _ in Reply(407) }, "/": { _ in Reply(407) }])
        let place = "127.0.0.1:\(server.port)"
        let client = try makeClient { $0.proxy = "http://alice:s3cret@\(place)/" }

        let answer = try await client.get(makeRequest("http://images.invalid/"), into: NullSink())
        #expect(answer.head.status == 407)
        #expect(answer.askingProxy == place)

        let direct = try await makeClient().get(makeRequest(server.url()), into: NullSink())
        #expect(direct.head.status == 407)
        #expect(direct.askingProxy == nil)
    }
}
