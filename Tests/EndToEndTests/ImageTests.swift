import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Image, from outside", .timeLimit(.minutes(10)))
struct ImageTests {
    private let program: Program
    private let server: FeedServer
    private var url: String { server.imageURL(0) }

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    @Test("image downloads an image of a saved feed and saves it, and a later sync uses it")
    func fallback() async throws {
        try await program.run("show", server.feedURL)
        for _ in 0..<2 {
            let result = try await program.run("image", url)
            #expect(result.status == .exited(0))
            #expect(result.standardOutput == FeedServer.image(0))
            #expect(result.errorText == "")
        }
        try await program.run(server.feedURL)
        #expect(server.paths() == ["/feed.json", "/0.png", "/feed.json"])
        #expect(try await Files.names(in: program.imageDirectory) == [program.digest(of: url)])
    }

    @Test("image only delivers an image that no saved feed contains")
    func ofNoFeed() async throws {
        let result = try await program.run("image", "-v", url)
        #expect(result.standardOutput == FeedServer.image(0))
        #expect(result.errorText.contains("not saved"))
        #expect(Files.names(in: program.imageDirectory).isEmpty)
    }

    @Test("image --offline of an unknown image gives not found")
    func unknown() async throws {
        expectOneLine(try await program.run("image", "--offline", url), exit: 66, [url])
        #expect(server.requestCount == 0)
        #expect(!Files.exists(program.cache))
    }

    @Test("A damaged image in the cache is downloaded again and replaced", arguments: ["damaged", "cut short", "gone"])
    func damaged(_ state: String) async throws {
        try await program.run(server.feedURL)
        let file = "\(program.imageDirectory)/\(try await program.digest(of: url))"
        switch state {
        case "damaged": try Files.damage(file)
        case "cut short":
            chmod(file, 0o644)
            truncate(file, 5)
        default: unlink(file)
        }
        #expect(try await program.run("image", "--offline", url).exitCode.map { [66, 74].contains($0) } == true)
        #expect(try await program.run("image", "--offline", url).outputText == "")
        for _ in 0..<2 {
            let result = try await program.run("image", url)
            #expect(result.status == .exited(0), "\(result.errorText)")
            #expect(result.standardOutput == FeedServer.image(0))
            #expect(result.errorText == "")
        }
        #expect(server.paths().count { $0 == "/0.png" } == 2)
        #expect(try await program.run("image", "--offline", url).standardOutput == FeedServer.image(0))
        #expect(try Files.bytes(file) == FeedServer.image(0))
    }

    @Test(
        "image of a body that is no image gives invalid data",
        arguments: [
            Reply.text("<html>no</html>", type: "image/png"), Reply(), Reply(404), Reply(body: Array("abc".utf8)),
        ])
    func invalid(_ reply: Reply) async throws {
        server.serve(reply, at: 0)
        expectOneLine(try await program.run("image", url), exit: 65, [url])
        let output = program.directory.path("out.png")
        expectOneLine(try await program.run("image", "-o", output, url), exit: 65, [url])
        #expect(!Files.exists(output))
        #expect(Files.names(in: program.imageDirectory) == [])
    }

    @Test("image of an unreachable server gives a connectivity error")
    func unreachable() async throws {
        let dead = try DeadPort()
        expectOneLine(try await program.run("image", dead.url("/0.png")), exit: 69, [dead.url("/0.png")])
        server.serve(.cutOff(after: 15, of: FeedServer.image(0)), at: 0)
        expectOneLine(try await program.run("image", url), exit: 69, [url])
        #expect(Files.names(in: "\(program.cache)/incoming") == [])
    }

    @Test("image delivers without saving while another run holds the lock")
    func locked() async throws {
        let lock = try HeldLock(of: program)
        let result = try await program.run("image", url)
        #expect(result.status == .exited(0))
        #expect(result.standardOutput == FeedServer.image(0))
        #expect(result.errorText == "")
        withExtendedLifetime(lock) {}
        #expect(Files.names(in: program.imageDirectory) == [])
    }

    @Test("image delivers a local file")
    func localFile() async throws {
        let path = try program.directory.write(FeedServer.image(5), to: "a image.png")
        let result = try await program.run("image", path)
        #expect(result.standardOutput == FeedServer.image(5))
        expectOneLine(try await program.run("image", path + "x"), exit: 66, [path])
    }

