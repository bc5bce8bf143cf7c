import Glibc
import TestSupport
import Testing

@Suite("A file system that can't do all that others can", .timeLimit(.minutes(10)))
struct FileSystemTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    private func run(_ faults: [String], _ arguments: String...) async throws -> ProcessResult {
        let injections = faults.map { "-e inject=\($0)" }.joined(separator: " ")
        return try await program.shell(
            #"exec strace -f -qq -o /dev/null \#(injections) "$feedsync" "$@""#, arguments)
    }

    @Test("stores images where it knows neither links nor names that replace nothing", arguments: ["sync", "import"])
    func neitherLinksNorFlags(command: String) async throws {
        let archive = program.folder.path("cache.tar")
        expectQuiet(try await program.run(server.feedURL))
        expectQuiet(try await program.run("export", archive))
        for (flag, link) in [("EINVAL", "EPERM"), ("ENOSYS", "EOPNOTSUPP"), ("EINVAL", "ENOSYS")] {
            // Of one there is something else in its place, of the other nothing.
            try Files.damage("\(program.imageFolder)/\(try await program.digest(of: server.imageURL(0)))")
            unlink("\(program.imageFolder)/\(try await program.digest(of: server.imageURL(1)))")
            try await program.sql("DELETE FROM images")
            let operand = command == "sync" ? server.feedURL : archive
            let faults = ["renameat2:error=\(flag)", "linkat:error=\(link)"]
            expectQuiet(try await run(faults, command, operand))
            #expect(Files.names(in: program.imageFolder).count == 2)
            expectQuiet(try await program.run("validate", "--deep"))
        }
    }

    @Test("keeps an image whose mode is right where it can't be given one")
    func noModes() async throws {
        expectQuiet(try await program.run(server.feedURL))
        let list = #"stat -c "%i %n" "$FEEDSYNC_CACHE"/images/sha256/*"#
        let before = try await program.shell(list).outputLines
        try await program.sql("DELETE FROM images")
        expectQuiet(try await run(["fchmod:error=EPERM"], server.feedURL))
        #expect(try await program.shell(list).outputLines == before)
    }
}
