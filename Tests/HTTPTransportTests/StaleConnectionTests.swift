import FeedCore
import HTTPTransport
import Synchronization
import TestSupport
import Testing

@Suite("A connection that is closed when it is used again", .timeLimit(.minutes(10)))
struct StaleConnectionTests {
    /// Answers the first request of each connection, and closes it at the second.
    private func makeServer() throws -> LoopbackServer {
        let served = Mutex<Set<Int>>([])
        return try LoopbackServer([
            "/": { request in
                served.withLock { $0.insert(request.connection).inserted } ? Reply(body: [1]) : .raw("")
            }
        ])
    }

    @Test("costs no request its answer, however many there are one after another")
    func oneAfterAnother() async throws {
        let server = try makeServer()
        let client = try makeClient()
        for _ in 0..<40 {
            let response = try await client.get(makeRequest(server.url()), into: RecordingSink())
            #expect(response.bodyBytes == 1)
        }
    }

    @Test("costs no request its answer when many are under way")
    func together() async throws {
        let server = try makeServer()
        let client = try makeClient { $0.maxConnectionsPerHost = 3 }
        let request = try makeRequest(server.url())
        let bytes = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<100 { group.addTask { try await client.get(request, into: RecordingSink()).bodyBytes } }
            return try await group.reduce(0, +)
        }
        #expect(bytes == 100)
    }
}
