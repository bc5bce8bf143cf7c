import JSONText
import TestSupport
import Testing

/// The runs after a host has sent a Retry-After.
@Suite("Hosts that asked to wait", .timeLimit(.minutes(10)))
struct HostWaitTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    private static func busy(_ seconds: Int) -> Reply { Reply(429, headers: [("Retry-After", "\(seconds)")]) }

    /// Makes a run that receives a Retry-After.
    ///
    /// A saved feed, if there is one, is used instead.
    private func beToldToWait(exit code: Int32 = 0) async throws {
        server.server.route("/feed.json", Self.busy(3600))
        #expect(try await program.run(server.feedURL).status == .exited(code))
        #expect(try await program.sql("SELECT feed FROM waits") == server.feedURL)
    }

    private func changeWaits(to microseconds: String) async throws {
        try await program.sql("UPDATE waits SET until = \(microseconds)")
    }

    @Test("The next run does not ask a host that asked to wait, and its feeds are waiting")
    func fresh() async throws {
        try await program.run(server.feedURL)
        try await program.sql("DELETE FROM data")
        try await beToldToWait()
        let (count, row) = (server.requestCount, try await program.sql("SELECT * FROM waits"))
        expectQuiet(try await program.run(server.feedURL))
        let result = try await program.run("-v", "--json", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(server.requestCount == count)
        let json = try result.json
        let feed = json["feeds"]?[0]
        #expect(feed?["outcome"]?.string == "waiting" && feed?["images"]?.int == 1)
        #expect(feed?["error"]?["kind"]?.string == "connectivity")
        let reason = "the server asked in an earlier run to be left alone until 20"
        #expect(feed?["error"]?["message"]?.string?.hasPrefix(reason) == true)
        #expect(json["images"]?["skipped"]?.int == 1)
        let line = "feedsync: \(server.feedURL): waiting, using the feed saved "
        #expect(result.errorLines.contains { $0.hasPrefix(line) && $0.contains(reason) }, "\(result.errorText)")
        #expect(try await program.sql("SELECT * FROM waits") == row)
    }

    @Test("A host is asked again when its Retry-After is over, and the time is forgotten", arguments: ["0", "9e15"])
    func over(_ until: String) async throws {
        try await program.run(server.feedURL)
        try await beToldToWait()
        // A wrong clock has stored a time that is too late for any Retry-After.
        try await changeWaits(to: "CAST(\(until) AS INTEGER)")
        server.serve(images: [0])
        let count = server.requestCount
        expectQuiet(try await program.run(server.feedURL))
        #expect(server.requestCount == count + 1)
        #expect(try await program.sql("SELECT count(*) FROM waits") == "0")
    }

    @Test("Waiting feeds without a fresh copy fail and say until when")
    func stale() async throws {
        try await beToldToWait(exit: 69)
        let count = server.requestCount
        let result = try await program.run("--json", server.feedURL)
        #expect(result.status == .exited(69))
        #expect(result.errorText.contains("to be left alone until 20"), "\(result.errorText)")
        #expect(try result.json["feeds"]?[0]?["outcome"]?.string == "waiting")
        #expect(try result.json["feeds"]?[0]?["error"]?["kind"]?.string == "connectivity")
        #expect(server.requestCount == count)
    }

    @Test("A Retry-After of an image does not apply to later runs")
    func images() async throws {
        let other = try FeedServer(images: 3)
        for image in 0..<3 { other.serve(Self.busy(3600), at: image) }
        server.serve(feedOf: (0..<3).map(other.imageURL))
        #expect(try await program.run("-j", "1", server.feedURL).status == .exited(23))
        #expect(other.requestCount == 1)
        #expect(try await program.sql("SELECT count(*) FROM waits") == "0")
        for image in 0..<3 { other.serve(.png(image), at: image) }
        expectQuiet(try await program.run(server.feedURL))
    }

    @Test("A Retry-After of one feed does not hold up another feed of the host in a later run")
    func otherFeed() async throws {
        server.server.route("/other.json", .text(FeedServer.feed([])))
        try await beToldToWait(exit: 69)
        expectQuiet(try await program.run(server.server.url("/other.json")))
    }

    @Test("A run waits for a host with at most two minutes left, and does not ask it earlier")
    func shortly() async throws {
        try await beToldToWait(exit: 69)
        try await changeWaits(to: "(CAST(strftime('%s') AS INTEGER) + 3) * 1000000")
        let due = try #require(Int(try await program.sql("SELECT until FROM waits")))
        server.serve(images: [0])
        expectQuiet(try await program.run(server.feedURL))
        #expect(try #require(Int(try await program.sql("SELECT saved_at FROM feeds"))) >= due)
    }

    @Test("show asks a host that asked to wait, because a user asks for one thing")
    func show() async throws {
        try await beToldToWait(exit: 69)
        server.serve(images: [0])
        let count = server.requestCount
        #expect(try await program.run("show", server.feedURL).status == .exited(0))
        #expect(try await program.run("image", server.imageURL(0)).status == .exited(0))
        #expect(server.requestCount == count + 2)
        #expect(try await program.sql("SELECT count(*) FROM waits") == "1")
    }

    @Test("A dry run says who is waiting and saves no Retry-After")
    func dryRun() async throws {
        try await program.run(server.feedURL)
        server.server.route("/feed.json", Self.busy(3600))
        #expect(try await program.run("-n", server.feedURL).status == .exited(0))
        #expect(try await program.sql("SELECT count(*) FROM waits") == "0")
        try await beToldToWait()
        let count = server.requestCount
        let result = try await program.run("-n", server.feedURL)
        #expect(result.outputText == "would not request \(server.feedURL) (waiting, 1 image)\n")
        #expect(server.requestCount == count)
    }

    @Test("status shows hosts that asked to wait, as long as the wait lasts")
    func status() async throws {
        try await program.run(server.feedURL)
        #expect(!(try await program.run("status").outputText.contains("waiting")))
        try await beToldToWait()
        let lines = try await program.run("status").outputLines
        #expect(lines.count { $0.contains("  fresh, waiting, failing  1 of 1  ") } == 1)
        #expect(lines.count { $0.contains(": waiting until 20") && $0.hasSuffix(", as its server asked") } == 1)
        try await changeWaits(to: "0")
        #expect(!(try await program.run("status").outputText.contains("waiting")))
    }
}
