import JSONText
import TestSupport
import Testing

@Suite("A feed has only the data that its own requests brought", .timeLimit(.minutes(10)))
struct OwnDataTests {
    private let program: Program
    /// A server whose image requires the key.
    private let privateServer: FeedServer
    private let hostileServer: FeedServer
    private var privateFeed: String { privateServer.feedURL }
    private var hostileFeed: String { hostileServer.feedURL }

    init() throws {
        program = try Program()
        privateServer = try FeedServer(images: 1)
        hostileServer = try FeedServer(images: 0)
        privateServer.server.route("/0.png") { .png($0.header("x-key") == "1" ? 0 : 5) }
        hostileServer.serve(feedOf: [privateServer.imageURL(0)])
        try program.directory.write(
            Array("[feed \"\(privateFeed)\"]\nheader = X-Key: 1\n".utf8), to: "config")
    }

    @discardableResult
    private func run(_ arguments: String...) async throws -> ProcessResult {
        try await program.run(arguments + ["--config", program.directory.path("config")])
    }

    private func digest(_ feed: String) async throws -> String? {
        let shown = try await run("show", "--offline", "--json", feed)
        return try shown.json["images"]?[0]?["digest"]?.string
    }

    @Test("A feed with a header of its own gets the whole image, and another feed the preview", arguments: [0, 1, 2])
    func secrets(order: Int) async throws {
        switch order {
        case 0: try await run("sync", privateFeed, hostileFeed)
        case 1: for feed in [privateFeed, hostileFeed] { try await run("sync", feed) }
        default: for feed in [hostileFeed, privateFeed] { try await run("sync", feed) }
        }
        #expect(try await digest(privateFeed) == sha256(0))
        #expect(try await digest(hostileFeed) == sha256(5))
        let keys = privateServer.server.requests.filter { $0.path == "/0.png" }.map { $0.header("x-key") }
        #expect(keys.count == 2 && Set(keys) == ["1", nil])
        // Each feed has its own data.
        expectQuiet(try await run("sync", privateFeed, hostileFeed))
        #expect(privateServer.paths().filter { $0 == "/0.png" }.count == 2)
    }

    private func sha256(_ number: Int) async throws -> String {
        let file = program.directory.path("image-\(number)")
        try program.directory.write(FeedServer.image(number), to: "image-\(number)")
        return "sha256:\(try await Files.sha256(file))"
    }

    @Test("A 404 that one feed met costs another feed nothing")
    func failures() async throws {
        privateServer.serve(Reply(404), at: 0)
        #expect(try await run("sync", hostileFeed).status == .exited(23))
        privateServer.serve(.png(0), at: 0)
        expectQuiet(try await run("sync", privateFeed))
        #expect(try await digest(privateFeed) == sha256(0))
        #expect(try await digest(hostileFeed) == nil)
    }

    @Test("A gallery, a tree and an export of a feed hold only its own data")
    func outputs() async throws {
        privateServer.server.route("/0.png") { $0.header("x-key") == "1" ? .png(0) : Reply(403) }
        try await run("sync", privateFeed, hostileFeed)
        for (feed, count) in [(privateFeed, 1), (hostileFeed, 0)] {
            let directory = program.directory.path("out-\(count)")
            #expect(try await run("gallery", "--json", directory, feed).json["missing"]?.int == 1 - count)
            #expect(try await run("tree", "--json", "\(directory)-tree", feed).json["files"]?.int == count)
            let file = program.directory.path("out-\(count).tar")
            expectQuiet(try await run("export", file, feed))
            let blobs = try await program.shell("tar -xOf \"$1\" | grep -c \"$2\"", file, "PNG")
            #expect((blobs.outputText == "0\n") == (count == 0))
        }
        let statuses = try await program.status()["feeds"]?.array?.map { $0["images_cached"]?.int }
        #expect(statuses?.sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 1])
    }

    @Test("Two feeds that make the same request share it, and each gets the data", arguments: [false, true])
    func shared(withSecrets: Bool) async throws {
        let urls = ["/one.json", "/two.json"].map(privateServer.server.url)
        for path in ["/one.json", "/two.json"] {
            privateServer.server.route(path, .text(FeedServer.feed([privateServer.imageURL(0)])))
        }
        if !withSecrets { privateServer.serve(.png(0), at: 0) }
        expectQuiet(try await program.run((withSecrets ? ["-H", "X-Key: 1"] : []) + urls))
        #expect(privateServer.paths().filter { $0 == "/0.png" }.count == 1)
        for url in urls { #expect(try await digest(url) != nil) }
    }

    @Test("The bytes of an alternative belong to the alternative's URL")
    func alternatives() async throws {
        let (best, other) = (privateServer.imageURL(5), privateServer.imageURL(6))
        privateServer.serve(
            feed: #"{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{"id":"1","content_html":"#
                + #""<img srcset='\#(best) 2x' src='\#(other)'>"}]}"#)
        privateServer.serve(Reply(404), at: 5)
        privateServer.serve(.png(6), at: 6)
        expectQuiet(try await program.run(privateFeed))
        let image = try await run("show", "--offline", "--json", privateFeed).json["images"]?[0]
        #expect(image?["url"]?.string == best && image?["from"]?.string == other)
        #expect(try await program.run("image", "--offline", other).standardOutput == FeedServer.image(6))
        #expect(try await program.run("image", "--offline", best).standardOutput == FeedServer.image(6))
        let count = privateServer.requestCount
        expectQuiet(try await program.run(privateFeed))
        #expect(privateServer.paths(after: count) == ["/feed.json"])
        privateServer.serve(.png(5), at: 5)
        expectQuiet(try await program.run("--retry-failed", privateFeed))
        let better = try await run("show", "--offline", "--json", privateFeed).json["images"]?[0]
        #expect(better?["from"]?.string == nil && better?["digest"]?.string != image?["digest"]?.string)
    }

    @Test("image downloads without the secrets of a feed, and reads the data of any feed")
    func image() async throws {
        #expect(
            try await run("image", "-H", "X-Key: 1", privateServer.imageURL(0)).standardOutput == FeedServer.image(5))
        // No feed has the image yet, so it is only delivered.
        #expect(!Files.exists(program.database))
        try await run("sync", privateFeed)
        #expect(
            try await run("image", "--offline", privateServer.imageURL(0)).standardOutput == FeedServer.image(0))
    }

    @Test("What image downloads is saved for the feeds that would send the same request")
    func imageOfFeeds() async throws {
        privateServer.serve(Reply(503), at: 0)
        try await run("sync", "--retries", "0", privateFeed, hostileFeed)
        privateServer.server.route("/0.png") { .png($0.header("x-key") == "1" ? 0 : 5) }
        try await run("image", privateServer.imageURL(0))
        #expect(try await digest(privateFeed) == nil)
        #expect(try await digest(hostileFeed) == sha256(5))
    }

    @Test("The data of a feed goes with the feed")
    func removedFeed() async throws {
        try await run("sync", privateFeed)
        #expect(try await run("remove", privateFeed).status == .exited(0))
        #expect(try await program.sql("SELECT count(*) FROM data") == "0")
        #expect(Files.names(in: program.imageDirectory).isEmpty)
    }
}
