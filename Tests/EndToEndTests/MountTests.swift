import Glibc
import TestSupport
import Testing

/// Tests in a mount namespace that ends with its script.
@Suite("A cache on more than one mount", .timeLimit(.minutes(10)))
struct MountTests {
    private static let mounts = ["images", "images/sha256", "incoming"]
    private static let kinds = ["-t tmpfs none", #"--bind "$FEEDSYNC_CACHE/../other""#]

    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
        try program.directory.makeDirectory("other")
    }

    private func run(mounting kind: String, at name: String, _ arguments: [String]) async throws -> ProcessResult {
        try await program.shellWithOwnMounts(
            #"""
            directory=$FEEDSYNC_CACHE/$1
            shift
            mkdir -p "$directory" && mount \#(kind) "$directory" || exit 99
            exec "$feedsync" "$@"
            """#, [name] + arguments)
    }

    @Test("A cache on several mounts is refused before any request", arguments: mounts, kinds)
    func refused(name: String, kind: String) async throws {
        let result = try await run(mounting: kind, at: name, ["sync", server.feedURL])
        expectOneLine(result, exit: 73, ["images/sha256 and incoming are on different mounts", "--cache"])
        #expect(server.requestCount == 0)
    }

    @Test("show and image deliver without saving into a cache on several mounts") func image() async throws {
        try await program.run("show", server.feedURL)
        let result = try await run(mounting: "-t tmpfs none", at: "incoming", ["image", server.imageURL(0)])
        #expect(result.status == .exited(73))
        #expect(result.errorText.contains("not saved"), "\(result.errorText)")
        #expect(result.standardOutput == FeedServer.image(0))
    }

    @Test(
        "A cache on several mounts can be read and pruned",
        arguments: [["status"], ["validate", "--deep"], ["export", "-"]])
    func read(command: [String]) async throws {
        expectQuiet(try await program.run(server.feedURL))
        let result = try await run(mounting: "-t tmpfs none", at: "incoming", command)
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(result.errorText == "")
    }
}
