import Glibc
import TestSupport
import Testing

@Suite("An output file that is an open descriptor", .timeLimit(.minutes(10)))
struct DescriptorOutputTests {
    private let program: Program
    private let server: FeedServer
    private var directory: TemporaryDirectory { program.directory }
    private let images = FeedServer.image(0) + FeedServer.image(1)

    init() async throws {
        program = try Program()
        server = try FeedServer(images: 2)
        try await program.run(server.feedURL)
    }

    /// Writes both images, one after another.
    private func writeImages(to output: String, _ redirection: String) async throws -> ProcessResult {
        try await program.shell(
            #"""
            cd "$HOME"; ln -s /dev/stdout link
            { for url in "$2" "$3"; do "$feedsync" image -o "$1" "$url" || exit; done; } \#(redirection)
            """#, output, server.imageURL(0), server.imageURL(1))
    }

    @Test(
        "An output to an open descriptor continues at the descriptor's offset",
        arguments: [
            ("/dev/stdout", "> all"), ("/dev/stderr", "2> all"), ("/dev/fd/1", "> all"), ("/dev/fd/7", "7> all"),
            ("/proc/self/fd/7", "7>> all"), ("/proc/thread-self/fd/7", "7> all"), ("link", "> all"),
        ])
    func goesOn(output: String, redirection: String) async throws {
        expectQuiet(try await writeImages(to: output, redirection))
        #expect(try directory.read("all") == images)
        #expect(Files.names(in: directory.path) == ["all", "cache", "link"])
    }

    @Test("An output to an open descriptor keeps the earlier contents of a log") func log() async throws {
        try directory.write("before\n", to: "log")
        let script = #"exec "$feedsync" --metrics-file /dev/stdout "$1" >> "$HOME/log""#
        expectQuiet(try await program.shell(script, server.feedURL))
        let text = String(decoding: try directory.read("log"), as: UTF8.self)
        #expect(text.hasPrefix("before\n# ") && text.contains("feedsync_last_run_exit_code 0"), "\(text)")
    }

    @Test("An output to an open descriptor works after the file has lost its name") func deleted() async throws {
        let result = try await program.shell(
            #"""
            cd "$HOME"; exec 7> gone 8< gone; rm gone
            "$feedsync" image -o /dev/fd/7 "$1" && cat <&8
            """#, server.imageURL(0))
        #expect(result.standardOutput == FeedServer.image(0), "\(result.errorText)")
        #expect(Files.names(in: directory.path).filter { $0.contains("gone") } == [])
    }

    @Test("An output to another process's descriptor works") func others() async throws {
        try directory.write("before\n", to: "log")
        let script = #"exec 7>> "$HOME/log"; "$feedsync" image -o "/proc/$$/fd/$1" "$2"; exit"#
        expectQuiet(try await program.shell(script, "7", server.imageURL(0)))
        #expect(try directory.read("log") == Array("before\n".utf8) + FeedServer.image(0))
        #expect(try await program.shell(script, "1", server.imageURL(0)).standardOutput == FeedServer.image(0))
    }

    @Test("An archive can be written to an open descriptor") func archive() async throws {
        let result = try await program.shell(#"{ printf head; "$feedsync" export /dev/stdout; } > "$HOME/x""#)
        expectQuiet(result)
        #expect(try await Array("head".utf8) + program.run("export", "-").standardOutput == directory.read("x"))
    }

    @Test("An output never goes to a descriptor that the program itself opened")
    func notGiven() async throws {
        for number in 3...12 {
            let result = try await program.run("--metrics-file", "/dev/fd/\(number)", server.feedURL)
            expectOneLine(result, exit: 73, ["/dev/fd/\(number)"])
        }
        expectQuiet(try await program.run("validate", "--deep"))
    }
}
