import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("The rate limit", .timeLimit(.minutes(10)))
struct RateLimitTests {
    @Test("the rate limit applies to all transfers together", arguments: [1, 5])
    func shared(_ transfers: Int) async throws {
        // The bucket gives 16 KiB at once, and then pieces of an eighth of a second.
        let body = pattern(40_000 / transfers)
        let server = try LoopbackServer("/", Reply(body: body))
        let client = try makeClient { $0.rateLimit = 30_000 }
        let request = try makeRequest(server.url())

        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<transfers {
                group.addTask {
                    let sink = RecordingSink()
                    let response = try await client.get(request, into: sink)
                    #expect(response.bodyBytes == Int64(body.count))
                    #expect(sink.received(body))
                }
            }
            try await group.waitForAll()
        }

        // This is the rest of the time, less a piece that may be early.
        #expect(ContinuousClock.now - start >= .milliseconds(650))
    }

    @Test("a transfer that waits for the rate does not count as idle")
    func idle() async throws {
        let server = try LoopbackServer([
            "/throttled": { _ in Reply(body: pattern(40_000)) }, "/never": { _ in Reply(gate: Gate()) },
        ])
        let client = try makeClient {
            $0.rateLimit = 1
            $0.idleTimeout = .seconds(1)
        }
        let throttled = try makeRequest(server.url("/throttled"))
        let task = Task { await failure(of: throttled, by: client) }
        await server.waitForRequests(1)

        // The other request has waited as long when this one fails.
        let error = await failure(of: try makeRequest(server.url("/never")), by: client)
        task.cancel()

        #expect(error?.message == "no data arrived for 1 second")
        #expect(await task.value == .cancelled)
    }

    @Test("a transfer that waits for the rate can be cancelled")
    func cancelled() async throws {
        let server = try LoopbackServer("/", Reply(body: pattern(100_000)))
        let client = try makeClient { $0.rateLimit = 1 }
        let request = try makeRequest(server.url())
        let task = Task { await failure(of: request, by: client) }
        await server.waitForRequests(1)

        task.cancel()

        #expect(await task.value == .cancelled)
    }

    @Test("the rate limit counts the compressed bytes of a body")
    func compressed() async throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 1)
        try directory.write((0..<40_000).map { _ in UInt8.random(in: 0...255, using: &random) }, to: "dense.json")
        try directory.write([UInt8](repeating: 0x20, count: 300_000), to: "sparse.json")
        let nginx = try await Nginx(serving: directory.path, server: ["gzip on;", "gzip_types *;"])

        // Limiting the decoded bytes to one byte per second would take days.
        let slow = try makeClient { $0.rateLimit = 1 }
        let sparse = try await slow.get(makeRequest(nginx.url("/sparse.json")), into: NullSink())
        #expect(sparse.bodyBytes == 300_000)
        #expect(sparse.head.isContentEncoded)

        let client = try makeClient { $0.rateLimit = 30_000 }
        let start = ContinuousClock.now
        let dense = try await client.get(makeRequest(nginx.url("/dense.json")), into: NullSink())
        #expect(dense.bodyBytes == 40_000)
        #expect(dense.head.isContentEncoded)
        #expect(ContinuousClock.now - start >= .milliseconds(500))
    }
}
