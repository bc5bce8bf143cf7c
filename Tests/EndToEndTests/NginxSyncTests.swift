import JSONText
import TestSupport
import Testing

@Suite("Sync against nginx", .timeLimit(.minutes(10)))
struct NginxSyncTests {
    @Test("The second run of an unchanged feed makes one request, which nginx answers with 304")
    func unchanged() async throws {
        let program = try Program()
        let site = try TemporaryDirectory()
        let log = program.directory.path("access.log")
        let nginx = try await Nginx(serving: site.path, server: ["access_log \(log);"])
        for number in 0..<20 { try site.write(FeedServer.image(number), to: "\(number).png") }
        try site.write(FeedServer.feed((0..<20).map { nginx.url("/\($0).png") }), to: "feed.json")
        let feed = nginx.url("/feed.json")

        expectQuiet(try await program.run(feed))
        let first = try lines(log)
        #expect(first.count == 21)
        #expect(first.allSatisfy { $0.contains("\" 200 ") })
        expectQuiet(try await program.run(feed))
        let second = try lines(log).dropFirst(21)
        #expect(second.count == 1)
        #expect(second.first?.contains("\"GET /feed.json HTTP/1.1\" 304 ") == true)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 20)
    }

    @Test("A feed that is edited is downloaded again from nginx")
    func edited() async throws {
        let program = try Program()
        let site = try TemporaryDirectory()
        let nginx = try await Nginx(serving: site.path)
        for number in 0..<2 { try site.write(FeedServer.image(number), to: "\(number).png") }
        try site.write(FeedServer.feed([nginx.url("/0.png")]), to: "feed.json")
        try await program.run(nginx.url("/feed.json"))
        try site.write(FeedServer.feed((0..<2).map { nginx.url("/\($0).png") }), to: "feed.json")
        expectQuiet(try await program.run())
        #expect(try await program.status()["images"]?["count"]?.int == 2)
    }

    private func lines(_ path: String) throws -> [Substring] {
        String(decoding: try Files.bytes(path), as: UTF8.self).split(separator: "\n")
    }
}
