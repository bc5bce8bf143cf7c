import JSONText
import TestSupport
import Testing

@Suite("Sync --revalidate", .timeLimit(.minutes(10)))
struct RevalidateTests {
    private let program: Program
    private let server: FeedServer
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 3)
        Self.serve("\"a\"", FeedServer.image(0), at: "/0.png", of: server)
        server.server.route("/1.png") { .validated(FeedServer.image(1), lastModified: Self.date, for: $0) }
        expectQuiet(try await program.run(server.feedURL))
    }

    private static func serve(_ etag: String, _ body: [UInt8], at path: String, of server: FeedServer) {
        server.server.route(path) { .validated(body, etag: etag, for: $0) }
    }

    private func revalidate() async throws -> ProcessResult {
        try await program.run("sync", "--revalidate", "--json", server.feedURL)
    }

    @Test("--revalidate makes conditional requests, and downloads images without validators again")
    func conditional() async throws {
        let before = server.requestCount
        let files = Files.names(in: program.imageDirectory)
        let result = try await revalidate()
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(try result.json["images"]?["cached"]?.int == 2)
        #expect(try result.json["images"]?["downloaded"]?.int == 1)
        #expect(server.paths(after: before).sorted() == ["/0.png", "/1.png", "/2.png", "/feed.json"])
        let requests = server.server.requests.dropFirst(before)
        #expect(requests.first { $0.path == "/0.png" }?.header("if-none-match") == "\"a\"")
        #expect(requests.first { $0.path == "/1.png" }?.header("if-modified-since") == Self.date)
        #expect(Files.names(in: program.imageDirectory) == files)
    }

    @Test("--revalidate replaces changed images and uses the new validators afterwards")
    func changed() async throws {
        Self.serve("\"b\"", FeedServer.image(7), at: "/0.png", of: server)
        #expect(try await revalidate().json["images"]?["downloaded"]?.int == 2)
        let image = try await program.run("image", "--offline", server.imageURL(0))
        #expect(image.standardOutput == FeedServer.image(7))
        #expect(try await revalidate().json["images"]?["cached"]?.int == 2)
    }

    @Test("A validator of more than 1 KiB is never stored, and one in an older cache is ignored")
    func longValidators() async throws {
        let kept = "SELECT count(*) FROM (SELECT etag FROM data UNION ALL SELECT etag FROM feeds) WHERE etag NOT NULL"
        let long = "\"\(String(repeating: "x", count: 1023))\""
        Self.serve(long, FeedServer.image(0), at: "/0.png", of: server)
        Self.serve("\"b\"", Array(FeedServer.feed((0..<3).map(server.imageURL)).utf8), at: "/feed.json", of: server)
        #expect(try await program.run(server.feedURL, "--revalidate").status == .exited(0))
        #expect(try await program.sql(kept) == "1")

        // The row is as an older version left it.
        try await program.sql("UPDATE feeds SET etag = '\(long)'; UPDATE data SET etag = '\(long)'")
        let archive = try await program.run("export", "-").standardOutput
        #expect(!String(decoding: archive, as: UTF8.self).contains("xxx"))
        let before = server.requestCount
        #expect(try await revalidate().status == .exited(0))
        #expect(server.server.requests.dropFirst(before).allSatisfy { $0.header("if-none-match") == nil })
        #expect(try await program.sql(kept) == "1")
    }
}
