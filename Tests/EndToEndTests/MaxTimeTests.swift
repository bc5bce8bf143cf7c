import JSONText
import TestSupport
import Testing

@Suite("--max-time", .timeLimit(.minutes(10)))
struct MaxTimeTests {
    private let program: Program
    private let server: FeedServer
    private let stalled = Reply(gate: Gate())

    init() throws {
        program = try Program()
        server = try FeedServer(images: 4)
    }

    @Test("--max-time keeps the finished images and fails the others in one line")
    func images() async throws {
        server.serve(stalled, at: 2)
        server.serve(stalled, at: 3)
        let result = try await program.run("sync", "--json", "--max-time", "4", server.feedURL)
        #expect(result.status == .exited(23), "\(result.errorText)")
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        #expect(result.errorLines.first?.contains("2 images: not finished within --max-time 4") == true)
        #expect(try result.json["images"]?["downloaded"]?.int == 2)
        #expect(try result.json["images"]?["failed"]?.int == 2)
        #expect(try result.json["failures"]?[0]?["kind"]?.string == "connectivity")
        #expect(Files.names(in: program.imageDirectory).count == 2)
        #expect(Files.names(in: "\(program.cache)/incoming") == [])

        for image in 2...3 { server.serve(.png(image), at: image) }
        expectQuiet(try await program.run("--max-time", "50", server.feedURL))
    }

    @Test("A feed that is not loaded within --max-time counts as unreachable")
    func feed() async throws {
        server.server.route("/feed.json", stalled)
        let result = try await program.run("--max-time", "0.5", server.feedURL)
        #expect(result.status == .exited(69))
        #expect(result.errorLines.first == "feedsync: \(server.feedURL): not finished within --max-time 0.5")
    }

    @Test("One feed that exceeds --max-time does not keep another from its images")
    func otherFeed() async throws {
        let slow = try FeedServer(images: 1)
        slow.server.route("/feed.json", stalled)
        let result = try await program.run("sync", "--json", "--max-time", "4", slow.feedURL, server.feedURL)
        #expect(result.status == .exited(69), "\(result.errorText)")
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        #expect(try result.json["images"]?["downloaded"]?.int == 4)
        #expect(try result.json["images"]?["failed"]?.int == 0)
    }

    @Test("--max-time applies to show and image too")
    func others() async throws {
        server.server.route("/feed.json", stalled)
        server.serve(stalled, at: 2)
        for command in [["show", server.feedURL], ["image", server.imageURL(2)]] {
            let result = try await program.run(command + ["--max-time", "0.5"])
            expectOneLine(result, exit: 69, ["not finished within --max-time 0.5"])
        }
    }

    @Test("The fresh copy of a feed is used when --max-time is over")
    func offline() async throws {
        expectQuiet(try await program.run(server.feedURL))
        server.server.route("/feed.json", stalled)
        expectQuiet(try await program.run("--max-time", "0.5", server.feedURL))
        let result = try await program.run("-v", "--max-time", "0.5", server.feedURL)
        #expect(result.status == .exited(0))
        let line = result.errorLines.first { $0.hasPrefix("feedsync: \(server.feedURL): offline, using the feed") }
        #expect(line?.contains("not finished within --max-time 0.5") == true, "\(result.errorText)")
    }
}