    @Test("image writes many megabytes completely")
    func large() async throws {
        let bytes = Samples.png + (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        server.serve(Reply(body: bytes, framing: .chunked(size: 60_000)), at: 0)
        try await program.run("show", server.feedURL)
        #expect(try await program.run("image", url).standardOutput == bytes)
        #expect(try await program.run("image", "--offline", url).standardOutput == bytes)
    }
}

@Suite("Image into a file", .timeLimit(.minutes(10)))
struct ImageOutputTests {
    private let program: Program
    private let server: FeedServer
    private var directory: TemporaryDirectory { program.directory }

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    private func image(into path: String) async throws -> ProcessResult {
        try await program.run("image", "-o", path, server.imageURL(0))
    }

    @Test("image accepts a file name of the maximum length")
    func longName() async throws {
        let name = String(repeating: "n", count: 251) + ".png"
        let path = directory.path(name)
        #expect(try await image(into: path).status == .exited(0))
        #expect(try Files.bytes(path) == FeedServer.image(0))
    }

    @Test("image -o replaces a file as a whole and leaves nothing beside it")
    func replaced() async throws {
        try directory.makeDirectory("out")
        let path = try directory.write("old", to: "out/image.png")
        var held = stat()
        #expect(stat(path, &held) == 0)
        expectQuiet(try await image(into: path))
        #expect(try Files.bytes(path) == FeedServer.image(0))
        #expect(Files.names(in: directory.path("out")) == ["image.png"])
        var new = stat()
        #expect(stat(path, &new) == 0)
        // A new file replaces the old one, so that a process with the old one open sees it whole.
        #expect(new.st_ino != held.st_ino)
    }

    @Test("A file that root replaces with image -o keeps its owner", .enabled(if: geteuid() == 0))
    func owner() async throws {
        let path = try directory.write("old", to: "image.png")
        #expect(chown(path, 4711, 4712) == 0 && chmod(path, 0o640) == 0)
        expectQuiet(try await image(into: path))
        #expect(try await rights(of: path) == "4711 4712 640")
    }

    @Test(
        "A replaced file keeps its group if allowed, and otherwise gives no other group its access",
        .enabled(if: geteuid() == 0),
        arguments: [
            (mode_t(0o640), "--clear-groups", "4711 600"), (0o664, "--clear-groups", "4711 644"),
            (0o604, "--clear-groups", "4711 600"), (0o660, "--groups=4712", "4712 660"),
        ])
    func group(mode: mode_t, groups: String, expected: String) async throws {
        let path = try directory.write("old", to: "image.png")
        #expect(chmod(directory.path, 0o777) == 0 && chown(path, 4713, 4712) == 0 && chmod(path, mode) == 0)
        let run = #"exec setpriv --reuid=4711 --regid=4711 "$1" "$feedsync" image --cache "$2/own" -o "$3" "$4""#
        expectQuiet(try await program.shell(run, groups, directory.path, path, server.imageURL(0)))
        #expect(try await rights(of: path) == "4711 \(expected)")
    }

    private func rights(of path: String) async throws -> String {
        String(try await Subprocess.run("stat", ["-c", "%u %g %a", path]).outputText.dropLast())
    }

    @Test("image -o keeps a link and writes its target", arguments: ["there", "yet to come"])
    func link(_ target: String) async throws {
        try directory.makeDirectory("out")
        if target == "there" { try directory.write("old", to: "out/there") }
        let path = directory.path("image.png")
        symlink("hop", path)
        symlink("out/\(target)", directory.path("hop"))
        expectQuiet(try await image(into: path))
        #expect(try Files.bytes(directory.path("out/\(target)")) == FeedServer.image(0))
        #expect(try await program.shell(#"test -L "$1" -a -L "$2""#, path, directory.path("hop")).status == .exited(0))
    }

    @Test("image -o - writes to standard output")
    func dash() async throws {
        #expect(try await image(into: "-").standardOutput == FeedServer.image(0))
    }

    @Test("image -o can't write a directory, nor into a missing one", arguments: ["out", "out/", "missing/image.png"])
    func directoryInTheWay(_ name: String) async throws {
        try directory.makeDirectory("out")
        expectOneLine(try await image(into: directory.path(name)), exit: 73, [directory.path(name)])
        #expect(Files.names(in: directory.path("out")) == [])
    }

    @Test("image -o to a full disk fails as a write error")
    func full() async throws {
        expectOneLine(try await image(into: "/dev/full"), exit: 74, ["/dev/full", "No space left"])
        #expect(try Files.mode("/dev/full") == 0o666)
    }

    @Test("image -o leaves the old file if the image is unavailable")
    func failing() async throws {
        let path = try directory.write("old", to: "image.png")
        server.serve(Reply(404), at: 0)
        #expect(try await image(into: path).status == .exited(65))
        #expect(try Files.bytes(path) == Array("old".utf8))
    }
}
