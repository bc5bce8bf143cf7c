import FeedCore
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

@Suite("Cancellation", .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test("a cancelled request ends as cancelled, whatever it waits for", arguments: ["/head", "/body", "/large"])
    func waiting(_ path: String) async throws {
        let gate = Gate()
        let server = try LoopbackServer([
            "/head": { _ in Reply(gate: gate) },
            "/body": { _ in Reply(body: pattern(1000), stall: (500, gate)) },
            "/large": { _ in Reply(body: pattern(1_000_000), stall: (900_000, gate)) },
        ])
        let client = try makeClient()
        let request = try makeRequest(server.url(path))
        let task = Task { await failure(of: request, by: client) }
        await gate.waitForArrivals()

        task.cancel()

        #expect(await task.value == .cancelled)
    }

    @Test("a request is cancelled while it connects or waits for a connection")
    func connecting() async throws {
        let dead = try DeadPort(isSilent: true)
        let client = try makeClient { $0.maxConnectionsPerHost = 1 }
        let request = try makeRequest(dead.url())
        let tasks = (0..<3).map { _ in Task { await failure(of: request, by: client) } }

        for task in tasks { task.cancel() }

        for task in tasks { #expect(await task.value == .cancelled) }
    }

    @Test("a request that is cancelled before its start is not sent")
    func beforeStart() async throws {
        let server = try LoopbackServer()
        let client = try makeClient()
        let request = try makeRequest(server.url())
        let gate = Tally()
        let task = Task {
            await gate.wait(for: 1)
            return await failure(of: request, by: client)
        }

        task.cancel()
        gate.add(1)

        #expect(await task.value == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("a cancelled request ends after its sink returns, and never calls it again")
    func sinkAtWork() async throws {
        let server = try LoopbackServer("/", Reply(body: pattern(2_000_000)))
        let client = try makeClient()
        let gate = Gate()
        let sink = RecordingSink(gate: gate)
        let request = try makeRequest(server.url())
        let over = Tally()
        let task = Task {
            let error = await failure(of: request, by: client, into: sink)
            over.add(1)
            return error
        }
        await gate.waitForArrivals()

        task.cancel()
        // After this round trip through the threads, the cancellation has been processed.
        _ = await failure(of: try makeRequest(try DeadPort().url()), by: client)
        #expect(over.count == 0)
        gate.open()

        #expect(await task.value == .cancelled)
        #expect(sink.chunkSizes.count == 1)
    }

    @Test("a cancelled request drops the parts that its task has already taken")
    func takenParts() async throws {
        let server = try LoopbackServer("/", Reply(body: pattern(300_000)))
        let client = try makeClient()
        let (first, second) = (Gate(), Gate())
        let sink = RecordingSink(gate: first, laterGate: second)
        let request = try makeRequest(server.url())
        let task = Task { await failure(of: request, by: client, into: sink) }
        await first.waitForArrivals()
        await server.waitForBytes(300_000)
        // After this round trip, further parts have arrived, and the task takes them at once.
        _ = await failure(of: try makeRequest(try DeadPort().url()), by: client)
        first.open()
        await second.waitForArrivals()

        task.cancel()
        second.open()

        #expect(await task.value == .cancelled)
        #expect(sink.chunkSizes.count == 2)
    }

    @Test("a cancelled request drops the rest of a compressed chunk")
    func compressed() async throws {
        let body = try await Subprocess.gzip([UInt8](repeating: 7, count: 1_000_000))
        let server = try LoopbackServer("/", Reply(headers: [("Content-Encoding", "gzip")], body: body))
        let client = try makeClient()
        let gate = Gate()
        let sink = RecordingSink(gate: gate)
        let request = try makeRequest(server.url())
        let task = Task { await failure(of: request, by: client, into: sink) }
        await gate.waitForArrivals()

        task.cancel()
        gate.open()

        #expect(await task.value == .cancelled)
        #expect(sink.chunkSizes.count == 1)
    }

    @Test("a client keeps working after cancellations at any moment")
    func anyMoment() async throws {
        let server = try LoopbackServer([
            "/0": { _ in Reply(body: pattern(100)) },
            "/1": { _ in Reply(body: pattern(300_000)) },
            "/2": { _ in Reply(body: pattern(30_000), framing: .chunked(size: 1000)) },
            "/3": { _ in .cutOff(after: 10, of: pattern(100)) },
        ])
        let client = try makeClient { $0.maxConnectionsPerHost = 4 }
        var random = SeededGenerator(seed: 20_261_120)

        for _ in 0..<100 {
            let requests = try (0..<8).map { _ in
                try makeRequest(server.url("/\(Int.random(in: 0..<4, using: &random))"))
            }
            let tasks = requests.map { request in
                Task { (request, await failure(of: request, by: client)) }
            }
            for task in tasks.shuffled(using: &random) {
                for _ in 0..<Int.random(in: 0..<200, using: &random) { await Task.yield() }
                task.cancel()
            }
            for task in tasks {
                let (request, error) = await task.value
                if request.url.text.hasSuffix("/3"), error?.kind == .connectivity { continue }
                #expect(error == nil || error == .cancelled, "\(request.url.text): \(error?.message ?? "")")
            }
        }

        let last = try await client.get(makeRequest(server.url("/1")), into: NullSink())
        #expect(last.bodyBytes == 300_000)
    }
}

/// Generates the same numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
