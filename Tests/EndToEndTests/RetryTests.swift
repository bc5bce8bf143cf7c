import JSONText
import Synchronization
import TestSupport
import Testing

@Suite("Retrying", .timeLimit(.minutes(10)))
struct RetryTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    @Test("A server that is busy for a moment does not fail the run")
    func passing() async throws {
        let feed = Reply.text(FeedServer.feed([server.imageURL(0), server.imageURL(1)]))
        server.server.route("/feed.json", attempts: [Reply(503), Reply(503), feed])
        server.server.route("/0.png", attempts: [Reply(503), Reply(429), .png(0)])
        expectQuiet(try await program.run("--retries", "3", server.feedURL))
        #expect(server.paths().filter { $0 == "/0.png" }.count == 3)
        #expect(try await program.run("image", "--offline", server.imageURL(0)).standardOutput == FeedServer.image(0))
    }

    @Test("-v reports each attempt that is retried and the wait before the next")
    func told() async throws {
        let busy = Reply(503, headers: [("Retry-After", "1")])
        let feed = Reply.text(FeedServer.feed([server.imageURL(0)]))
        let said = ": the server answered HTTP 503; next try in 1.00s"
        for command in ["sync", "show"] {
            server.server.route("/feed.json", attempts: [busy, feed])
            let result = try await program.run(command, "-v", "--retries", "1", server.feedURL)
            #expect(result.errorText.contains("feedsync: \(server.feedURL)\(said)\n"), "\(result.errorText)")
        }
        server.server.route("/1.png", attempts: [busy, .png(1)])
        let secret = server.imageURL(1).replacing("//", with: "//me:pw@")
        let result = try await program.run("image", "-v", "--retries", "1", "--log-format", "json", secret)
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(!result.errorText.contains("pw"))
        let line = try #require(try result.errorLines.map { try JSONValue.parse(Array($0.utf8)) }.first)
        #expect(line["message"]?.string == server.imageURL(1) + said)
        #expect(line["level"]?.string == "debug" && line["event"]?.string == "retry")
        #expect(line["fields"]?["url"]?.string == server.imageURL(1))
        #expect(line["fields"]?["status"]?.int == 503 && line["fields"]?["pause_seconds"] == 1.0)
    }

    @Test("A request is retried as often as --retries says", arguments: [0, 1, 2])
    func count(retries: Int) async throws {
        server.serve(Reply(503, headers: [("Retry-After", "0")]), at: 1)
        let result = try await program.run("--retries", "\(retries)", server.feedURL)
        #expect(result.status == .exited(23), "\(result.errorText)")
        #expect(server.paths().filter { $0 == "/1.png" }.count == retries + 1)
        #expect(server.paths().filter { $0 == "/0.png" }.count == 1)
    }

    @Test("Nothing is retried before Retry-After is over")
    func retryAfter() async throws {
        let times = Mutex<[ContinuousClock.Instant]>([])
        let feed = FeedServer.feed([server.imageURL(1)])
        server.server.route("/feed.json") { _ in
            let isFirst = times.withLock { times in
                times.append(.now)
                return times.count == 1
            }
            return isFirst ? Reply(503, headers: [("Retry-After", "1")]) : .text(feed)
        }
        expectQuiet(try await program.run("--retries", "1", server.feedURL))
        let asked = times.withLock { $0 }
        #expect(asked.count == 2)
        #expect(asked[1] - asked[0] >= .seconds(1))
    }

    @Test("A host that asks for more than two minutes is given up at once, in one line")
    func longRetryAfter() async throws {
        let other = try FeedServer(images: 20)
        for number in 0..<20 { other.serve(Reply(429, headers: [("Retry-After", "3600")]), at: number) }
        server.serve(feedOf: (0..<20).map(other.imageURL))
        let result = try await program.run("-j", "1", "--retries", "3", server.feedURL)
        #expect(result.status == .exited(23))
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        #expect(result.errorText.contains("20 images from 127.0.0.1"))
        #expect(other.requestCount == 1)
    }

    @Test("A feed whose server asks for more than two minutes says so")
    func longRetryAfterOfFeed() async throws {
        server.server.route("/feed.json", Reply(503, headers: [("Retry-After", "3600")]))
        let result = try await program.run(server.feedURL)
        #expect(result.status == .exited(69))
        #expect(result.errorText.contains("HTTP 503 and asks to wait 3600 seconds"), "\(result.errorText)")
    }

    @Test("A host that accepts connections and stays silent is given up for the run")
    func silentHost() async throws {
        let silent = try FeedServer(images: 40)
        let gate = Gate()
        for number in 0..<40 { silent.serve(Reply(gate: gate), at: number) }
        server.serve(feedOf: (0..<40).map(silent.imageURL) + [server.imageURL(0)])
        let result = try await program.run("--retries", "1", "--timeout", "2", server.feedURL)
        #expect(result.status == .exited(23))
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        #expect(result.errorText.contains("40 images from 127.0.0.1"))
        #expect(result.errorText.contains("1 downloaded"))
        // The number of requests is four times the number in flight to one host, and less than twice that of the
        // images.
        #expect(silent.requestCount <= 36)
        gate.open()
    }
}

extension LoopbackServer {
    /// Returns the replies one after another; the last one is repeated.
    func route(_ path: String, attempts: [Reply]) {
        let count = Counter()
        route(path) { _ in attempts[min(count.next(), attempts.count - 1)] }
    }
}

/// A counter that starts at 0.
final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
