import JSONText
import TestSupport
import Testing

@Suite("Images that are left alone", .timeLimit(.minutes(10)))
struct LeftAloneTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
    }

    private func failOnce(_ reply: Reply) async throws {
        server.serve(reply, at: 1)
        #expect(try await program.run("--max-filesize", "1K", server.feedURL).status == .exited(23))
    }

    @Test("An image that was gone is skipped in the next run, which succeeds")
    func skipped() async throws {
        try await failOnce(Reply(404))
        let before = server.requestCount
        let result = try await program.run("sync", "--json", server.feedURL)
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
        #expect(server.paths(after: before) == ["/feed.json"])
        #expect(try result.json["images"]?["skipped"]?.int == 1)
        #expect(try result.json["images"]?["cached"]?.int == 2)
        #expect(try result.json["images"]?["failed"]?.int == 0)
        #expect(try result.json["failures"]?.array?.isEmpty == true)
    }

    @Test("-v names a skipped image and the option that retries it")
    func verbose() async throws {
        try await failOnce(Reply(410))
        let result = try await program.run("-v", server.feedURL)
        let line = result.errorLines.first { $0.contains(server.imageURL(1)) }
        #expect(line?.contains("skipped, because") == true)
        #expect(line?.contains("HTTP 410") == true)
        #expect(line?.contains("--retry-failed") == true)
    }

    @Test("The pause doubles with each failure, and --retry-failed ignores it")
    func pauses() async throws {
        try await failOnce(Reply(404))
        for hours in [1, 2, 4] {
            // The times are far from the end of the pause, because the runs themselves take time.
            try await age(byMinutes: hours * 60 - 30)
            #expect(try await program.run(server.feedURL).status == .exited(0))
            try await age(byMinutes: 30)
            #expect(try await program.run(server.feedURL).status == .exited(23), "after \(hours) hours")
        }
        #expect(try await program.run("--retry-failed", server.feedURL).status == .exited(23))
        #expect(try await program.sql("SELECT count, status, kind FROM failures") == "5|404|invalidData")
        server.serve(.png(1), at: 1)
        expectQuiet(try await program.run("--retry-failed", server.feedURL))
        #expect(try await program.sql("SELECT count(*) FROM failures") == "0")
    }

    @Test(
        "A transient failure, or one that another limit allows, is retried at once",
        arguments: [Reply(503), .image(FeedServer.image(1) + Array(repeating: 0, count: 2000))])
    func passing(_ reply: Reply) async throws {
        try await failOnce(reply)
        server.serve(.png(1), at: 1)
        expectQuiet(try await program.run(server.feedURL))
    }

    private func age(byMinutes minutes: Int) async throws {
        try await program.sql("UPDATE failures SET failed_at = failed_at - \(minutes) * 60 * 1000000")
    }
}
