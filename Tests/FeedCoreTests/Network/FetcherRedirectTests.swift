import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Redirects")
struct FetcherRedirectTests {
    private func answer(
        to start: String, limit: Int = 10, _ script: @escaping @Sendable (HTTPRequest) -> ScriptedHTTPClient.Answer
    ) async throws -> (HTTPResponse, asked: [String]) {
        let client = ScriptedHTTPClient(script)
        let request = HTTPRequest(url: try Samples.url(start), validators: Validators(etag: "\"a\""), maxBytes: 7)
        let response = try await Fetcher(asking: client, rules: FetchRules(maxRedirects: limit)).get(
            request, into: IgnoredBody())
        #expect(client.requests.allSatisfy { $0.validators == request.validators && $0.maxBytes == 7 })
        return (response, client.requests.map(\.url.text))
    }

    @Test("A redirect is followed to its target", arguments: [300, 301, 302, 303, 307, 308])
    func followed(status: Int) async throws {
        let (response, asked) = try await answer(to: "http://a.example/") { request in
            request.url.text == "https://b.example/x" ? .ok([1]) : .redirect(status, to: "https://b.example/x")
        }
        #expect(response.head.status == 200)
        #expect(asked == ["http://a.example/", "https://b.example/x"])
    }

    @Test("A redirect without a target, or a 304, is the response itself", arguments: [300, 302, 304])
    func noRedirect(status: Int) async throws {
        let (response, asked) = try await answer(to: "http://a.example/") { _ in .redirect(status, to: nil) }
        #expect(response.head.status == status)
        #expect(asked.count == 1)
    }

