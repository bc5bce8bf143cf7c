import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Feeds in local files", .timeLimit(.minutes(10)))
struct FileFeedTests {
    private let program: Program
    private var directory: TemporaryDirectory { program.directory }

    init() throws {
        program = try Program()
        try directory.makeDirectory("site")
        try directory.makeDirectory("site/images")
        try directory.write(FeedServer.image(0), to: "site/0.png")
        try directory.write(FeedServer.image(1), to: "site/images/one of them.png")
    }

    private func writeFeed(_ images: [String]) throws -> String {
        try directory.write(FeedServer.feed(images), to: "site/feed.json")
    }

    @Test("A local feed may name images by relative path, file: URL and http URL")
    func images() async throws {
        let server = try FeedServer(images: 3)
        let path = try writeFeed([
            "0.png", "images/one of them.png", "./images/../0.png", "file://\(directory.path)/site/0.png",
            server.imageURL(2),
        ])
        expectQuiet(try await program.run(path))
        #expect(try await program.status()["feeds"]?[0]?["url"]?.string == "file://\(path)")
        #expect(try await program.status()["images"]?["count"]?.int == 3)
        expectQuiet(try await program.run())
        #expect(server.paths() == ["/2.png"])
    }

    @Test("A local feed is the same feed, however its path is written")
    func names() async throws {
        let path = try writeFeed(["0.png"])
        let script = """
            cd "$1/site" && "$feedsync" feed.json && "$feedsync" ./feed.json && "$feedsync" ../site/feed.json &&
            "$feedsync" "file://$1/site/feed.json" && "$feedsync" "file://localhost$1/site/./feed%2Ejson"
            """
        expectQuiet(try await program.shell(script, directory.path))
        let feeds = try await program.status()["feeds"]?.array
        #expect(feeds?.compactMap { $0["url"]?.string } == ["file://\(path)"])
    }

    @Test(
        "A local feed that doesn't exist is not found",
        arguments: ["missing.json", "site/missing.json", "site/0.png/x"])
    func missing(_ name: String) async throws {
        let path = directory.path(name)
        let result = try await program.run(path)
        #expect(result.status == .exited(66))
        #expect(result.errorLines.first?.contains(path) == true)
        expectOneLine(try await program.run("show", path), exit: 66, [path])
    }

    @Test("A local feed that is gone is shown from the cache, and sync keeps it")
    func gone() async throws {
        let path = try writeFeed(["0.png"])
        try await program.run(path)
        let before = try await program.saved(path)
        unlink(path)
        #expect(try await program.run(path).status == .exited(66))
        #expect(try await program.saved(path) == before)
        #expect(try await program.run("show", path).status == .exited(0))
    }

    @Test("A local feed that is a directory or a device is invalid", arguments: ["site", "/dev/null"])
    func irregular(_ name: String) async throws {
        let path = name.hasPrefix("/") ? name : directory.path(name)
        let other = try writeFeed(["0.png"])
        let result = try await program.run(path, other)
        #expect(result.status == .exited(65), "\(result.errorText)")
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        #expect(result.errorLines.first?.contains(path) == true)
        // The failure leaves the other feeds unaffected.
        #expect(Files.names(in: program.imageDirectory).count == 1)
    }

    @Test(
        "A local feed may not name files outside its directory",
        arguments: ["../secret.png", "file:///etc/passwd", "images/../../x"])
    func elsewhere(_ image: String) async throws {
        try directory.write(Samples.png, to: "secret.png")
        let path = try writeFeed(["0.png", image])
        let result = try await program.run(path)
        #expect(result.status == .exited(65))
        #expect(result.errorText.contains("items[1].image"))
        #expect(Files.names(in: program.imageDirectory) == [])
    }

    @Test("A local feed loses only the images that are missing, directories, FIFOs or no images")
    func wrongImages() async throws {
        mkfifo(directory.path("site/pipe.png"), 0o600)
        try directory.write("text", to: "site/text.png")
        try directory.write("", to: "site/empty.png")
        let wrong = ["missing.png", "images", "pipe.png", "text.png", "empty.png"]
        let path = try writeFeed(["0.png"] + wrong + ["images/one of them.png"])
        let result = try await program.run("sync", "--json", path)
        #expect(result.status == .exited(23), "\(result.errorText)")
        // The lines are about missing images, files that are no images, and the summary.
        #expect(result.errorLines.count == 3, "\(result.errorText)")
        #expect(result.errorLines.first?.contains("no such file") == true, "\(result.errorText)")
        let failed = try result.json["failures"]?.array?.compactMap { $0["url"]?.string }
        #expect(failed?.sorted() == wrong.map { "file://\(directory.path)/site/\($0)" }.sorted())
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }
}
