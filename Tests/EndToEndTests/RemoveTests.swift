import JSONText
import TestSupport
import Testing

@Suite("Remove, from outside", .timeLimit(.minutes(10)))
struct RemoveTests {
    private let program: Program
    /// A server whose first image has the same bytes as the other's first.
    private let server: FeedServer
    private let other: FeedServer
    private let bytes = FeedServer.image(1).count + FeedServer.image(2).count

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 3)
        other = try FeedServer(images: 1)
        try await program.run(server.feedURL, other.feedURL)
    }

    private func feeds() async throws -> [String] {
        try #require(try await program.status()["feeds"]?.array).compactMap { $0["url"]?.string }
    }

    private func report(_ feeds: [String], images: Int, bytes: Int) -> JSONValue {
        [
            "feeds_deleted": .array(feeds.map { .string($0) }), "images_deleted": .integer(images), "damaged": 0,
            "damaged_images": [], "bytes_freed": .integer(bytes),
        ]
    }

    /// Expects that only this feed was deleted, with so many images.
    private func expectDeleted(_ feed: String, images: Int, _ result: ProcessResult) {
        #expect(result.status == .exited(0) && result.outputText == "")
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        #expect(result.errorLines.first == "feedsync: \(feed): deleted")
        let noun = images == 1 ? "image" : "images"
        #expect(result.errorLines.last?.hasPrefix("feedsync: deleted 1 feed and \(images) \(noun), ") == true)
    }

    @Test("remove deletes a feed and the images that only this feed names, and says so in a pipe")
    func alone() async throws {
        let saved = try await program.saved(other.feedURL)
        expectDeleted(server.feedURL, images: 2, try await program.run("remove", server.feedURL))
        #expect(try await feeds() == [other.feedURL])
        #expect(try await program.saved(other.feedURL) == saved)
        #expect(Files.names(in: program.imageDirectory) == [try await program.digest(of: other.imageURL(0))])
        #expect(try await program.sql("SELECT url FROM data") == other.imageURL(0))
        expectQuiet(try await program.run("validate", "--deep"))
        #expect(try await program.run("show", "--offline", server.feedURL).status == .exited(66))
    }

    @Test("remove reports its deletions with --json, and nothing else with -q; the last feed may go too")
    func told() async throws {
        let first = try await program.run("remove", "-q", "--json", server.feedURL)
        #expect(first.status == .exited(0) && first.errorText == "")
        #expect(try first.json == report([server.feedURL], images: 2, bytes: bytes))
        expectDeleted(other.feedURL, images: 1, try await program.run("remove", "-v", other.feedURL))
        #expect(try await feeds() == [])
        #expect(Files.names(in: program.imageDirectory) == [])
    }

    @Test("remove takes feeds in any spelling, each once")
    func spellings() async throws {
        let spelt = ["HTTP", "feed"].map { $0 + server.feedURL.dropFirst("http".count) }
        let result = try await program.run(["remove", "--json"] + spelt + [other.feedURL + "#top"])
        #expect(try result.json["feeds_deleted"] == [.string(server.feedURL), .string(other.feedURL)])
        #expect(try await feeds() == [])
    }

    @Test("remove -n says what it would delete and deletes nothing")
    func rehearsal() async throws {
        let lock = try HeldLock(of: program)
        let result = try await program.run("remove", "-n", server.feedURL)
        #expect(result.status == .exited(0) && result.errorText == "")
        #expect(
            result.outputLines == [
                "would delete \(server.feedURL)", "would delete 2 images that no feed references",
                "would free \(bytes)",
            ])
        #expect(
            try await program.run("remove", "--dry-run", "--json", server.feedURL).json
                == report([server.feedURL], images: 2, bytes: bytes))
        withExtendedLifetime(lock) {}
        #expect(try await feeds().count == 2)
        #expect(Files.names(in: program.imageDirectory).count == 3)
    }

    @Test("remove of a feed that was never saved gives not found, and keeps the other named feeds")
    func unknown() async throws {
        for options in [[], ["-n"]] {
            let result = try await program.run(["remove", server.feedURL] + options + ["http://127.0.0.1/other.json"])
            expectOneLine(result, exit: 66, ["http://127.0.0.1/other.json: was never saved", "feedsync status"])
        }
        #expect(try await feeds().count == 2)
        expectOneLine(try await program.run("remove"), exit: 64, ["remove needs one FEED"])
        let nowhere = program.directory.path("nowhere")
        expectOneLine(try await program.run("remove", "--cache", nowhere, server.feedURL), exit: 66, ["never saved"])
        #expect(!Files.exists(nowhere))
    }

    @Test("remove says if the config file or a list still names the feed, because the next sync saves it again")
    func named() async throws {
        let third = try FeedServer(images: 1)
        try await program.run(third.feedURL)
        let config = try program.directory.write(
            "feed = \(server.feedURL)\nopml = list\n[feed \"\(other.feedURL)\"]\nmax-age = 1d\n", to: "config")
        let list = try program.directory.write(
            "<opml><body><outline xmlUrl='\(third.feedURL)'/></body></opml>", to: "list")
        let result = try await program.run("remove", "-v", "--config", config, server.feedURL, other.feedURL)
        #expect(result.status == .exited(0) && result.errorLines.count == 4, "\(result.errorText)")
        #expect(
            result.errorText.contains(
                "\(config) still names \(server.feedURL) and 1 more feed: the next sync saves them again"))
        #expect(try await feeds() == [third.feedURL])
        let last = try await program.run("remove", "--config", config, third.feedURL)
        #expect(last.status == .exited(0) && last.errorLines.count == 3, "\(last.errorText)")
        #expect(last.errorText.contains("\(list) still names \(third.feedURL): the next sync saves it again"))
        #expect(try await feeds() == [])

        try await program.run(server.feedURL)
        let gone = program.directory.path("gone")
        let missing = try await program.run("remove", server.feedURL, environment: ["FEEDSYNC_OPML": gone])
        #expect(missing.status == .exited(0) && missing.errorText.contains(gone), "\(missing.errorText)")
        #expect(try await feeds() == [])
    }

    @Test("remove waits for another run with --lock-wait only, and for readers of images before it deletes")
    func locks() async throws {
        var lock: HeldLock? = try HeldLock(of: program)
        expectOneLine(try await program.run("remove", server.feedURL), exit: 75, [program.cache, "--lock-wait"])
        lock = try HeldLock(onImagesOf: program)
        expectOneLine(try await program.run("remove", "-q", server.feedURL), exit: 75, ["--lock-wait"])
        #expect(try await feeds().count == 2)
        let waiting = try program.start("remove", "--lock-wait", "600", server.feedURL)
        lock = nil
        expectDeleted(server.feedURL, images: 2, await waiting.wait())
        #expect(lock == nil)
        #expect(try await feeds() == [other.feedURL])
    }

    @Test("remove deletes nothing if the disk is too full to delete rows first, and says what to do")
    func noRoom() async throws {
        let result = try await program.shell(
            #"""
            exec strace -f -qq -o /dev/null -P "$FEEDSYNC_CACHE/feedsync.sqlite-wal" -e inject=pwrite64:error=ENOSPC \
                "$feedsync" remove -q "$1"
            """#, server.feedURL)
        expectOneLine(result, exit: 74, ["some space is needed first"])
        #expect(try await feeds().count == 2)
        #expect(Files.names(in: program.imageDirectory).count == 3)
        expectQuiet(try await program.run("remove", "-q", server.feedURL, other.feedURL))
        #expect(Files.names(in: program.imageDirectory) == [])
    }
}
