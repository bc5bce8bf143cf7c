import Glibc
import TestSupport
import Testing

/// Outputs in a directory such as /tmp, in which any user can put something under the output's name.
@Suite("An output file in a directory that everybody may write to", .timeLimit(.minutes(10)))
struct SharedDirectoryTests {
    private static let stranger: uid_t = 4711
    private static let commands = ["export OUT", "image -o OUT IMAGE", "sync --metrics-file OUT FEED"]

    private let program: Program
    private let server: FeedServer
    private let shared: String
    private var out: String { "\(shared)/out" }

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 1)
        shared = try program.directory.makeDirectory("shared")
        #expect(chmod(shared, 0o1777) == 0)
        try await program.run(server.feedURL)
    }

    private func run(_ command: String, into path: String? = nil) async throws -> ProcessResult {
        let words = command.split(separator: " ").map { word in
            switch word {
            case "OUT": path ?? out
            case "IMAGE": server.imageURL(0)
            case "FEED": server.feedURL
            default: String(word)
            }
        }
        return try await program.run(words)
    }

    @Test(
        "An output in a shared directory is not written through a stranger's link", .enabled(if: geteuid() == 0),
        arguments: commands,
        ["there", "yet to come"])
    func link(command: String, target: String) async throws {
        if target == "there" { try program.directory.write("old", to: target) }
        #expect(symlink(program.directory.path(target), out) == 0 && lchown(out, Self.stranger, 0) == 0)
        expectOneLine(try await run(command), exit: 73, [out, "another user"])
        #expect(Files.exists(program.directory.path(target)) == (target == "there"))
        if target == "there" { #expect(try program.directory.read(target) == Array("old".utf8)) }
    }

    @Test(
        "An output in a shared directory does not become a stranger's who created it first",
        .enabled(if: geteuid() == 0), arguments: commands,
        [mode_t(0o1777), 0o1770])
    func file(command: String, mode: mode_t) async throws {
        try program.directory.write("theirs", to: "shared/out")
        #expect(chmod(shared, mode) == 0 && chmod(out, 0o666) == 0 && chown(out, Self.stranger, 0) == 0)
        expectOneLine(try await run(command), exit: 73, [out, "another user"])
        #expect(try Files.bytes(out) == Array("theirs".utf8))
    }

    @Test(
        "An output in a shared directory is not given to the reader of a stranger's pipe", .enabled(if: geteuid() == 0))
    func pipe() async throws {
        #expect(mkfifo(out, 0o666) == 0 && chown(out, Self.stranger, 0) == 0)
        let reader = open(out, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        expectOneLine(try await run("export OUT"), exit: 73, [out, "another user"])
    }

    @Test("An output in a shared directory replaces the user's own file", arguments: commands)
    func own(command: String) async throws {
        try program.directory.write("old", to: "shared/out")
        #expect(symlink("out", "\(shared)/link") == 0)
        for path in [out, "\(shared)/link", "\(shared)/new"] {
            expectQuiet(try await run(command, into: path))
            #expect(try Files.bytes(path) != Array("old".utf8))
        }
        #expect(try await program.shell(#"test -L "$1/link""#, shared).status == .exited(0))
    }

    @Test(
        "An output in a shared directory replaces a file of the directory's owner", .enabled(if: geteuid() == 0),
        arguments: commands)
    func directoriesOwner(command: String) async throws {
        try program.directory.write("old", to: "shared/out")
        let link = "\(shared)/link"
        #expect(symlink("out", link) == 0)
        for path in [shared, out, link] { #expect(lchown(path, Self.stranger, 0) == 0) }
        for path in [out, link] {
            expectQuiet(try await run(command, into: path))
            #expect(try Files.bytes(path) != Array("old".utf8))
        }
    }

    @Test(
        "An output is written to a directory whose writers may also delete in it", .enabled(if: geteuid() == 0),
        arguments: [mode_t(0o777), 0o1755])
    func otherDirectories(mode: mode_t) async throws {
        try program.directory.write("old", to: "shared/out")
        let link = "\(shared)/link"
        #expect(chmod(shared, mode) == 0 && symlink("out", link) == 0)
        for path in [out, link] { #expect(lchown(path, Self.stranger, 0) == 0) }
        for path in [out, link] { expectQuiet(try await run("export OUT", into: path)) }
    }

    @Test("An output that can't be examined is not taken for missing, and it stays", arguments: ["EACCES", "EIO"])
    func unknown(error: String) async throws {
        try program.directory.write("old", to: "shared/out")
        let result = try await program.shell(
            #"""
            exec strace -f -qq -o /dev/null -P "$1" -e "inject=newfstatat:error=$2" "$feedsync" export "$1"
            """#, out, error)
        expectOneLine(result, exit: 73, [out, error == "EIO" ? "Input/output error" : "Permission denied"])
        #expect(try Files.bytes(out) == Array("old".utf8))
    }

    @Test("An output can't have the name of a link to itself")
    func circle() async throws {
        #expect(symlink("out", out) == 0)
        expectOneLine(try await run("export OUT"), exit: 73, [out, "Too many levels of symbolic links"])
        #expect(try await program.shell(#"test -L "$1""#, out).status == .exited(0))
    }
}
