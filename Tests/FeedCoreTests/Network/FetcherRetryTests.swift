import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Retrying")
struct FetcherRetryTests {
    private let clock = ManualClock()
    private let body = RecordedBody()
    private static let refused = FeedError.connectivity("refused", host: "a.example").at(.connecting)
    private static let cutOff = FeedError.connectivity("cut off", host: "a.example").at(.transferring)
    private static let untrusted = FeedError.connectivity("bad certificate", host: "a.example").at(.trusting)
    /// The time 2026-11-20 00:00:00 UTC.

    /// The random number that makes each wait half of the longest possible one.
    private func retrying(
        _ client: any HTTPClient, retries: Int = 3, route: NetworkSettings.Route? = nil,
        telling tell: Fetcher.RetryTeller? = nil
    ) -> Fetcher {
        Fetcher(
            asking: client, rules: FetchRules(retry: RetryPolicy(retries: retries), route: route),
            clockwork: TimeSource(
                uptime: { clock.now },
                random: { 0.5 }, sleep: { clock.sleep($0) }),
            tellingRetries: tell)
    }

    private func request(_ url: String = "https://a.example/1.png") throws -> HTTPRequest {
        HTTPRequest(url: try Samples.url(url), maxBytes: 1000)
    }

    private func failing(_ times: Int, with answer: ScriptedHTTPClient.Answer) -> ScriptedHTTPClient {
        ScriptedHTTPClient { _, earlier in earlier < times ? answer : .ok([1, 2, 3]) }
    }

    @Test(
        "A status that passes is retried, and the sink receives only the last response",
        arguments: [408, 425, 429, 500, 502, 503, 504])
    func passingStatus(status: Int) async throws {
        let client = failing(2, with: .status(status))
        let response = try await retrying(client).get(try request(), into: body)
        #expect(response.head.status == 200)
        #expect(client.requests == [try request(), try request(), try request()])
        #expect(body.calls == [.begin(200), .receive(3)])
        #expect(clock.sleeps == [.milliseconds(250), .milliseconds(500)])
    }

    @Test("A retry after silence asks for a new connection")
    func afterSilence() async throws {
        let client = failing(2, with: .failure(.connectivity("no data", host: "a.example").at(.waiting)))
        _ = try await retrying(client).get(try request(), into: body)
        #expect(client.requests.map(\.connectsAnew) == [false, true, true])
    }

    @Test(
        "Any other status is a response at once",
        arguments: [200, 204, 206, 301, 304, 400, 401, 403, 404, 410, 416, 501, 507])
    func otherStatus(status: Int) async throws {
        let client = failing(1, with: .status(status))
        let response = try await retrying(client).get(try request(), into: body)
        #expect(response.head.status == status)
        #expect(client.requests.count == 1)
        #expect(body.calls == [.begin(status)])
        #expect(clock.sleeps.isEmpty)
    }

    @Test("A failure that passes is retried", arguments: [refused, cutOff])
    func passingFailure(error: FeedError) async throws {
        let client = failing(3, with: .failure(error))
        let response = try await retrying(client).get(try request(), into: body)
        #expect(response.head.status == 200)
        #expect(client.requests.count == 4)
        #expect(clock.sleeps == [.milliseconds(250), .milliseconds(500), .seconds(1)])
    }

    @Test(
        "Any other failure is not retried",
        arguments: [
            untrusted, .invalidData("too large"), .storage(.failed, "disk full"), .cancelled, .notFound("no file"),
        ])
    func otherFailure(error: FeedError) async throws {
        let client = failing(1, with: .failure(error))
        await #expect(throws: error) { try await retrying(client).get(try request(), into: body) }
        #expect(client.requests.count == 1)
        #expect(clock.sleeps.isEmpty)
    }

    @Test("After the last attempt, the failure is thrown or the response returned unchanged", arguments: [0, 1, 3])
    func lastTry(retries: Int) async throws {
        let cut = failing(100, with: .failure(Self.cutOff))
        await #expect(throws: Self.cutOff) { try await retrying(cut, retries: retries).get(try request(), into: body) }
        #expect(cut.requests.count == retries + 1)
        let unavailable = failing(100, with: .status(503))
        let response = try await retrying(unavailable, retries: retries).get(try request(), into: body)
        #expect(response.head.status == 503)
        #expect(unavailable.requests.count == retries + 1)
        #expect(body.calls == [.begin(503)])
    }

    @Test("Each retry is reported with its pause, and the last failure is not")
    func told() async throws {
        let told = Mutex<[String]>([])
        let client = ScriptedHTTPClient { _, earlier in
            earlier == 0 ? .status(503).retryAfter(7) : .failure(Self.cutOff)
        }
        let retrying = retrying(client, retries: 2) { url, error, pause in
            told.withLock { $0.append("\(url): \(error.message), \(pause)") }
        }
        await #expect(throws: Self.cutOff) { try await retrying.get(try request(), into: body) }
        let lines = ["the server answered HTTP 503, 7.0 seconds", "cut off, 0.5 seconds"]
        #expect(told.withLock { $0 } == lines.map { "https://a.example/1.png: \($0)" })
    }

