import Glibc
import JSONText
import Synchronization
import TestSupport
import Testing

@Suite("How many requests a host gets at once", .timeLimit(.minutes(10)))
struct HostConcurrencyTests {
    /// A server that responds when its work is done, to a limited number of requests at once.
    private final class Desk: Sendable {
        private let places: Int
        private let state = Mutex((atWork: 0, most: 0, refused: 0))

        init(places: Int = .max) { self.places = places }

        var most: Int { state.withLock { $0.most } }
        var refused: Int { state.withLock { $0.refused } }

        func serve(_ reply: Reply) -> Reply {
            let isLetIn = state.withLock { state in
                guard state.atWork < places else {
                    state.refused += 1
                    return false
                }
                state.atWork += 1
                state.most = max(state.most, state.atWork)
                return true
            }
            guard isLetIn else { return Reply(429) }
            usleep(3000)
            state.withLock { $0.atWork -= 1 }
            return reply
        }
    }

    private let program: Program

    init() throws { program = try Program() }

    private func serve(images count: Int, at desk: Desk) throws -> FeedServer {
        let server = try FeedServer(images: count)
        for number in 0..<count { server.server.route("/\(number).png") { _ in desk.serve(.png(number)) } }
        return server
    }

    @Test("All images of a server that admits few requests arrive, with hardly any 429", arguments: [1, 2, 4])
    func turnedAway(places: Int) async throws {
        let desk = Desk(places: places)
        let server = try serve(images: 300, at: desk)
        expectQuiet(try await program.run("--retries", "3", server.feedURL))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 300)
        #expect(Double(desk.refused) <= 0.15 * Double(server.requestCount), "\(desk.refused) of \(server.requestCount)")
    }

    @Test(
        "A host gets six requests at once over HTTP/1.1, or as many as the option says",
        arguments: [([], 6), (["--max-per-host", "9"], 9)])
    func connections(options: [String], most: Int) async throws {
        let desk = Desk()
        let server = try serve(images: 100, at: desk)
        expectQuiet(try await program.run(options + [server.feedURL]))
        #expect(desk.most <= most && desk.most > most / 2)
        #expect(server.server.connections <= most)
    }

    @Test("--jobs limits all requests at once, of feeds and images together")
    func jobs() async throws {
        let desk = Desk()
        let servers = try (0..<5).map { _ in try serve(images: 20, at: desk) }
        for server in servers {
            let feed = FeedServer.feed((0..<20).map(server.imageURL))
            server.server.route("/feed.json") { _ in desk.serve(.text(feed)) }
        }
        expectQuiet(try await program.run(["--jobs", "3"] + servers.map(\.feedURL)))
        #expect(desk.most <= 3)
    }
}
