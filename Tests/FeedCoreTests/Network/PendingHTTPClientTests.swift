import Synchronization
import TestSupport
import Testing

@testable import FeedCore

@Suite("A client in the making")
struct PendingHTTPClientTests {
    private let request: HTTPRequest

    init() throws { request = HTTPRequest(url: try ResourceURL("https://example.com/feed.json"), maxBytes: 1000) }

    @Test("is made once, for all requests, whenever they come")
    func madeOnce() async throws {
        let count = Mutex(0)
        let made = ScriptedHTTPClient { _ in .status(204) }
        let client = PendingHTTPClient { () throws(FeedError) in
            count.withLock { $0 += 1 }
            return made
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { [request] in try await client.get(request, into: CollectedBytes()) } }
            for try await answer in group { #expect(answer.head.status == 204) }
        }
        #expect(try await client.get(request, into: CollectedBytes()).head.status == 204)
        #expect(made.requests.count == 21)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("that can't be made fails each request, and tells why")
    func failure() async throws {
        let client = PendingHTTPClient { () throws(FeedError) in throw .notFound("no such certificates") }
        for _ in 0..<2 {
            await #expect(throws: FeedError.notFound("no such certificates")) {
                try await client.get(request, into: CollectedBytes())
            }
        }
        await #expect(throws: FeedError.notFound("no such certificates")) { _ = try await client.client() }
        #expect(client.executors.isEmpty)
    }

    @Test("has the executors of the one that is made")
    func executors() async throws {
        let client = PendingHTTPClient { () throws(FeedError) in Home() }
        _ = try await client.client()
        #expect(client.executors.count == 1)
    }

    private final class Home: HTTPClient {
        var executors: [any TaskExecutor] { [globalConcurrentExecutor] }

        func get(_: HTTPRequest, into _: any BodySink) async throws(FeedError) -> HTTPResponse { throw .cancelled }
    }
}
