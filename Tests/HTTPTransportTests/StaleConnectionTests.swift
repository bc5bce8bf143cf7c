import FeedCore
import HTTPTransport
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Kept connections that are closed", .timeLimit(.minutes(10)))
struct StaleConnectionTests {
    /// Creates a server that responds to the first request of each connection and ends the connection at the second.
    private func makeServer(_ ending: Reply.Ending) throws -> LoopbackServer {
        let served = Mutex<Set<Int>>([])
        return try LoopbackServer([
            "/": { request in
                let isFirst = served.withLock { $0.insert(request.connection).inserted }
                return isFirst ? Reply(body: [1]) : .raw("", ending: ending)
            }
        ])
    }

    @Test(
        "successive requests survive the closing of each kept connection",
        arguments: [Reply.Ending.close, .reset])
    func oneAfterAnother(_ ending: Reply.Ending) async throws {
        let server = try makeServer(ending)
        let client = try makeClient()
        for _ in 0..<40 {
            let response = try await client.get(makeRequest(server.url()), into: RecordingSink())
            #expect(response.bodyBytes == 1)
        }
    }

    @Test("concurrent requests survive the closing of kept connections", arguments: [Reply.Ending.close, .reset])
    func together(_ ending: Reply.Ending) async throws {
        let server = try makeServer(ending)
        let client = try makeClient { $0.maxConnectionsPerHost = 3 }
        let request = try makeRequest(server.url())
        let bytes = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<100 { group.addTask { try await client.get(request, into: RecordingSink()).bodyBytes } }
            return try await group.reduce(0, +)
        }
        #expect(bytes == 100)
    }

    /// Repeatedly requests a path with a response, and then on the same connection one without.
    private func expectFailures(_ answer: String, sentEach times: Int) async throws {
        let server = try LoopbackServer([
            "/good": { _ in Reply(body: [1]) }, "/lost": { _ in .raw(answer, ending: .reset) },
        ])
        let client = try makeClient()
        for number in 1...20 {
            _ = try await client.get(makeRequest(server.url("/good")), into: RecordingSink())
            let error = await failure(of: try makeRequest(server.url("/lost")), by: client)
            #expect(error?.kind == .connectivity)
            #expect(server.requests.count { $0.path == "/lost" } == times * number)
        }
    }

    @Test("a request that is lost on its new connection, too, fails without a third attempt")
    func newOneToo() async throws { try await expectFailures("", sentEach: 2) }

    @Test("a request that is lost on a new connection fails at once")
    func newOneAlone() async throws {
        let server = try LoopbackServer("/", .raw("", ending: .reset))
        let client = try makeClient()
        for number in 1...20 {
            let error = await failure(of: try makeRequest(server.url()), by: client)
            #expect(error?.kind == .connectivity)
            #expect(server.requests.count == number)
        }
    }

    @Test("a request whose response has begun is not repeated")
    func begun() async throws { try await expectFailures("HTTP/1.1 200 OK\r\nETag: ", sentEach: 1) }
}
