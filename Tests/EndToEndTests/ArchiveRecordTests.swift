import JSONText
import TestSupport
import Testing

/// An archive is a record instead of an instruction: the tests check what an import takes over, and what it leaves to
/// the user.
@Suite("What an archive may decide", .timeLimit(.minutes(10)))
struct ArchiveRecordTests {
    private let source: Program
    private let program: Program
    private let server: FeedServer
    private var file: String { source.directory.path("cache.tar") }

    init() async throws {
        source = try Program()
        program = try Program()
        server = try FeedServer(images: 3)
        try await source.run("--keep", "forever", server.feedURL)
        server.serve(images: [0])
        try await source.run(server.feedURL)
        try await source.run("export", file)
    }

    private var images: JSONValue? {
        get async throws { try await program.run("show", "--offline", "--json", server.feedURL).json["images"] }
    }

    @Test("A plain import keeps everything and requests nothing at a private address")
    func plain() async throws {
        let imported = try await program.run("import", file)
        #expect(imported.status == .exited(0))
        #expect(
            imported.errorText.contains("import --restore")
                && imported.errorText.contains("`feedsync \(server.feedURL)`"))
        #expect(try await images?.array?.map { $0["current"]?.bool } == [true, false, false])
        let count = server.requestCount
        expectOneLine(try await program.run(), exit: 64, ["no feed to sync"])
        #expect(server.requestCount == count)
        #expect(try await program.status()["feeds"]?[0]?["keep"]?.string == "none")
        try await program.makeStale()
        expectQuiet(try await program.run("validate"))
        #expect(try await program.status()["feeds"]?[0]?["kept"]?.int ?? 2 == 2)
    }

    @Test("A feed is requested once the user has named it, and its left items stay until a --keep")
    func naming() async throws {
        try await program.run("import", file)
        expectQuiet(try await program.run(server.feedURL))
        expectQuiet(try await program.run())
        #expect(try await images?.array?.count == 3)
        server.serve(images: [4])
        expectQuiet(try await program.run())
        // The current item of the archive has left the feed, and only archived items are kept.
        #expect(try await images?.array?.map { $0["url"]?.string } == [4, 1, 2].map(server.imageURL))
        expectQuiet(try await program.run("--keep", "none"))
        #expect(try await images?.array?.count == 1)
    }

    @Test("A restored cache keeps what it kept and goes on from cron")
    func restoring() async throws {
        expectQuiet(try await program.run("import", "--restore", file))
        #expect(try await program.status()["feeds"]?[0]?["keep"]?.string == "forever")
        let copy = program.directory.path("copy.tar")
        expectQuiet(try await program.run("export", copy))
        #expect(try Files.bytes(copy) == Files.bytes(file))
        let count = server.requestCount
        server.serve(images: [4])
        expectQuiet(try await program.run())
        #expect(server.paths(after: count) == ["/feed.json", "/4.png"])
        // The new image has the id of the old one, and replaces it.
        #expect(try await images?.array?.map { $0["url"]?.string } == [4, 1, 2].map(server.imageURL))
    }

    @Test("A later archive replaces damaged data of images that an earlier archive has left in the feed")
    func dataOfLeftItems() async throws {
        try await program.run("import", "--restore", file)
        try Files.damage("\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(1)))")
        try await source.run(server.feedURL)
        try await source.run("export", file)
        let imported = try await program.run("import", "--restore", "--json", file).json["archives"]?[0]
        #expect(imported?["feeds_replaced"] == 1 && imported?["images_added"] == 1)
        expectQuiet(try await program.run("validate", "--deep"))
        #expect(try await images?.array?.map { $0["path"]?.string != nil } == [true, true, true])
    }

    @Test("Images of items that had left their feed in an archive are never requested")
    func leftItems() async throws {
        try await source.sql("DELETE FROM data WHERE url LIKE '%/1.png' OR url LIKE '%/2.png'")
        try await source.run("export", file)
        try await program.run("import", file)
        let count = server.requestCount
        for _ in 0..<2 { expectQuiet(try await program.run("--retry-failed", server.feedURL)) }
        #expect(server.paths(after: count) == ["/feed.json", "/0.png", "/feed.json"])
    }

    @Test("Images of restored items are requested at a private address once the feed has answered from one")
    func restoredItems() async throws {
        try await source.sql("DELETE FROM data WHERE url LIKE '%/1.png' OR url LIKE '%/2.png'")
        try await source.run("export", file)
        expectQuiet(try await program.run("import", "--restore", file))
        let count = server.requestCount
        for _ in 0..<2 { expectQuiet(try await program.run()) }
        #expect(server.paths(after: count).sorted() == ["/1.png", "/2.png", "/feed.json", "/feed.json"])
    }

    @Test("An archive gives no item of a feed that the user named a URL to request", arguments: [false, true])
    func foreignURLs(hasLeft: Bool) async throws {
        let url = "\(server.server.url("/reboot"))?now=1"
        try await program.run("--keep", "forever", server.feedURL)
        let later = "saved_at = saved_at + 60000000"
        if hasLeft {
            // The cache keeps the item 1, and the archive has another URL for it.
            server.serve(images: [0, 1])
            try await program.run()
            server.serve(images: [0])
            try await program.run()
            try await source.sql(
                """
                UPDATE items SET url = '\(url)', last_seen = last_seen + 600000000 WHERE url LIKE '%/1.png';
                DELETE FROM data WHERE url LIKE '%/1.png'
                """)
        } else {
            try await source.sql(
                """
                UPDATE feeds SET \(later);
                UPDATE items SET item_id = 'new', url = '\(url)' WHERE url LIKE '%/0.png'
                """)
        }
        try await source.run("export", file)
        #expect(try await program.run("import", file).status == .exited(0))
        let count = server.requestCount
        for _ in 0..<2 { try await program.run("--retry-failed") }
        #expect(!server.paths(after: count).contains { $0.hasPrefix("/reboot") })
        #expect(try await images?.array?.contains { $0["url"]?.string == url } == false)
    }

    @Test("The bytes of an archive are visible only to its own feeds")
    func bytes() async throws {
        let other = try FeedServer(images: 0)
        other.serve(feedOf: [server.imageURL(0)])
        server.serve(Reply(404), at: 0)
        try await program.run("import", file)
        #expect(try await program.run(other.feedURL).status == .exited(23))
    }

    @Test("--restore makes sense for one call only", arguments: ["restore", "force"])
    func notConfigurable(option: String) async throws {
        try program.directory.write(Array("\(option)\n".utf8), to: "config")
        let result = try await program.run("--config", program.directory.path("config"), "import", file)
        #expect(result.status == .exited(78))
    }

    @Test("A feed of an OPML list at a private address needs a [feed] section or --allow-private")
    func list() async throws {
        let list = program.directory.path("list.opml")
        try program.directory.write(
            Array("<opml><body><outline xmlUrl='\(server.feedURL)'/></body></opml>".utf8), to: "list.opml")
        let count = server.requestCount
        let refused = try await program.run("--opml", list, "-H", "X-Key: 1")
        #expect(refused.status == .exited(65))
        #expect(refused.errorText.contains("[feed \"\(server.feedURL)\"]"), "\(refused.errorText)")
        #expect(server.requestCount == count)
        expectQuiet(try await program.run("--opml", list, "--allow-private", "-H", "X-Key: 1"))
        #expect(server.server.requests.suffix(2).allSatisfy { $0.header("x-key") == nil })
        try program.directory.write(Array("[feed \"\(server.feedURL)\"]\nallow-private\n".utf8), to: "config")
        let named = try Program()
        expectQuiet(
            try await named.run("--config", program.directory.path("config"), "--opml", list, "-H", "X-Key: 1"))
        #expect(server.server.requests.last?.header("x-key") == "1")
    }
}
