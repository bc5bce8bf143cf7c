import FeedCore
import HTTPTransport
import TestSupport
import Testing

@Suite("A sink", .timeLimit(.minutes(1)))
struct SinkTests {
    @Test("that throws ends the transfer with its error", arguments: [100, 10_000_000])
    func throwing(_ size: Int) async throws {
        let server = try LoopbackServer("/", Reply(body: pattern(size)))
        let full = FeedError.storage(.failed, "disk full")
        let sink = RecordingSink(failure: full)

        let error = await failure(of: try makeRequest(server.url()), by: try makeClient(), into: sink)

        #expect(error == full)
        #expect(sink.chunkSizes.count == 1)
    }

    @Test("that doesn't want a body is given none of it", arguments: [0, 100, 100_000])
    func unwanted(_ size: Int) async throws {
        let server = try LoopbackServer("/", Reply(500, body: pattern(size)))
        let sink = RecordingSink(isWanted: false)

        let response = try await makeClient().get(makeRequest(server.url()), into: sink)

        #expect(response.head.status == 500)
        #expect(sink.messages == [.begin(HTTPHead(status: 500))])
    }

    @Test("that doesn't want a large body doesn't have to wait for it")
    func unwantedLarge() async throws {
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(500, body: pattern(1 << 20), stall: (512 << 10, gate)))
        let sink = RecordingSink(isWanted: false)

        let response = try await makeClient().get(makeRequest(server.url()), into: sink)

        #expect(response.head.status == 500)
        #expect(response.bodyBytes <= 512 << 10)
        #expect(sink.messages.count == 1)
    }

    @Test("that is slow slows the server down: what is in between is bounded", arguments: [1, 4])
    func backpressure(_ transfers: Int) async throws {
        let size = 64 << 20
        let body = pattern(size)
        let server = try LoopbackServer("/", Reply(body: body))
        let client = try makeClient()
        let gate = Gate()
        let request = try makeRequest(server.url())

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<transfers {
                group.addTask {
                    let sink = RecordingSink(gate: gate)
                    let response = try await client.get(request, into: sink)
                    #expect(response.bodyBytes == Int64(size))
                    #expect(sink.received(body))
                }
            }
            await server.waitUntilBlocked()
            // The queue's 8 MiB, and for each connection what the kernel's buffers take.
            #expect(server.bytesSent < (12 + transfers * 16) << 20)
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test("that blocks doesn't hold up the others")
    func independence() async throws {
        let server = try LoopbackServer([
            "/slow": { _ in Reply(body: pattern(1000)) }, "/fast": { _ in Reply(body: pattern(1000)) },
        ])
        let client = try makeClient()
        let gate = Gate()
        let slow = try makeRequest(server.url("/slow"))
        async let blocked = client.get(slow, into: RecordingSink(gate: gate))
        await gate.waitForArrivals()

        for _ in 0..<20 { _ = try await client.get(makeRequest(server.url("/fast")), into: NullSink()) }
        gate.open()

        #expect(try await blocked.bodyBytes == 1000)
    }
}
