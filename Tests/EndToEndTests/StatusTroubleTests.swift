import JSONText
import TestSupport
import Testing

@Suite("Status says what is wrong with a feed", .timeLimit(.minutes(10)))
struct StatusTroubleTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
    }

    private func feed() async throws -> JSONValue? { try await program.status()["feeds"]?[0]?.comparable }

    /// Returns the lines below the table, without the URL of the feed.
    private func further() async throws -> [Substring] {
        try await program.run("status").outputLines.dropFirst(3).map { $0.trimmingPrefix("\(server.feedURL): ") }
    }

    @Test("status shows a feed's last error until a sync loads the feed again")
    func lastError() async throws {
        try await program.run(server.feedURL)
        #expect(try await feed()?["last_error"] == .null)
        #expect(try await further() == [])
        server.server.route("/feed.json", Reply(503))
        #expect(try await program.run(server.feedURL).status == .exited(0))
        let message: JSONValue = "the server answered HTTP 503"
        #expect(try await feed()?["last_error"] == ["kind": "connectivity", "message": message, "at": "TIME"])
        try await program.sql("UPDATE feeds SET error_at = error_at - 7200 * 1000000")
        #expect(try await further() == ["last error 2 hours ago: the server answered HTTP 503"])
        server.serve(images: [0, 1, 2])
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await feed()?["last_error"] == .null)
        server.serve(feed: "{}")
        #expect(try await program.run(server.feedURL).status == .exited(65))
        #expect(
            try await feed()?["last_error"] == ["kind": "invalidData", "message": "items: missing", "at": "TIME"])
        server.serve(images: [0])
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await feed()?["last_error"] == .null)
    }

    @Test("status shows no errors of a dry run, show or wait, and none of a feed that was never saved")
    func others() async throws {
        server.serve(feed: "{}")
        try await program.run(server.feedURL)
        #expect(try await program.status()["feeds"] == [])
        server.serve(images: [0])
        try await program.run(server.feedURL)
        server.server.route("/feed.json", Reply(429, headers: [("Retry-After", "3600")]))
        try await program.run("-n", server.feedURL)
        try await program.run("show", server.feedURL)
        #expect(try await feed()?["last_error"] == .null)
        try await program.run(server.feedURL)
        let refused = try await feed()?["last_error"]
        #expect(refused?["message"]?.string?.contains("429") == true, "\(refused.debugDescription)")
        // The server of this feed gets no request.
        try await program.run(server.feedURL)
        #expect(try await feed()?["last_error"] == refused)
        let lines = try await program.run("status").outputLines
        #expect(lines[3].contains("waiting until 20") && lines[4].contains("429"))
    }

    @Test("status shows how many of a feed's images failed and when the next is requested again")
    func images() async throws {
        server.serve(feedOf: [0, 1, 1, 2].map(server.imageURL))
        for image in [1, 2] { server.serve(Reply(404), at: image) }
        try await program.run(server.feedURL)
        #expect(try await feed()?["images_failed"] == 2)
        try await program.sql("UPDATE failures SET count = 8")
        #expect(try await further() == ["2 images failed (next try in 5 days)"])
        try await program.sql("UPDATE failures SET count = 7 WHERE url = '\(server.imageURL(1))'")
        #expect(try await further() == ["2 images failed (next try in 2 days)"])
        try await program.sql("UPDATE failures SET failed_at = failed_at - 64 * 3601 * 1000000")
        #expect(try await further() == ["2 images failed (next try with the next sync)"])
        server.server.route("/feed.json", Reply(503))
        try await program.run(server.feedURL)
        try await program.sql("UPDATE feeds SET error_at = error_at - 7200 * 1000000")
        let images = "2 images failed (next try with the next sync)"
        #expect(try await further() == [images[...], "last error 2 hours ago: the server answered HTTP 503"])
        for image in [1, 2] { server.serve(.png(image), at: image) }
        server.serve(feedOf: [0, 1, 1, 2].map(server.imageURL))
        expectQuiet(try await program.run("--retry-failed", server.feedURL))
        #expect(try await feed()?["images_failed"] == 0)
        #expect(try await further() == [])
    }

    @Test("status shows errors with escaped control characters and without passwords")
    func text() async throws {
        try await program.run(server.feedURL)
        server.serve(feed: #"{"items":[{"id":"see http://u:s3cret@h/ \u001b[2J","image":"http://h/x"}]}"#)
        try await program.run(server.feedURL)
        for options in [["status"], ["status", "--json"]] {
            let result = try await program.run(options)
            #expect(result.outputText.contains("http://h/"), "\(result.outputText)")
            #expect(!result.outputText.contains("s3cret") && !result.outputText.contains("\u{1B}"))
        }
        #expect(try await program.sql("SELECT count(*) FROM feeds WHERE error_message LIKE '%s3cret%'") == "0")
    }

    @Test("status ignores an invalid error in the database")
    func nonsense() async throws {
        try await program.run(server.feedURL)
        try await program.sql("UPDATE feeds SET error_kind = 'x', error_message = 'y', error_at = 1")
        #expect(try await feed()?["last_error"] == .null)
        try await program.sql("UPDATE feeds SET error_kind = 'connectivity', error_message = NULL, error_at = NULL")
        #expect(try await program.run("status").status == .exited(0))
    }
}
