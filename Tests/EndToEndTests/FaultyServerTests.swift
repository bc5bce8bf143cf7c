import JSONText
import TestSupport
import Testing

@Suite("A server that fails now and then", .timeLimit(.minutes(10)))
struct FaultyServerTests {
    private static let images = 5000

    @Test("All images arrive although the server resets, refuses and stalls one first attempt each")
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
        // The options have their defaults, except the time after which a server counts as stalled.
        let environment = ["FEEDSYNC_RETRIES": "3", "FEEDSYNC_TIMEOUT": "2"]
        expectQuiet(try await program.run(server.url("/feed.json"), environment: environment))
        #expect(server.requests.count >= 1 + Self.images + 3 * Self.images / 100)
        let report = try await program.run("validate", "--deep", "--json").json
        #expect(report["damaged"]?.int == 0)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == Self.images)
    }

    @Test("A slow server delays neither the run nor the images of others")
    func drip() async throws {
        let program = try Program()
        let (server, other) = (try FeedServer(images: 0), try LoopbackServer())
        let drips = (0..<24).map { server.server.url("/\($0).png") }
        for number in drips.indices {
            server.serve(.dripping(Samples.png("drip") + [UInt8](repeating: 1, count: 800)), at: number)
        }
        let honest = (0..<20).map { other.url("/\($0).png") }
        for number in honest.indices { other.route("/\(number).png", .png(number)) }
        server.serve(feedOf: drips + honest)

        let result = try await program.run("--json", "--retries", "0", "--timeout", "1", server.feedURL)

        #expect(result.status == .exited(23), "\(result.errorText)")
        #expect(result.errorText.contains("less than 1 KiB arrived in 1 second"), "\(result.errorText)")
        #expect(try result.json["images"]?["downloaded"]?.int == 20)
        #expect(try result.json["images"]?["failed"]?.int == 24)
    }

    @Test("A server slowed by the user's own --limit-rate does not count as slow")
    func ownRate() async throws {
        let program = try Program()
        let server = try FeedServer(images: 4)
        // The first 16 KiB arrive at once.
        for number in 0..<4 {
            server.serve(.image(Samples.png("\(number)") + [UInt8](repeating: 1, count: 4500)), at: number)
        }
        expectQuiet(try await program.run("--limit-rate", "500", "--retries", "0", "--timeout", "1", server.feedURL))
    }
}
