import JSONText
import TestSupport
import Testing

/// Feeds whose items have one image URL, as a picture of the day has.
@Suite("The same URL with another image", .timeLimit(.minutes(10)))
struct SameURLTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 0)
    }

    /// Serves a feed with an item for each day, newest first, and the image of the first day, from now on.
    private func serve(days: [Int], image: Int? = nil) {
        let items = days.map { day in
            #"{"id":"\#(FeedServer.id(day))","description":"Day \#(day)","image":"\#(server.imageURL(0))"}"#
        }
        server.serve(feed: FeedServer.feed(items: items))
        let number = image ?? days[0]
        server.server.route("/0.png") { request in
            if request.header("if-none-match") == "\"\(number)\"" { return Reply(304) }
            var reply = Reply.png(number)
            reply.headers.append(("ETag", "\"\(number)\""))
            return reply
        }
    }

    private func sync(_ arguments: String...) async throws {
        expectQuiet(try await program.run(["sync", "--keep", "forever"] + arguments + [server.feedURL]))
    }

    private func digests() async throws -> [String?] {
        let shown = try await program.run("show", "--offline", "--json", server.feedURL)
        return try shown.json["images"]?.array?.map { $0["digest"]?.string } ?? []
    }

    private func sha256(_ day: Int) async throws -> String {
        try program.directory.write(FeedServer.image(day), to: "day-\(day)")
        return "sha256:\(try await Files.sha256(program.directory.path("day-\(day)")))"
    }

    private func expect(days: [Int], _ location: SourceLocation = #_sourceLocation) async throws {
        var expected: [String?] = []
        for day in days { expected.append(try await sha256(day)) }
        #expect(try await digests() == expected, sourceLocation: location)
    }

    @Test("Each item has the image that its URL had while the item was the latest")
    func days() async throws {
        for day in 1...3 {
            serve(days: [day])
            try await sync()
        }
        try await expect(days: [3, 2, 1])
        let conditions = server.server.requests.filter { $0.path == "/0.png" }.map { $0.header("if-none-match") }
        #expect(conditions == [nil, "\"1\"", "\"2\""])
        // A feed without a new item costs no image request.
        let count = server.requestCount
        try await sync()
        #expect(server.paths(after: count) == ["/feed.json"])
        #expect(try await program.run("find").outputText.split(separator: "\n").count == 3)
        let tree = try await program.run("tree", "--json", program.directory.path("tree"))
        #expect(try tree.json["files"]?.int == 3)
        #expect(try await program.run("validate").status == .exited(0))
        try await expect(days: [3, 2, 1])
    }

    @Test("A new item whose image has not changed has the bytes that are there")
    func unchanged() async throws {
        serve(days: [1])
        try await sync()
        serve(days: [2], image: 1)
        try await sync()
        try await expect(days: [1, 1])
        let count = server.requestCount
        try await sync()
        #expect(server.paths(after: count) == ["/feed.json"])
    }

    @Test("Items that are in the feed together keep their images, in both orders", arguments: [false, true])
    func together(oldestFirst: Bool) async throws {
        for day in 1...3 {
            let days = Array(1...day)
            serve(days: oldestFirst ? days : days.reversed(), image: day)
            try await sync()
        }
        try await expect(days: oldestFirst ? [1, 2, 3] : [3, 2, 1])
    }

    @Test("An item whose request failed gets its image in a later run")
    func failed() async throws {
        serve(days: [1])
        try await sync()
        serve(days: [2])
        server.serve(Reply(503), at: 0)
        _ = try await program.run("sync", "--retries", "0", server.feedURL)
        serve(days: [2])
        try await sync()
        try await expect(days: [2, 1])
    }

    @Test("A revalidation that finds other bytes leaves kept items what they have")
    func revalidated() async throws {
        serve(days: [1])
        try await sync()
        server.serve(feed: FeedServer.feed(items: []))
        _ = try await program.run("sync", server.feedURL)
        serve(days: [2], image: 1)
        try await sync()
        serve(days: [2], image: 7)
        try await sync("--revalidate")
        try await expect(days: [7, 1])
    }

    @Test("An archive carries the image of each item, and a restored cache exports the same bytes")
    func archive() async throws {
        for day in 1...3 {
            serve(days: [day])
            try await sync()
        }
        let (first, second) = (program.directory.path("a.tar"), program.directory.path("b.tar"))
        expectQuiet(try await program.run("export", first))
        let other = try Program()
        expectQuiet(try await other.run("import", "--restore", first))
        expectQuiet(try await other.run("export", second))
        #expect(try Files.bytes(first) == Files.bytes(second))
        expectQuiet(try await program.run("remove", server.feedURL, "--quiet"))
        expectQuiet(try await program.run("import", "--restore", first))
        try await expect(days: [3, 2, 1])
    }

    @Test("An item that only has another id is the same item")
    func renamed() async throws {
        serve(days: [1])
        try await sync()
        let item = #"{"id":"\#(FeedServer.id(9))","description":"Day 1","image":"\#(server.imageURL(0))"}"#
        server.serve(feed: FeedServer.feed(items: [item]))
        let count = server.requestCount
        try await sync()
        #expect(server.paths(after: count) == ["/feed.json"])
        try await expect(days: [1])
    }
}
