import JSONText
import TestSupport
import Testing

@Suite("A dry run of sync", .timeLimit(.minutes(10)))
struct DryRunTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    @Test("A dry run prints its plan on standard output, requests feeds only, and creates nothing")
    func new() async throws {
        for option in ["-n", "--dry-run"] {
            let result = try await program.run(option, server.feedURL)
            #expect(result.status == .exited(0))
            #expect(result.errorText == "")
            #expect(
                result.outputLines == [
                    "would save \(server.feedURL) (2 images)", "would download \(server.imageURL(0))",
                    "would download \(server.imageURL(1))",
                ])
        }
        #expect(server.paths() == ["/feed.json", "/feed.json"])
        #expect(!Files.exists(program.cache))
    }

    @Test("A dry run leaves an existing cache unchanged")
    func existing() async throws {
        try await program.run(server.feedURL)
        server.serve(images: [1, 2])
        let saved = try await program.saved(server.feedURL)
        let before = try (Files.bytes(program.database), Files.names(in: program.imageDirectory))

        let result = try await program.run("--dry-run", server.feedURL)

        #expect(
            result.outputLines == [
                "would save \(server.feedURL) (2 images)", "would download \(server.imageURL(2))",
            ])
        #expect(try Files.bytes(program.database) == before.0)
        #expect(Files.names(in: program.imageDirectory) == before.1)
        #expect(try await program.saved(server.feedURL) == saved)
    }

    @Test("A dry run without FEED covers every feed in the cache")
    func bare() async throws {
        try await program.run(server.feedURL)
        let result = try await program.run("sync", "-n")
        #expect(result.outputLines.count == 1)
        #expect(result.outputText.contains("unchanged"))
        #expect(result.status == .exited(0))
    }

    @Test("A dry run needs no lock")
    func locked() async throws {
        try await program.run(server.feedURL)
        let lock = try HeldLock(of: program)
        #expect(try await program.run("-n", server.feedURL).status == .exited(0))
        withExtendedLifetime(lock) {}
    }

    @Test("A dry run of a feed that fails ends as the real run would")
    func failing() async throws {
        server.serve(feed: "{}")
        let result = try await program.run("-n", server.feedURL)
        #expect(result.status == .exited(65))
        #expect(result.outputText == "")
        #expect(result.errorLines.first?.contains("items: missing") == true)
    }

    @Test("A dry run with --json prints its summary on standard output and its plan on standard error")
    func json() async throws {
        let result = try await program.run("sync", "-n", "--json", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.outputLines.count == 1)
        #expect(try result.json["feeds"]?[0]?["outcome"]?.string == "updated")
        #expect(try result.json["feeds"]?[0]?["saved_at"]?.isNull == true)
        #expect(try result.json["images"]?["downloaded"]?.int == 0)
        #expect(result.errorLines.count == 3)
        #expect(result.errorText.contains("would download \(server.imageURL(1))"))
    }

    @Test(
        "A dry run with --json counts cached and skipped images as the real run does",
        arguments: [[], ["--revalidate"]])
    func counts(_ options: [String]) async throws {
        let other = try FeedServer(images: 1)
        server.serve(Reply(404), at: 1)
        try await program.run(server.feedURL)
        // Each image is named twice: a cached one, one that is gone for good, and a new one.
        let urls = [server.imageURL(0), server.imageURL(1), other.imageURL(0)]
        other.serve(feedOf: Array(urls[..<2]))
        try await program.run(other.feedURL)
        other.serve(feedOf: urls + urls)
        let command = ["sync", "--json"] + options + [server.feedURL, other.feedURL]

        let planned = try await program.run(command + ["-n"]).json["images"]
        let done = try await program.run(command).json["images"]

        // The rest of the total is what would be downloaded.
        #expect(planned == ["total": 3, "cached": 1, "downloaded": 0, "skipped": 1, "failed": 0, "bytes": 0])
        for count in ["total", "skipped", "failed"] { #expect(done?[count] == planned?[count], "\(count)") }
        // A cached image that a new item has is requested again. Only a real run knows whether it has changed, as it has here.
        #expect(done?["downloaded"] == 2)
    }
}