    @Test("A local file is read once, even if that fails")
    func localFile() async throws {
        let client = failing(1, with: .failure(.connectivity("I/O error")))
        await #expect(throws: FeedError.self) {
            try await retrying(client).get(try request("file:///feed.json"), into: body)
        }
        #expect(client.requests.count == 1)
    }

    @Test(
        "Retry-After is the shortest wait before a retry",
        arguments: [(7, 7000), (0, 250), (120, 120_000)])
    func retryAfter(seconds: Int, milliseconds: Int) async throws {
        let client = failing(1, with: .status(503).retryAfter(seconds))
        let response = try await retrying(client).get(try request(), into: body)
        #expect(response.head.status == 200)
        #expect(clock.sleeps == [.milliseconds(milliseconds)])
    }

    @Test("Retry-After holds back all requests to the host")
    func holdsBackOthers() async throws {
        let client = ScriptedHTTPClient { request, _ in
            request.url.text.hasSuffix("/1.png") ? .status(503).retryAfter(7) : .ok([1])
        }
        let retrying = retrying(client, retries: 0)
        #expect(try await retrying.get(try request(), into: body).head.status == 503)
        #expect(clock.sleeps.isEmpty)
        _ = try await retrying.get(try request("https://b.example/2.png"), into: body)
        #expect(clock.sleeps.isEmpty)
        _ = try await retrying.get(try request("https://a.example:443/2.png"), into: body)
        #expect(clock.sleeps == [.seconds(7)])
    }

    @Test("A host that asks for more than two minutes is given up, with one cause for all its images")
    func longRetryAfter() async throws {
        let client = ScriptedHTTPClient { _, _ in .status(429).retryAfter(121) }
        let retrying = retrying(client)
        let first = await #expect(throws: FeedError.self) { try await retrying.get(try request(), into: body) }
        #expect(first?.message.contains("121 seconds") == true)
        #expect(body.calls == [.begin(429)])
        let error = await #expect(throws: FeedError.self) {
            try await retrying.get(try request("https://a.example/2.png"), into: body)
        }
        #expect(error?.message == first?.message)
        // Only the request that got the response has its pause.
        #expect(first?.retryAfter == .seconds(121) && error?.retryAfter == nil)
        #expect(error?.kind == .connectivity)
        #expect(error?.status == 429)
        #expect(error?.host == "a.example")
        #expect(client.requests.count == 1)
        #expect(clock.sleeps.isEmpty)
    }

    @Test("An unreachable host is given up for the run, with one cause for all its images")
    func deadHost() async throws {
        let client = failing(1000, with: .failure(Self.refused))
        let retrying = retrying(client)
        await #expect(throws: Self.refused) { try await retrying.get(try request(), into: body) }
        for number in 2...100 {
            let error = await #expect(throws: FeedError.self) {
                try await retrying.get(try request("https://a.example/\(number).png"), into: body)
            }
            #expect(error?.kind == Self.refused.kind)
            #expect(error?.host == Self.refused.host)
            #expect(error?.status == nil)
        }
        #expect(client.requests.count == 4)
    }

    @Test("A host that answers with any status is never given up for occasional failures")
    func flakyHost() async throws {
        let client = ScriptedHTTPClient { _, earlier in
            earlier < 3 ? .failure(Self.refused) : .status(404)
        }
        let retrying = retrying(client)
        for number in 1...20 {
            let response = try await retrying.get(try request("https://a.example/\(number).png"), into: body)
            #expect(response.head.status == 404)
        }
    }

    @Test("A body that breaks off shows that its host is reachable")
    func cutOffCounts() async throws {
        let broken = ScriptedHTTPClient.Answer.ok([1]).cutOff(by: .connectivity("gone").at(.connecting))
        let client = failing(1000, with: broken)
        let retrying = retrying(client)
        for _ in 1...5 {
            await #expect(throws: FeedError.self) { try await retrying.get(try request(), into: body) }
        }
        #expect(client.requests.count == 20)
    }

    @Test("Cancellation ends the wait before a retry at once")
    func cancelledWhileWaiting() async throws {
        let waiting = Tally()
        let client = failing(1000, with: .status(503))
        let retrying = Fetcher(
            asking: client, rules: FetchRules(retry: RetryPolicy(retries: 3)),
            clockwork: TimeSource(
                uptime: { clock.now }, random: { 0.5 },
                sleep: { _ in
                    waiting.add(1)
                    try await Task.sleep(for: .seconds(3600))
                }))
        let task = Task { [body] in try await retrying.get(try request(), into: body) }
        await waiting.wait(for: 1)
        task.cancel()
        let result = await task.result
        #expect(throws: FeedError.cancelled) { try result.get() }
        #expect(client.requests.count == 1)
        #expect(body.calls.isEmpty)
    }

    @Test("A cancelled task sends no request")
    func cancelledBefore() async throws {
        let client = failing(0, with: .status(503))
        let retrying = retrying(client)
        let task = Task { [body] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await retrying.get(try request(), into: body)
        }
        let result = await task.result
        #expect(throws: FeedError.cancelled) { try result.get() }
        #expect(client.requests.isEmpty)
    }

    @Test("A host that is unreachable through one proxy is still requested through another, or without one")
    func routes() async throws {
        var network = NetworkSettings(userAgent: "test")
        let manner = RequestManner(network: network, retries: 0, maxRedirects: 1, allowsPrivate: false)
        network.proxy = "http://dead.example:1"
        let client = ScriptedHTTPClient { request in
            request.manner?.network.proxy == nil ? .ok([1]) : .failure(Self.refused)
        }
        let retrying = retrying(client, retries: 0, route: manner.network.route)
        var through = try request()
        through.manner = RequestManner(network: network, retries: 0, maxRedirects: 1, allowsPrivate: false)
        var other = try request()
        other.manner = manner
        for _ in 0..<2 {
            await #expect(throws: FeedError.self) { try await retrying.get(through, into: body) }
            #expect(try await retrying.get(try request(), into: body).head.status == 200)
            #expect(try await retrying.get(other, into: body).head.status == 200)
        }
        // The host is already given up at the second request.
        #expect(client.requests.count == 5)
    }
}
