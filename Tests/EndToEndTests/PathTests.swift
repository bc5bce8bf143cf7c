import Glibc
import TestSupport
import Testing

@Suite("A path that can't be used", .timeLimit(.minutes(10)))
struct PathTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    // MARK: No text

    /// Runs the program in a directory whose name is not UTF-8, beside one with the repaired name.
    ///
    /// A link above leads to it.
    private func runInDirectory(_ arguments: String..., after setUp: String = ":") async throws -> ProcessResult {
        try await program.shell(
            #"""
            cd "$1" && bad=$(printf 'caf\351') && mkdir -p "$bad" "$(printf 'caf\357\277\275')" || exit 99
            [ -e link ] || ln -s "$bad" link
            cd "$bad" || exit 99
            { \#(setUp); } || exit 99
            shift
            exec "$feedsync" "$@"
            """#, [program.directory.path] + arguments)
    }

    private func filesMade() async throws -> String {
        try await program.shell(#"find "$1" -path "*caf*/*""#, program.directory.path).outputText
    }

    @Test(
        "A cache below a directory whose name is not UTF-8 is not used",
        arguments: ["made", "made/below", "../link/made"])
    func newCache(path: String) async throws {
        for (command, exit) in [("sync", 73), ("show", 74)] {
            let result = try await runInDirectory(command, "--cache", path, server.feedURL)
            #expect(result.status == .exited(Int32(exit)), "\(result.errorText)")
            #expect(result.errorText.contains("\(path): its full path is not UTF-8 text"), "\(result.errorText)")
        }
        #expect(try await !filesMade().contains("sqlite"))
    }

    @Test(
        "A config file below a directory whose name is not UTF-8 is not read",
        arguments: [["status"], ["export", "-"]])
    func oldCache(command: [String]) async throws {
        expectQuiet(try await program.run(server.feedURL))
        let arguments = command + ["--cache", "cache"]
        let result = try await program.shell(
            #"""
            cd "$1" && bad=$(printf 'caf\351') && mkdir "$bad" && cp -a cache "$bad/" && cd "$bad" || exit 99
            shift
            exec "$feedsync" "$@"
            """#, [program.directory.path] + arguments)
        expectOneLine(result, exit: 74, ["UTF-8"])
    }

    @Test("A gallery below a directory whose name is not UTF-8 is not made", arguments: ["site", "../link/site"])
    func gallery(path: String) async throws {
        expectQuiet(try await program.run(server.feedURL))
        expectOneLine(try await runInDirectory("gallery", path), exit: 73, ["\(path): its full path is not UTF-8 text"])
        #expect(try await filesMade() == "")
    }

    @Test("A feed below a directory whose name is not UTF-8 is not read") func feed() async throws {
        let result = try await runInDirectory("show", "feed.json", after: #"echo '{"items":[]}' > feed.json"#)
        #expect(result.status == .exited(66), "\(result.errorText)")
    }

    @Test("A path argument that is not UTF-8 is wrong usage") func argument() async throws {
        let result = try await program.shell(#"exec "$feedsync" sync "$(printf "caf\351/feed.json")""#)
        expectOneLine(result, exit: 64, ["argument 2", "UTF-8"])
    }

    // MARK: Too long

    /// Returns a path of this many bytes.
    private func path(of length: Int) -> String {
        var path = program.directory.path("long")
        while path.utf8.count + 202 < length { path += "/" + String(repeating: "x", count: 100) }
        return path + "/" + String(repeating: "y", count: length - path.utf8.count - 1)
    }

    @Test("A path longer than the database allows is reported") func tooLong() async throws {
        // The path has the maximum length together with the longest name that SQLite adds.
        let most = 512 - "/feedsync.sqlite-journal".utf8.count
        expectQuiet(try await program.run("sync", "--cache", path(of: most), server.feedURL))
        for (command, code) in [(["sync", server.feedURL], 73), (["status"], 74)] as [([String], Int32)] {
            let result = try await program.run(command + ["--cache", path(of: most + 1)])
            expectOneLine(result, exit: code, [path(of: most + 1), "unable to open"])
        }
    }
}
