import JSONText
import TestSupport
import Testing

@Suite("A server that fails now and then", .timeLimit(.minutes(10)))
struct FaultyServerTests {
    private static let images = 5000

    @Test("has all its images had in the end: one in a hundred reset, one refused, one stalled at the first try")
    func faults() async throws {
        let program = try Program()
        let server = try LoopbackServer()
        let stalled = Gate()
        defer { stalled.open() }
        let urls = (0..<Self.images).map { server.url("/\($0).png") }
        server.route("/feed.json", .text(FeedServer.feed(urls)))
        for number in 0..<Self.images {
            let body = FeedServer.image(number)
            let good = Reply(headers: [("ETag", "\"\(number)\"")], body: body)
            let fault: Reply? =
                switch number % 100 {
                case 7: .cutOff(after: number % body.count, of: body, ending: .reset)
                case 42: Reply(503)
                case 77: Reply(body: body, stall: (after: number % body.count, gate: stalled))
                default: nil
                }
            if let fault {
                server.route("/\(number).png", attempts: [fault, good])
            } else {
                server.route("/\(number).png", good)
            }
        }
        // The defaults, but for the time it takes to be sure that a server has stalled.
        let environment = ["FEEDSYNC_RETRIES": "3", "FEEDSYNC_TIMEOUT": "2"]
        expectQuiet(try await program.run(server.url("/feed.json"), environment: environment))
        #expect(server.requests.count >= 1 + Self.images + 3 * Self.images / 100)
        let report = try await program.run("validate", "--deep", "--json").json
        #expect(report["damaged"]?.int == 0)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == Self.images)
    }
}
