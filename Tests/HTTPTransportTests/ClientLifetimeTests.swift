import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Lifetime of a client", .timeLimit(.minutes(10)))
struct ClientLifetimeTests {
    @Test("a released client ends its thread")
    func released() async throws {
        let ended = Tally()
        let server = try LoopbackServer()
        do {
            let client = try makeClient(atEnd: { ended.add(1) })
            _ = try await client.get(makeRequest(server.url()), into: NullSink())
        }
        await ended.wait(for: 1)
    }

    @Test("an unused client ends its thread when it is released")
    func unused() async throws {
        let ended = Tally()
        _ = try makeClient(atEnd: { ended.add(1) })
        await ended.wait(for: 1)
    }

    @Test("a released client lives until its running requests have ended")
    func releasedWhileRunning() async throws {
        let ended = Tally()
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(body: [1], gate: gate))
        let request = try makeRequest(server.url())
        var client: CurlHTTPClient? = try makeClient(atEnd: { ended.add(1) })
        let tasks = (0..<5).map { [client] _ in
            Task { try await client?.get(request, into: NullSink()).bodyBytes }
        }
        client = nil
        await gate.waitForArrivals(5)
        #expect(ended.count == 0)
        gate.open()

        for task in tasks { #expect(try await task.value == 1) }
        await ended.wait(for: 1)
    }

    @Test("a closed client cancels running and later requests")
    func closed() async throws {
        let ended = Tally()
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(gate: gate))
        let request = try makeRequest(server.url())
        let client = try makeClient(atEnd: { ended.add(1) })
        let tasks = (0..<5).map { _ in Task { await failure(of: request, by: client) } }
        await gate.waitForArrivals(5)

        client.close()

        for task in tasks { #expect(await task.value == .cancelled) }
        #expect(await failure(of: request, by: client) == .cancelled)
        await ended.wait(for: 1)
        client.close()
    }
}
