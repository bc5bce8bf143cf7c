import Glibc
import JSONText
import TestSupport
import Testing

/// A server that floods its connection with empty frames can keep libcurl inside one call, during which libcurl checks
/// none of its options.
@Suite("A run whose transfers are stuck", .timeLimit(.minutes(10)))
struct StuckTransferTests {
    /// A flood that is ended starts again with the next attempt.
    private static let options = ["--insecure", "--retries", "50"]

    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    private func flood(after behaviours: [FrameServer.Behaviour] = []) async throws -> FrameServer {
        try await FrameServer(behaviours + [.flood], in: program.directory)
    }

    @Test("--max-time ends a run while a server floods, and keeps the finished images")
    func maxTimeOfImages() async throws {
        let flood = try await flood()
        server.serve(feedOf: [server.imageURL(0), flood.url("/1.png"), server.imageURL(1)])
        let result = try await program.run(
            ["sync", "--json", "-j", "1", "--max-time", "4"] + Self.options + [server.feedURL])
        #expect(result.status == .exited(23), "\(result.errorText)")
        #expect(result.errorText.contains("not finished within --max-time 4"), "\(result.errorText)")
        let images = try result.json["images"]
        #expect(images?["downloaded"]?.int == Files.names(in: program.imageDirectory).count)
        #expect((images?["failed"]?.int ?? 0) >= 1)
        #expect(Files.names(in: "\(program.cache)/incoming") == [])
    }

    @Test("--max-time ends a run while a feed's server floods: the feed fails, or its fresh copy stands in")
    func maxTimeOfFeed() async throws {
        try program.directory.write(FeedServer.feed([]), to: "feed.json")
        let options = ["--max-time", "2"] + Self.options

        let unsaved = try await flood()
        let failed = try await program.run(options + [unsaved.url("/feed.json")])
        #expect(failed.status == .exited(69), "\(failed.errorText)")
        #expect(failed.errorText.contains("not finished within --max-time 2"), "\(failed.errorText)")

        let saved = try await flood(after: [.serve(program.directory.path("feed.json"))])
        #expect(try await program.run("--insecure", saved.url("/feed.json")).status == .exited(0))
        let offline = try await program.run(options + [saved.url("/feed.json")])
        #expect(offline.status == .exited(0), "\(offline.errorText)")
        #expect(try saved.requestCount >= 2)
    }

    @Test("The first signal ends a run while a server floods", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signal(_ signal: Int32) async throws {
        let flood = try await flood()
        server.serve(feedOf: [server.imageURL(0), flood.url("/1.png")])
        let run = try program.start(["sync", "-j", "1"] + Self.options + [server.feedURL])
        try await flood.waitForRequests(1)
        run.kill(signal)
        let result = await run.wait()
        #expect(result.status == .exited(128 + signal), "\(result.errorText)")
        #expect(result.errorText.contains("stopped"), "\(result.errorText)")
        #expect(result.errorText.contains("1 downloaded"), "\(result.errorText)")
        #expect(Files.names(in: program.imageDirectory).count == 1)
        #expect(Files.names(in: "\(program.cache)/incoming") == [])
    }
}
