import FeedCore
import HTTPTransport
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("A connection that is closed when it is used again", .timeLimit(.minutes(10)))
struct StaleConnectionTests {
    /// Answers the first request of each connection, and ends it at the second.
    private func makeServer(_ ending: Reply.TransferEnding) throws -> LoopbackServer {
        let served = Mutex<Set<Int>>([])
        return try LoopbackServer([
            "/": { request in
                let isFirst = served.withLock { $0.insert(request.connection).inserted }
                return isFirst ? Reply(body: [1]) : .raw("", ending: ending)
            }
        ])
    }

    @Test(
        "costs no request its answer, however many there are one after another",
        arguments: [Reply.TransferEnding.close, .reset])
    func oneAfterAnother(_ ending: Reply.TransferEnding) async throws {
        let server = try makeServer(ending)
        let client = try makeClient()
        for _ in 0..<40 {
            let response = try await client.get(makeRequest(server.url()), into: RecordingSink())
            #expect(response.bodyBytes == 1)
        }
    }

    @Test("costs no request its answer when many are under way", arguments: [Reply.TransferEnding.close, .reset])
    func together(_ ending: Reply.TransferEnding) async throws {
        let server = try makeServer(ending)
        let client = try makeClient { $0.maxConnectionsPerHost = 3 }
        let request = try makeRequest(server.url())
        let bytes = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<100 { group.addTask { try await client.get(request, into: RecordingSink()).bodyBytes } }
            return try await group.reduce(0, +)
        }
        #expect(bytes == 100)
    }

    /// Asks for what is answered, and on the same connection for what is not, again and again.
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

    @Test("is no excuse for a new one: a request that is lost there fails, and is sent no third time")
    func newOneToo() async throws { try await expectFailures("", sentEach: 2) }

    @Test("fails a request at once that it was new for")
    func newOneAlone() async throws {
        let server = try LoopbackServer("/", .raw("", ending: .reset))
        let client = try makeClient()
        for number in 1...20 {
            let error = await failure(of: try makeRequest(server.url()), by: client)
            #expect(error?.kind == .connectivity)
            #expect(server.requests.count == number)
        }
    }

    @Test("fails a request that an answer has begun for")
    func begun() async throws { try await expectFailures("HTTP/1.1 200 OK\r\nETag: ", sentEach: 1) }
}
