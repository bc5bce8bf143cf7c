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

    private func run(_ faults: [String], _ arguments: [String]) async throws -> ProcessResult {
        let injections = faults.map { "-e inject=\($0)" }.joined(separator: " ")
        return try await program.shell(
            #"exec strace -f -qq -o /dev/null \#(injections) "$feedsync" "$@""#, arguments)
    }

    @Test("Images are stored on a file system without an exclusive rename", arguments: ["sync", "import"])
    func noFlags(command: String) async throws {
        let archive = program.directory.path("cache.tar")
        expectQuiet(try await program.run(server.feedURL))
        expectQuiet(try await program.run("export", archive))
        for error in ["EINVAL", "ENOSYS"] {
            // One image has something else in its place, and the other has nothing.
            try Files.damage("\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(0)))")
            unlink("\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(1)))")
            try await program.sql("DELETE FROM data")
            let words = command == "sync" ? [command, server.feedURL] : [command, "--restore", archive]
            expectQuiet(try await run(["renameat2:error=\(error)"], words))
            #expect(Files.names(in: program.imageDirectory).count == 2)
            expectQuiet(try await program.run("validate", "--deep"))
        }
    }

    @Test(
        "A cache works on a file system whose directories can't be synchronised", arguments: ["EINVAL", "EOPNOTSUPP"])
    func directoriesWithoutSync(error: String) async throws {
        let result = try await program.shell(
            #"""
            cache=$FEEDSYNC_CACHE
            exec strace -f -qq -o "$1" -P "$cache" -P "$cache/images" -P "$cache/images/sha256" -P "$cache/incoming" \
                -e trace=fsync -e "inject=fsync:error=$2" "$feedsync" "$3"
            """#, program.directory.path("trace"), error, server.feedURL)
        expectQuiet(result)
        let trace = String(decoding: try Files.bytes(program.directory.path("trace")), as: UTF8.self)
        #expect(trace.contains("INJECTED"))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
    }

    @Test("An image whose mode is right is kept on a file system without chmod")
    func noModes() async throws {
        expectQuiet(try await program.run(server.feedURL))
        let list = #"stat -c "%i %n" "$FEEDSYNC_CACHE"/images/sha256/*"#
        let before = try await program.shell(list).outputLines
        try await program.sql("DELETE FROM data")
        expectQuiet(try await run(["fchmod:error=EPERM"], [server.feedURL]))
        #expect(try await program.shell(list).outputLines == before)
    }

    @Test(
        "A file with the right mode is replaced on a file system without chmod",
        arguments: ["export OUT", "image -o OUT IMAGE", "sync --metrics-file OUT FEED", "gallery OUT"])
    func sameMode(command: String) async throws {
        expectQuiet(try await program.run(server.feedURL))
        // New files in this directory have its group, and new directories pass it on.
        let directory = try program.directory.makeDirectory("directory")
        #expect(chmod(directory, 0o2755) == 0)
        let out = "\(directory)/out"
        let words = [("OUT", out), ("IMAGE", server.imageURL(0)), ("FEED", server.feedURL)]
            .reduce(command) { $0.replacing($1.0, with: $1.1) }
        for _ in 1...3 {
            expectQuiet(
                try await program.shell(
                    #"umask 022; exec strace -f -qq -o /dev/null -e inject=fchmod:error=EPERM "$feedsync" "$@""#,
                    words.split(separator: " ").map(String.init)))
        }
        let mode = try await Subprocess.run("stat", ["-c", "%a", out]).outputText
        #expect(mode == (command.hasPrefix("gallery") ? "2755\n" : "644\n"))
    }

    @Test(
        "A file whose mode can't be set is replaced only if the default mode is no wider",
        arguments: [
            ("EPERM", 0, mode_t(0o666), "644"), ("EOPNOTSUPP", 0, 0o644, "644"), ("ENOSYS", 0, 0o777, "644"),
            ("EPERM", 74, 0o600, "600"), ("ENOSYS", 74, 0o640, "640"), ("EIO", 74, 0o666, "666"),
        ])
    func otherMode(error: String, exit: Int32, mode: mode_t, left: String) async throws {
        expectQuiet(try await program.run(server.feedURL))
        let out = try program.directory.write("old", to: "out")
        #expect(chmod(out, mode) == 0)
        let script =
            #"umask 022; exec strace -f -qq -o /dev/null -e "inject=fchmod:error=$1" "$feedsync" export "$2""#
        let result = try await program.shell(script, error, out)
        if exit == 0 { expectQuiet(result) } else { expectOneLine(result, exit: exit, [out]) }
        #expect(try await Subprocess.run("stat", ["-c", "%a", out]).outputText == "\(left)\n")
        #expect(try (Files.bytes(out) == Array("old".utf8)) == (exit != 0))
        #expect(Files.names(in: program.directory.path) == ["cache", "out"])
    }
}
