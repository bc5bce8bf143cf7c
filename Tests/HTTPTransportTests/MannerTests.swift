import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Settings of one request")
struct MannerTests {
    @Test("the settings of one request do not affect the next")
    func userAgent() async throws {
        let server = try LoopbackServer("/", .text("x"))
        let client = try makeClient { $0.userAgent = "all/1" }
        for agent in [nil, "own/2", nil, "own/3", "own/2", nil] {
            var request = try makeRequest(server.url())
            request.manner = agent.map { agent in manner { $0.userAgent = agent } }
            _ = try await client.get(request, into: NullSink())
        }
        let told = server.requests.map { $0.header("user-agent") }
        #expect(told == ["all/1", "own/2", "all/1", "own/3", "own/2", "all/1"])
    }

    @Test("a request may have an idle timeout of its own, longer or shorter")
    func timeout() async throws {
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(body: [1, 2, 3], stall: (1, gate)))
        let patient = try makeClient { $0.idleTimeout = .seconds(900) }
        var request = try makeRequest(server.url())
        request.manner = manner { $0.idleTimeout = .milliseconds(50) }
        let error = await failure(of: request, by: patient)
        #expect(error?.message.contains("arrived") == true)

        let hasty = try makeClient { $0.idleTimeout = .milliseconds(50) }
        request.manner = manner { $0.idleTimeout = .seconds(900) }
        async let response = hasty.get(request, into: NullSink())
        // Another request meanwhile exceeds the client's own timeout.
        #expect(await failure(of: try makeRequest(server.url()), by: hasty) != nil)
        gate.open()
        #expect(try await response.head.status == 200)
    }

    @Test("a proxy gets requests for more hosts at once than a host gets connections", .timeLimit(.minutes(15)))
    func sharedProxy() async throws {
        let gate = Gate()
        let hosts = (0..<9).map { "http://host\($0).invalid/" }
        let routes = hosts.map { ($0, { @Sendable _ in Reply(body: [1], gate: gate) } as LoopbackServer.Route) }
        let proxy = try LoopbackServer(Dictionary(uniqueKeysWithValues: routes))
        let client = try makeClient { $0.proxy = proxy.url("") }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for host in hosts {
                let request = try makeRequest(host)
                group.addTask { try await client.get(request, into: NullSink()).head.status }
            }
            await gate.waitForArrivals(hosts.count)
            gate.open()
            for try await status in group { #expect(status == 200) }
        }
    }

    @Test("a request may have a proxy of its own, or none")
    func proxy() async throws {
        let proxy = try LoopbackServer(["http://feeds.invalid/": { _ in .text("x") }])
        let client = try makeClient { $0.proxy = proxy.url("") }
        var request = try makeRequest("http://feeds.invalid/")
        #expect(try await client.get(request, into: NullSink()).head.status == 200)
        request.manner = manner { $0.proxy = "" }
        #expect(await failure(of: request, by: client)?.stage == .connecting)
        #expect(proxy.requests.count == 1)
    }
}
