import FeedCore
import TestDoubles
import TestSupport
import Testing

/// Tests that a response and a failure report what all the requests behind them touched.
@Suite("Circumstances of a chain of requests")
struct RequestCircumstancesTests {
    private typealias Answer = ScriptedHTTPClient.Answer

    /// Requests the first URL.
    ///
    /// Each URL redirects to the next, and the last URL gives the responses `last`, one per attempt.
    private func circumstances(
        along urls: [String], touching privateURLs: Set<String> = [], last: [Answer] = [.ok([1])],
        rules: FetchRules = FetchRules(retry: RetryPolicy(retries: 3, base: .zero)),
        _ change: (inout HTTPRequest) -> Void = { _ in }
    ) async throws -> RequestCircumstances {
        let client = ScriptedHTTPClient(byAttempt: { request, earlier in
            let hop = urls.firstIndex(of: request.url.text) ?? urls.count
            let answer = hop + 1 < urls.count ? Answer.redirect(to: urls[hop + 1]) : last[min(earlier, last.count - 1)]
            return privateURLs.contains(request.url.text) ? answer.touchingPrivateAddress() : answer
        })
        var request = HTTPRequest(url: try Samples.url(urls[0]), maxBytes: 7)
        change(&request)
        do throws(FeedError) {
            return try await Fetcher(asking: client, rules: rules).get(request, into: RecordedBody()).circumstances
        } catch {
            return error.circumstances
        }
    }

    private func insecure(_ isInsecure: Bool) -> NetworkSettings {
        var network = NetworkSettings(userAgent: "test")
        network.isInsecure = isInsecure
        return network
    }

    @Test("Circumstances are clear if every request went to a public address, verified and without secrets")
    func clear() async throws {
        let clear = try await circumstances(along: ["http://a.example/", "https://b.example/"])
        #expect(clear == RequestCircumstances())
    }

    @Test(
        "A private address is reported whichever request of the chain went to it",
        arguments: ["http://a.example/", "http://b.example/", "http://c.example/"])
    func privateAddress(url: String) async throws {
        let urls = ["http://a.example/", "http://b.example/", "http://c.example/"]
        for last in [Answer.ok([1]), .status(404), .failure(.invalidData("no image"))] {
            #expect(try await circumstances(along: urls, touching: [url], last: [last]).touchedPrivateAddress)
        }
    }

    @Test("A private address is reported if only a failed attempt went to it")
    func failedTry() async throws {
        let cutOff = FeedError.connectivity("cut off").at(.transferring)
        let tries = [Answer.failure(cutOff).touchingPrivateAddress(), .ok([1])]
        #expect(try await circumstances(along: ["http://a.example/"], last: tries).touchedPrivateAddress)
    }

    @Test("A private address is reported if a redirect is refused")
    func badRedirect() async throws {
        let bad = Answer.redirect(to: "ftp://b.example/").touchingPrivateAddress()
        #expect(try await circumstances(along: ["http://a.example/"], last: [bad]).touchedPrivateAddress)
        let many = ["http://a.example/", "http://b.example/"]
        let rules = FetchRules(maxRedirects: 0)
        #expect(try await circumstances(along: many, touching: [many[0]], rules: rules).touchedPrivateAddress)
    }

    @Test(
        "Secrets are reported, also after a redirect to another origin",
        arguments: [["http://a.example/"], ["http://a.example/", "http://b.example/"]])
    func secrets(urls: [String]) async throws {
        for secrets in [
            Secrets(origin: "http://a.example:80", headers: ["X-Key: 1"]),
            Secrets(origin: "http://a.example:80", credentials: "ann:secret"),
            Secrets(origin: "http://a.example:80", usesNetrc: true),
        ] {
            let sent = try await circumstances(along: urls, last: [.status(404)]) { $0.secrets = secrets }
            #expect(sent.usedSecrets)
        }
        let foreign = Secrets(origin: "http://c.example:80", headers: ["X-Key: 1"])
        #expect(try await !circumstances(along: urls) { $0.secrets = foreign }.usedSecrets)
    }

    @Test("The credentials of a URL count as secrets, also if a redirect named them")
    func credentials() async throws {
        let own = ["http://ann:secret@a.example/", "http://b.example/"]
        #expect(try await circumstances(along: [own[0]]).usedSecrets)
        #expect(try await circumstances(along: own).usedSecrets)
        #expect(try await circumstances(along: [own[1], own[0]]).usedSecrets)
    }

    @Test(
        "An https request without verification is reported, and an http request is verified",
        arguments: [
            (["https://a.example/"], true), (["https://a.example/", "http://b.example/"], true),
            (["http://b.example/", "https://a.example/"], true), (["http://b.example/"], false),
        ])
    func unverified(urls: [String], expected: Bool) async throws {
        let rules = FetchRules(route: insecure(true).route)
        #expect(try await circumstances(along: urls, rules: rules).isUnverified == expected)
        let verified = RequestManner(network: insecure(false), retries: 0, maxRedirects: 9, allowsPrivate: false)
        #expect(try await !circumstances(along: urls, rules: rules) { $0.manner = verified }.isUnverified)
        let manner = RequestManner(network: insecure(true), retries: 0, maxRedirects: 9, allowsPrivate: false)
        #expect(try await circumstances(along: urls) { $0.manner = manner }.isUnverified == expected)
    }
}
