import FeedCore
import Glibc
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Sinks", .timeLimit(.minutes(10)))
struct SinkTests {
    @Test("a sink that throws ends the transfer with its error", arguments: [100, 10_000_000])
    func throwing(_ size: Int) async throws {
        let server = try LoopbackServer("/", Reply(body: pattern(size)))
        let full = FeedError.storage(.failed, "disk full")
        let sink = RecordingSink(failure: full)

        let error = await failure(of: try makeRequest(server.url()), by: try makeClient(), into: sink)

        #expect(error == full)
        #expect(sink.chunkSizes.count == 1)
    }

    @Test("a sink that declines a body receives none of it", arguments: [0, 100, 100_000])
    func unwanted(_ size: Int) async throws {
        let server = try LoopbackServer("/", Reply(500, body: pattern(size)))
        let sink = RecordingSink(isWanted: false)

        let response = try await makeClient().get(makeRequest(server.url()), into: sink)

        #expect(response.head.status == 500)
        #expect(sink.messages == [.begin(HTTPHead(status: 500))])
    }

    @Test("a sink that declines a large body does not wait for it")
    func unwantedLarge() async throws {
        let gate = Gate()
        let server = try LoopbackServer("/", Reply(500, body: pattern(1 << 20), stall: (512 << 10, gate)))
        let sink = RecordingSink(isWanted: false)

        let response = try await makeClient().get(makeRequest(server.url()), into: sink)

        #expect(response.head.status == 500)
        #expect(response.bodyBytes <= 512 << 10)
        #expect(sink.messages.count == 1)
    }

    @Test("a slow sink slows the server down with bounded buffers", arguments: [1, 3])
    func backpressure(_ transfers: Int) async throws {
        let kernel = try mostBufferedByKernel()
        let body = pattern(kernel + 32 << 20)
        let server = try LoopbackServer("/", Reply(body: body))
        let client = try makeClient()
        let gate = Gate()
        let request = try makeRequest(server.url(), maxBytes: Int64(body.count))

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<transfers {
                group.addTask {
                    let sink = RecordingSink(gate: gate, keepsBytes: number == 0)
                    let response = try await client.get(request, into: sink)
                    #expect(response.bodyBytes == Int64(body.count))
                    #expect(number > 0 || sink.received(body))
                }
            }
            await server.waitUntilBlocked()
            // The limit is the queue's 8 MiB, and about one chunk for each transfer.
            #expect(server.bytesSent < 10 << 20 + transfers * kernel)
            gate.open()
            try await group.waitForAll()
        }
    }

    /// Returns the bytes that Linux may buffer at both ends of a connection.
    private func mostBufferedByKernel() throws -> Int {
        try ["tcp_rmem", "tcp_wmem"].reduce(0) { sum, name in
            let path = "/proc/sys/net/ipv4/\(name)"
            let file = try #require(fopen(path, "r"))
            defer { fclose(file) }
            var line = [UInt8](repeating: 0, count: 200)
            let count = fread(&line, 1, line.count, file)
            let numbers = String(decoding: line[..<count], as: UTF8.self).split { $0.isWhitespace }
            return try sum + #require(numbers.last.flatMap { Int($0) })
        }
    }

    @Test("a blocked sink does not delay other sinks")
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
