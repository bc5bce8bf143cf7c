import FeedCore
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("A client with as many connections as requests", .timeLimit(.minutes(10)))
struct TwoThreadsTests {
    private func settings(_ change: (inout NetworkSettings) -> Void = { _ in }) -> NetworkSettings {
        var settings = NetworkSettings(userAgent: "x")
        settings.isPlain = true
        settings.requestsAtOnce = 6
        settings.maxConnectionsPerHost = 6
        // A test may have to wait for its turn while its server waits for it.
        settings.idleTimeout = .seconds(900)
        change(&settings)
        return settings
    }

    private func client(_ settings: NetworkSettings, _ ended: Tally = Tally()) throws -> CurlHTTPClient {
        try CurlHTTPClient(settings: settings, environment: [:]) { ended.add(1) }
    }

    @Test(
        "shares its requests among two threads only where that helps and keeps every limit",
        arguments: [
            (true, 6, 6, nil, 2), (true, 2, 6, nil, 2), (false, 6, 6, nil, 1), (true, 1, 6, nil, 1),
            (true, 7, 6, nil, 1), (true, 6, 6, 1 << 20, 1),
        ] as [(Bool, Int, Int, Int64?, Int)])
    func threads(isPlain: Bool, requests: Int, connections: Int, rate: Int64?, expected: Int) throws {
        let client = try client(
            settings {
                $0.isPlain = isPlain
                $0.requestsAtOnce = requests
                $0.maxConnectionsPerHost = connections
                $0.rateLimit = rate
            })
        #expect(client.executors.count == expected)
    }

    @Test("has each thread answer the tasks that prefer it, on connections of its own")
    func connections() async throws {
        let server = try LoopbackServer("/", Reply(body: [1]))
        let client = try client(settings())
        let request = try makeRequest(server.url())

        for executor in client.executors + client.executors {
            let task = Task(executorPreference: executor) { try await client.get(request, into: NullSink()).bodyBytes }
            #expect(try await task.value == 1)
        }
        // A task without a preference has a thread too.
        _ = try await client.get(request, into: NullSink())

        #expect(server.requests.map(\.connection) == [1, 2, 1, 2, 1])
    }

    @Test("never has more connections than it may, and all that it may")
    func bound() async throws {
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(body: [1], gate: gate))
        let client = try client(
            settings {
                $0.requestsAtOnce = 5
                $0.maxConnectionsPerHost = 5
            })
        let request = try makeRequest(server.url())

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let executor = client.executors[number % 2]
                group.addTask(executorPreference: executor) { _ = try await client.get(request, into: NullSink()) }
            }
            await server.waitForRequests(5)
            gate.open()
            try await group.waitForAll()
        }

        #expect(server.requests.count == 20)
        #expect(Set(server.requests.map(\.connection)) == [1, 2, 3, 4, 5])
    }

    @Test("gives requests of tasks that run elsewhere all of its connections, too")
    func strangers() async throws {
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(body: [1], gate: gate))
        let client = try client(settings())
        let request = try makeRequest(server.url())

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { _ = try await client.get(request, into: NullSink()) } }
            // None is answered before all were asked.
            await gate.waitForArrivals(6)
            gate.open()
            try await group.waitForAll()
        }

        #expect(Set(server.requests.map(\.connection)).count == 6)
    }

    @Test("that is closed ends what runs on either thread, and both threads")
    func closed() async throws {
        let ended = Tally()
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(gate: gate))
        let client = try client(settings(), ended)
        let request = try makeRequest(server.url())
        let tasks = client.executors.map { executor in
            Task(executorPreference: executor) { await failure(of: request, by: client) }
        }
        await gate.waitForArrivals(2)

        client.close()

        for task in tasks { #expect(await task.value == .cancelled) }
        await ended.wait(for: 2)
    }

    @Test("cancels a request on the thread that it runs on")
    func cancellation() async throws {
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(gate: gate))
        let client = try client(settings())
        let request = try makeRequest(server.url())
        for (number, executor) in client.executors.enumerated() {
            let task = Task(executorPreference: executor) { await failure(of: request, by: client) }
            await gate.waitForArrivals(number + 1)
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }
}
