import TestSupport
import Testing

@Suite("What completion scripts ask for, from outside", .timeLimit(.minutes(10)))
struct SavedFeedCompletionTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 1)
    }

    @Test("Completion lists the URLs of the saved feeds, one a line, without passwords, despite a lock")
    func feeds() async throws {
        let other = try FeedServer(images: 0)
        let secret = server.feedURL.replacing("http://", with: "http://me:s3cret@")
        expectQuiet(try await program.run(secret, other.feedURL))
        let lock = try HeldLock(of: program)
        let result = try await program.run("completions", "feeds")
        #expect(result.status == .exited(0) && result.errorText == "")
        #expect(result.outputText == [server.feedURL, other.feedURL].sorted().map { "\($0)\n" }.joined())
        withExtendedLifetime(lock) {}
    }

    @Test("Completion uses the cache of --cache or the config file, and a missing one gives no lines")
    func caches() async throws {
        let place = program.directory.path("elsewhere")
        let config = try program.directory.write("cache = elsewhere\n", to: "config")
        expectQuiet(try await program.run("completions", "feeds", "--cache", place))
        #expect(!Files.exists(place))
        expectQuiet(try await program.run("sync", "--cache", place, server.feedURL))
        expectQuiet(try await program.run("completions", "feeds"))
        #expect(!Files.exists(program.cache))
        #expect(try await program.run("completions", "feeds", "--cache", place).outputText == "\(server.feedURL)\n")
        let configured = try await program.shell(
            #"exec env -u FEEDSYNC_CACHE "$feedsync" completions feeds --config "$1""#, config)
        #expect(configured.outputText == "\(server.feedURL)\n", "\(configured.errorText)")
    }

    @Test("bash gets the saved feeds from the program itself")
    func bash() async throws {
        expectQuiet(try await program.run(server.feedURL))
        let script = #"""
            eval "$("$feedsync" completions bash)"
            feedsync() { command "$feedsync" "$@"; }
            COMP_WORDS=(feedsync show http) COMP_CWORD=2
            _feedsync
            echo "${COMPREPLY[*]}"
            """#
        let result = try await program.shell(#"exec bash --norc -c "$1""#, script)
        #expect(result.outputText == "\(server.feedURL)\n", "\(result.errorText)")
    }

    @Test("The help leaves out `completions feeds`, and a misspelt shell is refused")
    func hidden() async throws {
        #expect(!(try await program.run("help", "completions").outputText.contains("completions feeds")))
        expectOneLine(
            try await program.run("completions", "fede"), exit: 64, ["there are completions for bash, zsh and fish"])
    }
}