    @Test("As many redirects are followed as the limit allows", arguments: [0, 1, 3])
    func limit(limit: Int) async throws {
        let hops = ["http://a.example/0", "http://a.example/1", "http://a.example/2", "http://a.example/3"]
        let within = try await answer(to: hops[3 - limit], limit: limit) { request in
            guard let hop = hops.firstIndex(of: request.url.text), hop < 3 else { return .ok([1]) }
            return .redirect(to: hops[hop + 1])
        }
        #expect(within.asked.count == limit + 1)
        let error = await #expect(throws: FeedError.self) {
            try await answer(to: "http://a.example/", limit: limit) { _ in .redirect(to: "http://a.example/") }
        }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.contains("more than \(limit) redirect\(limit == 1 ? " " : "s ")") == true)
    }

    @Test(
        "A redirect to a local file or another scheme fails",
        arguments: [
            "file:///etc/passwd", "ftp://a.example/", "javascript:alert(1)", "gopher://a/", "http://", "data:,x",
        ])
    func refused(target: String) async throws {
        let error = await #expect(throws: FeedError.self) {
            try await answer(to: "http://a.example/") { _ in .redirect(to: target) }
        }
        #expect(error?.kind == .invalidData)
        #expect(error?.host == "a.example")
    }

    /// Returns the request of each hop along redirects through `urls`.
    private func hops(
        _ urls: [String], secrets: Secrets? = nil, addresses: AddressScope = .any, privateHosts: Set<String> = [],
        allowsPrivate: Bool = false
    ) async throws -> [HTTPRequest] {
        let client = ScriptedHTTPClient { _, _ in .ok([1]) }
        let scripted = HoppingClient(client, urls, privateHosts)
        var request = HTTPRequest(url: try Samples.url(urls[0]), maxBytes: 7)
        request.secrets = secrets
        request.addresses = addresses
        _ = try await Fetcher(asking: scripted, rules: FetchRules(allowsPrivate: allowsPrivate))
            .get(request, into: IgnoredBody())
        return client.requests
    }

    private static let secrets = Secrets(
        origin: "https://a.example:443", headers: ["X-Key: 1"], credentials: "ann:secret", usesNetrc: true)

    @Test("Redirects keep secrets within their own origin")
    func secretsStay() async throws {
        let hops = try await hops(["https://a.example/1", "https://A.example:443/2"], secrets: Self.secrets)
        #expect(hops.map(\.secretsToSend) == [Self.secrets, Self.secrets])
    }

    @Test(
        "A redirect to another origin drops the secrets for good, even if the next one leads back",
        arguments: ["https://b.example/", "http://a.example/", "https://a.example:444/"])
    func secretsAreDropped(elsewhere: String) async throws {
        let hops = try await hops(["https://a.example/1", elsewhere, "https://a.example/2"], secrets: Self.secrets)
        #expect(hops.map(\.secretsToSend) == [Self.secrets, nil, nil])
        #expect(hops.map(\.secrets) == [Self.secrets, nil, nil])
    }

    @Test("A redirect to the origin of the secrets from elsewhere carries no secrets")
    func secretsFromElsewhere() async throws {
        let hops = try await hops(["https://b.example/", "https://a.example/"], secrets: Self.secrets)
        #expect(hops.map(\.secrets) == [nil, nil])
    }

    /// Returns the last request and its response after redirects along `urls`.
    private func validators(
        along urls: [String], _ last: ScriptedHTTPClient.Answer
    ) async throws -> (sent: Validators?, returned: Validators) {
        let client = ScriptedHTTPClient { request in
            let hop = urls.firstIndex(of: request.url.text) ?? 0
            return hop + 1 < urls.count ? .redirect(301, to: urls[hop + 1]) : last
        }
        let request = HTTPRequest(url: try Samples.url(urls[0]), validators: Self.both, maxBytes: 7)
        let response = try await Fetcher(asking: client).get(request, into: IgnoredBody())
        return (client.requests.last?.validators, response.head.validators)
    }

    private static let both = Validators(etag: "\"a\"", lastModified: "Fri, 20 Nov 2026 18:02:13 GMT")
    private static let onlyTag = Validators(etag: "\"a\"")

    @Test(
        "A Last-Modified stays with its URL: redirects neither send it on nor bring one back",
        arguments: [
            ["http://a.example/1", "http://a.example/2"], ["http://a.example/1", "https://b.example/1"],
            ["http://a.example/1", "https://a.example/1", "https://a.example/2"],
            ["http://a.example/1", "http://a.example/2", "http://a.example/1?"],
        ])
    func lastModifiedStays(urls: [String]) async throws {
        let (sent, returned) = try await validators(along: urls, .ok([1], validators: Self.both))
        #expect(sent == Self.onlyTag)
        #expect(returned == Self.onlyTag)
    }

    @Test("A Last-Modified follows the redirect from http to https at the same URL")
    func lastModifiedOverTLS() async throws {
        let urls = ["http://a.example/1?x", "https://a.example/1?x"]
        let (sent, returned) = try await validators(along: urls, .ok([1], validators: Self.both))
        #expect(sent == Self.both)
        #expect(returned == Self.both)
    }

    @Test("A 304 to a request that a redirect has made unconditional confirms nothing")
    func notModifiedUnasked() async throws {
        let dated = Validators(lastModified: Self.both.lastModified)
        let client = ScriptedHTTPClient {
            $0.url.text == "http://b.example/" ? .status(304) : .redirect(to: "http://b.example/")
        }
        let request = HTTPRequest(url: try Samples.url("http://a.example/"), validators: dated, maxBytes: 7)
        let error = await #expect(throws: FeedError.self) {
            try await Fetcher(asking: client).get(request, into: IgnoredBody())
        }
        #expect(error?.kind == .invalidData)
        #expect(error?.status == 304)
    }

    @Test("The credentials of a URL are not sent to a redirect's target")
    func ownCredentials() async throws {
        let hops = try await hops(["https://ann:secret@a.example/1", "https://a.example/2", "https://bob@b.example/"])
        #expect(hops.map(\.url.credentials) == ["ann:secret", nil, "bob"])
    }

    @Test("A redirect from a public address leads only to public addresses, from a private one anywhere")
    func addresses() async throws {
        let urls = ["http://in.example/", "http://in.example/2", "http://out.example/", "http://in.example/3"]
        let fromPrivate = try await hops(urls, privateHosts: ["in.example"])
        #expect(fromPrivate.map(\.addresses) == [.any, .any, .any, .publicOnly])
        let fromPublic = try await hops(Array(urls[2...]))
        #expect(fromPublic.map(\.addresses) == [.any, .publicOnly])
        let allowed = try await hops(urls, allowsPrivate: true)
        #expect(allowed.allSatisfy { $0.addresses == .any })
        let confined = try await hops(urls, addresses: .publicOnly, privateHosts: ["in.example"])
        #expect(confined.allSatisfy { $0.addresses == .publicOnly })
    }
}

/// Redirects each request to the next of its URLs, and answers the last request.
private final class HoppingClient: HTTPClient {
    let client: ScriptedHTTPClient
    let urls: [String]
    let privateHosts: Set<String>

    init(_ client: ScriptedHTTPClient, _ urls: [String], _ privateHosts: Set<String>) {
        self.client = client
        self.urls = urls
        self.privateHosts = privateHosts
    }

    func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        let next = client.requests.count + 1
        var response = try await client.get(request, into: sink)
        if next < urls.count {
            response = HTTPResponse(head: HTTPHead(status: 302), redirectTarget: urls[next])
        }
        response.isFromPrivateAddress = request.url.host.map(privateHosts.contains) ?? false
        return response
    }
}

private final class IgnoredBody: BodySink {
    func begin(_ head: HTTPHead) throws(FeedError) -> Bool { false }
    func receive(_ chunk: [UInt8]) throws(FeedError) {}
}
