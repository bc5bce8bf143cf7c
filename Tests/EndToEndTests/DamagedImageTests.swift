import Glibc
import JSONText
import TestSupport
import Testing

/// Files that no longer match their names, which a failing disk leaves.
@Suite("Damaged images, from outside", .timeLimit(.minutes(10)))
struct DamagedImageTests {
    private let program: Program
    private let server: FeedServer
    private var damagedDirectory: String { "\(program.cache)/damaged" }

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 3)
        try await program.run(server.feedURL)
    }

    /// Damages the data of an image, and returns its digest.
    private func damage(_ image: Int) async throws -> String {
        let digest = try await program.digest(of: server.imageURL(image))
        try Files.damage("\(program.imageDirectory)/\(digest)")
        return digest
    }

    private func report(_ digest: String, _ feeds: [String], image: Int, bytes: Int = 0) -> JSONValue {
        [
            "feeds_deleted": [], "images_deleted": 0, "damaged": 1,
            "damaged_images": .array(
                feeds.map { feed in
                    [
                        "url": .string(server.imageURL(image)), "feed": .string(feed),
                        "digest": .string("sha256:\(digest)"),
                    ]
                }), "bytes_freed": .integer(bytes),
        ]
    }

    @Test("validate --deep moves a damaged image to damaged/, names its URL and feed, and exits with 65")
    func moved() async throws {
        let digest = try await damage(1)
        let bytes = try Files.bytes("\(program.imageDirectory)/\(digest)")
        expectQuiet(try await program.run("validate"))

        let result = try await program.run("validate", "--deep", "--json")

        #expect(result.status == .exited(65))
        #expect(try result.json == report(digest, [server.feedURL], image: 1))
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        let line = "feedsync: \(server.imageURL(1)): the image is damaged (\(digest), in the feed \(server.feedURL))"
        #expect(result.errorLines.first.map(String.init) == line)
        #expect(result.errorText.contains("moved 1 damaged image to damaged/; the next sync downloads"))
        #expect(Files.names(in: program.imageDirectory).count == 2)
        #expect(try Files.bytes("\(damagedDirectory)/\(digest)") == bytes)
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
        expectQuiet(try await program.run("validate", "--deep"))
        #expect(Files.names(in: damagedDirectory) == [digest])

        let before = server.requestCount
        expectQuiet(try await program.run())
        #expect(server.paths(after: before) == ["/feed.json", "/1.png"])
        expectQuiet(try await program.run("validate", "--deep"))
        #expect(Files.names(in: damagedDirectory) == [])
        #expect(try await program.sql("SELECT count(*) FROM damaged") == "0")
    }

    @Test("validate --deep -n says the same and changes nothing")
    func rehearsal() async throws {
        let digest = try await damage(1)
        let names = Files.names(in: program.cache)
        let plan = try await program.run("validate", "--deep", "-n")
        #expect(plan.status == .exited(65))
        #expect(plan.errorText == "")
        #expect(plan.outputLines.count == 2 && plan.outputLines.last == "would move 1 damaged image to damaged/")
        let words = "the image is damaged (\(digest), in the feed \(server.feedURL))"
        #expect(plan.outputLines.first == "\(server.imageURL(1)): \(words)")
        let json = try await program.run("validate", "--deep", "-n", "--json")
        #expect(json.status == .exited(65))
        #expect(try json.json == report(digest, [server.feedURL], image: 1))
        #expect(Files.names(in: program.cache) == names)
        #expect(Files.names(in: program.imageDirectory).count == 3)
        #expect(try await program.run("validate", "--deep", "-q", "--json").json == json.json)
    }

    @Test("A file stays in damaged/ until each image with its bytes has good data or has left its feed")
    func shared() async throws {
        let other = try FeedServer(images: 0)
        let (first, second) = (server.imageURL(1), other.imageURL(1))
        other.serve(.png(1), at: 1)
        other.serve(feedOf: [first, second])
        try await program.run(other.feedURL)
        let digest = try await damage(1)
        let result = try await program.run("validate", "--deep", "--json")
        let images = try result.json["damaged_images"]?.array
        #expect(try result.json["damaged"]?.int == 1)
        #expect(images?.compactMap { $0["url"]?.string }.sorted() == [first, first, second].sorted())
        #expect(Set(images?.compactMap { $0["feed"]?.string } ?? []) == [server.feedURL, other.feedURL])
        other.serve(Reply(404), at: 1)
        #expect(try await program.run(server.feedURL, other.feedURL).status == .exited(23))
        expectQuiet(try await program.run("validate"))
        #expect(Files.names(in: damagedDirectory) == [digest])
        other.serve(feedOf: [first])
        expectQuiet(try await program.run(other.feedURL))
        #expect(try await program.run("validate", "-n").outputText == "would free \(FeedServer.image(1).count)\n")
        #expect(try await program.run("validate", "--json").json["bytes_freed"]?.int == FeedServer.image(1).count)
        #expect(Files.names(in: damagedDirectory) == [])
    }

    @Test("A file in damaged/ goes with the only feed of its image, and a new one of its name replaces it")
    func replaced() async throws {
        let digest = try await damage(0)
        try await program.run("validate", "--deep")
        try await program.run()
        try Files.damage("\(program.imageDirectory)/\(digest)")
        try program.directory.write("older", to: "cache/damaged/\(digest)")
        #expect(try await program.run("validate", "--deep", "--json").json["damaged"]?.int == 1)
        #expect(Files.names(in: damagedDirectory) == [digest])
        #expect(Files.size("\(damagedDirectory)/\(digest)") == FeedServer.image(0).count)
        #expect(try await program.run("remove", server.feedURL).status == .exited(0))
        #expect(Files.names(in: damagedDirectory) == [])
    }

    @Test("validate --deep says that the file of an image is missing, and exits with 0")
    func missing() async throws {
        let digest = try await damage(2)
        #expect(unlink("\(program.imageDirectory)/\(digest)") == 0)
        let result = try await program.run("validate", "--deep", "--json")
        #expect(result.status == .exited(0))
        #expect(result.errorText.contains("1 image had lost their file"))
        #expect(try result.json["damaged"]?.int == 0 && result.json["images_deleted"]?.int == 1)
        #expect(!Files.exists(damagedDirectory))
    }
}
