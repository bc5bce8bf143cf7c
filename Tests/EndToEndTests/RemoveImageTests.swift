import JSONText
import TestSupport
import Testing

@Suite("Remove an image, from outside", .timeLimit(.minutes(10)))
struct RemoveImageTests {
    private let program: Program
    private let server: FeedServer
    private let size = FeedServer.image(1).count

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 3)
        try await program.run(server.feedURL)
    }

    /// Returns the paths of the images that the saved feed contains.
    private func shown(_ program: Program? = nil) async throws -> [String] {
        let result = try await (program ?? self.program).run(
            "show", "--offline", "--json", "--max-age", "forever", server.feedURL)
        return try (result.json["images"]?.array ?? []).compactMap { image in
            image["url"]?.string.map { String($0.dropFirst(server.server.url("").count)) }
        }
    }

    private func report(images: Int, bytes: Int) -> JSONValue {
        [
            "feeds_deleted": [], "images_deleted": .integer(images), "damaged": 0, "damaged_images": [],
            "bytes_freed": .integer(bytes),
        ]
    }

    @Test("remove of an image deletes it from its feed and the cache for good, and says so in a pipe")
    func removed() async throws {
        let digest = try await program.digest(of: server.imageURL(1))

        let result = try await program.run("remove", server.imageURL(1))

        #expect(result.status == .exited(0) && result.outputText == "")
        #expect(
            result.errorLines == [
                "feedsync: \(server.imageURL(1)): removed from the feed \(server.feedURL)",
                "feedsync: deleted 0 feeds and 1 image, \(size) freed",
            ])
        #expect(!Files.names(in: program.imageDirectory).contains(digest))
        #expect(try await shown() == ["/0.png", "/2.png"])
        let count = server.requestCount
        for options in [[], ["--all-images"], ["--retry-failed", "--revalidate"]] {
            let sync = try await program.run(["--json"] + options + [server.feedURL])
            #expect(sync.status == .exited(0) && sync.errorText == "")
            #expect(try sync.json["feeds"]?[0]?["outcome"]?.string == "unchanged")
            #expect(try sync.json["feeds"]?[0]?["images"]?.int == 2)
            #expect(try await shown() == ["/0.png", "/2.png"])
        }
        #expect(!server.paths(after: count).contains("/1.png"))
        let live = try await program.run("show", "--json", server.feedURL)
        #expect(try live.json["images"]?.array?.count == 2)
        expectQuiet(try await program.run("validate", "--deep"))
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }

    @Test("remove --json and -n report a removed image as validate does, and -n changes nothing")
    func reported() async throws {
        let plan = try await program.run("remove", "-n", server.imageURL(1))
        #expect(
            plan.outputLines == [
                "would remove \(server.imageURL(1)) from the feed \(server.feedURL)",
                "would delete 1 image that no feed references", "would free \(size)",
            ])
        let expected = report(images: 1, bytes: size)
        #expect(try await program.run("remove", "-n", "--json", server.imageURL(1)).json == expected)
        #expect(try await shown().count == 3)
        #expect(try await program.run("remove", "-q", "--json", server.imageURL(1)).json == expected)
    }

    @Test("remove of a URL that is neither a feed nor an image, or is removed already, gives not found")
    func unknown() async throws {
        let other = server.imageURL(7)
        let result = try await program.run("remove", server.imageURL(1), other)
        expectOneLine(result, exit: 66, ["\(other): was never saved"])
        #expect(try await shown().count == 3)
        try await program.run("remove", server.imageURL(1))
        expectOneLine(try await program.run("remove", server.imageURL(1)), exit: 66, ["removed already", "--undo"])
        for url in [other, server.feedURL] {
            let undo = try await program.run("remove", "--undo", url)
            expectOneLine(undo, exit: 66, ["\(url): no image with this URL has been removed"])
        }
    }

    @Test("An image is removed under any of its URLs, with or without credentials, from every feed that contains it")
    func urls() async throws {
        let other = try FeedServer(images: 0)
        other.serve(feedOf: [server.imageURL(1), server.imageURL(0)])
        try await program.run(other.feedURL)
        // Both feeds get alternatives for each image.
        try await program.sayMore()
        let alternative = "\(server.imageURL(1))?w=300".replacing("http://", with: "http://ann:pw@")
        let result = try await program.run("remove", alternative)
        #expect(result.status == .exited(0) && result.errorLines.count == 3, "\(result.errorText)")
        #expect(!result.errorText.contains("ann") && !result.errorText.contains("pw@"))
        for feed in [server.feedURL, other.feedURL] {
            #expect(result.errorText.contains("removed from the feed \(feed)"))
        }
        try await program.run(server.feedURL, other.feedURL)
        #expect(try await program.sql("SELECT count(*) FROM items") == "3")
        #expect(try await program.sql("SELECT count(*) FROM items WHERE url LIKE '%/1.png%'") == "0")
        #expect(try await program.run("remove", "--undo", server.imageURL(1)).errorLines.count == 2)
        expectQuiet(try await program.run(server.feedURL, other.feedURL))
        #expect(try await program.sql("SELECT count(*) FROM items WHERE url LIKE '%/1.png%'") == "2")
    }

    @Test("An image stays removed when its server signs its URL anew, unless another item has the new URL")
    func signature() async throws {
        let urls = (0..<3).map(server.imageURL)
        server.serve(feedOf: [urls[0], "\(urls[1])?sig=1", urls[2]])
        try await program.run(server.feedURL)
        try await program.run("remove", "\(urls[1])?sig=1")
        let count = server.requestCount
        server.serve(feedOf: [urls[0], "\(urls[1])?sig=2", urls[2]])
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await shown() == ["/0.png", "/2.png"])
        #expect(server.paths(after: count) == ["/feed.json"])
        server.serve(feedOf: ["\(urls[1])?sig=2", urls[0]])
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await shown() == ["/1.png?sig=2", "/0.png"])
    }

    @Test("remove --undo brings an image back at the next sync, even if the feed is unchanged and confirmed just now")
    func undone() async throws {
        let body = Array(FeedServer.feed((0..<3).map(server.imageURL)).utf8)
        server.server.route("/feed.json") { .validated(body, etag: "\"1\"", for: $0) }
        try await program.run(server.feedURL)
        try await program.run("remove", server.imageURL(1))
        expectQuiet(try await program.run("--every", "1d", server.feedURL))
        let plan = try await program.run("remove", "--undo", "-n", server.imageURL(1))
        #expect(plan.outputText == "would bring \(server.imageURL(1)) back to the feed \(server.feedURL)\n")
        let result = try await program.run("remove", "--undo", server.imageURL(1))
        expectOneLine(
            result, exit: 0, ["\(server.imageURL(1)): no longer removed from the feed \(server.feedURL); the next sync"]
        )
        let count = server.requestCount
        expectQuiet(try await program.run("--every", "1d", server.feedURL))
        #expect(server.paths(after: count) == ["/feed.json", "/1.png"])
        #expect(try await shown() == ["/0.png", "/1.png", "/2.png"])
        let again = try await program.run("remove", "--undo", server.imageURL(1))
        expectOneLine(again, exit: 66, ["no image with this URL has been removed"])
    }

    @Test("A kept image is removed too, and its feed is not reported as empty when all its images were removed")
    func kept() async throws {
        try await program.run("--keep", "forever", server.feedURL)
        server.serve(images: [3])
        let item = #"{"id":"\#(FeedServer.id(9))","image":"\#(server.imageURL(3))"}"#
        server.serve(feed: FeedServer.feed(items: [item]))
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await shown() == ["/3.png", "/0.png", "/1.png", "/2.png"])
        try await program.run("remove", server.imageURL(1), server.imageURL(3))
        #expect(try await shown() == ["/0.png", "/2.png"])
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await shown() == ["/0.png", "/2.png"])
        #expect(try await program.status()["feeds"]?[0]?["images"]?.int == 2)
    }

    @Test("Removed images are remembered when their feed is deleted and synced again")
    func outlasting() async throws {
        try await program.run("remove", server.imageURL(1))
        try await program.makeStale()
        try await program.run("validate")
        #expect(try await program.status()["feeds"]?.array?.isEmpty == true)
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await shown() == ["/0.png", "/2.png"])
    }

    @Test(
        "An archive carries removals, which apply whichever copy was saved later and in whatever order they meet",
        arguments: [false, true], [false, true])
    func archives(isRemovalLater: Bool, removesInArchive: Bool) async throws {
        let other = try Program()
        try await other.run(server.feedURL)
        let (removing, whole) = removesInArchive ? (other, program) : (program, other)
        try await removing.run("remove", server.imageURL(1))
        let later = isRemovalLater ? removing : whole
        try await later.sql("UPDATE feeds SET saved_at = saved_at + 60000000")
        let file = program.directory.path("cache.tar")
        expectQuiet(try await other.run("export", file))
        expectQuiet(try await program.run("import", "--restore", file))
        #expect(try await shown() == ["/0.png", "/2.png"])
        let count = server.requestCount
        expectQuiet(try await program.run(server.feedURL))
        #expect(server.paths(after: count) == ["/feed.json"])
        #expect(try await shown() == ["/0.png", "/2.png"])
        expectOneLine(
            try await program.run("remove", "--undo", server.imageURL(1)), exit: 0, ["no longer removed"])
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await shown().count == 3)
    }

    @Test("An archive lists removed images without credentials, and an import of it exports the same bytes")
    func roundTrip() async throws {
        let url = server.feedURL.replacing("http://", with: "http://ann:s3cret@")
        server.serve(feedOf: [0, 1, 2].map { server.imageURL($0).replacing("http://", with: "http://ann:s3cret@") })
        try await program.run(url)
        try await program.run("remove", server.imageURL(2), server.imageURL(1))
        let file = program.directory.path("cache.tar")
        expectQuiet(try await program.run("export", file))
        let text = String(decoding: try Files.bytes(file), as: UTF8.self)
        #expect(!text.contains("s3cret"))
        let entries = [1, 2].map { #"{"id":"\#(FeedServer.id($0))","urls":["\#(server.imageURL($0))"]}"# }
        #expect(text.contains(#""removed":[\#(entries.joined(separator: ","))],"images":[{"#))
        let other = try Program()
        expectQuiet(try await other.run("import", "--restore", file))
        #expect(try await shown(other) == ["/0.png"])
        let copy = program.directory.path("copy.tar")
        expectQuiet(try await other.run("export", copy))
        #expect(try Files.bytes(copy) == Files.bytes(file))
    }

    @Test("A damaged list of removed images is an error, which validate ends by forgetting what it can't read")
    func unreadable() async throws {
        try await program.run("remove", server.imageURL(1), server.imageURL(2))
        try await program.sql("UPDATE removed SET urls = 'nonsense' WHERE urls LIKE '%/1.png'")
        for command in [["show", server.feedURL], ["sync"], ["export", program.directory.path("cache.tar")]] {
            let result = try await program.run(command)
            #expect(result.status == .exited(74), "\(command) \(result.errorText)")
            #expect(result.errorText.contains("feedsync validate") && result.outputText == "", "\(command)")
        }
        let plan = try await program.run("validate", "-n")
        #expect(plan.outputText.contains("would forget the removal of 1 image"))
        let result = try await program.run("validate")
        #expect(result.status == .exited(0) && result.errorText.contains("forgot the removal of 1 image"))
        expectQuiet(try await program.run("validate"))
        expectQuiet(try await program.run(server.feedURL))
        #expect(try await shown() == ["/0.png", "/1.png"])
    }

    @Test("show leaves removed images out although the saved feed can't be read")
    func unreadableFeed() async throws {
        try await program.run("remove", server.imageURL(1))
        try await program.sql("UPDATE items SET url = 'nonsense' WHERE position = 0")
        let result = try await program.run("show", server.feedURL)
        #expect(result.status == .exited(74))
        #expect(result.outputText.contains(server.imageURL(2)) && !result.outputText.contains(server.imageURL(1)))
    }
}
