import FeedCore
import TestSupport
import Testing

@Suite("The relay", .timeLimit(.minutes(10)))
struct RelayTests {
    @Test("a relay passes on every byte in order, in both directions", arguments: [0, 5])
    func order(delay: Int) async throws {
        // The body exceeds the bytes that can be under way at once.
        let body = pattern(20 << 20)
        let server = try LoopbackServer()
        server.route("/") { request in
            Reply(body: Array(request.path.utf8) + body, framing: .untilClosed, ending: .close)
        }
        let relay = try Relay(to: server.port, delay: delay, onAllOfLoopback: true)
        let client = try makeClient()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for host in 1...8 {
                group.addTask {
                    let path = "/?" + (0..<1000).map { "\(host)-\($0)" }.joined(separator: ",")
                    let sink = RecordingSink()
                    _ = try await client.get(
                        makeRequest("http://127.0.0.\(host):\(relay.port)\(path)"), into: sink)
                    #expect(sink.received(Array(path.utf8) + body))
                }
            }
            try await group.waitForAll()
        }
    }
}
