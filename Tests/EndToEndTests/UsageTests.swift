import JSONText
import TestSupport
import Testing

@Suite("Wrong usage and help", .timeLimit(.minutes(10)))
struct UsageTests {
    private let program: Program

    init() throws { program = try Program() }

    @Test(
        "Wrong usage ends with 64 and a hint",
        arguments: [
            (["--max-aeg", "1d", "http://h/"], "did you mean --max-age?"),
            (["stauts"], "did you mean status?"),
            (["add", "http://h/"], "feedsync URL"),
            (["list"], "feedsync status"),
            (["help", "netwrok"], "did you mean network?"),
            (["--jobs", "0", "http://h/"], "'0'"),
            (["--proxy", "ftp://proxy:1", "http://h/"], "socks5h"),
            (["validate", "--offline"], "--offline"),
            (["image", "http://h/1", "http://h/2"], "http://h/2"),
            (["sync", "feed"], "neither a URL nor an existing file"),
            (["http:///feed.json"], "host"),
            ([""], "empty"),
        ])
    func wrong(_ arguments: [String], _ hint: String) async throws {
        expectOneLine(try await program.run(arguments), exit: 64, [hint])
        #expect(!Files.exists(program.cache))
    }

    @Test(
        "A wrong proxy variable is named with its mistake, even with a fresh saved copy",
        arguments: [
            ("http_proxy", "127.0.0.1:99999", "127.0.0.1:99999 in http_proxy can't be used"),
            ("ALL_PROXY", "foo://ann:s3cret@x:1", "the proxy x:1 in ALL_PROXY can't be used: its scheme is unknown"),
            ("all_proxy", "::bad", "::bad in all_proxy can't be used"),
        ])
    func proxy(_ variable: String, _ value: String, _ reason: String) async throws {
        let server = try FeedServer(images: 0)
        expectQuiet(try await program.run(server.feedURL))
        for arguments in [["sync", server.feedURL], ["show", server.imageURL(0)]] {
            let result = try await program.run(arguments, environment: [variable: value])
            #expect(result.status == .exited(64), "\(result.errorText)")
            #expect(result.errorText.contains(reason), "\(result.errorText)")
            #expect(result.errorText.contains("http://proxy.example:3128"), "\(result.errorText)")
            #expect(!result.errorText.contains("s3cret"))
        }
    }

    @Test("An argument that is not UTF-8 is wrong usage and never names another file")
    func bytes() async throws {
        let script = #""$feedsync" "$1" --cache "$2/$(printf 'a\377b')""#
        expectOneLine(try await program.shell(script, "validate", program.cache), exit: 64, ["UTF-8"])
        #expect(!Files.exists(program.cache))
    }

    @Test(
        "A variable that is not UTF-8 is a configuration error and never names another directory",
        arguments: ["FEEDSYNC_CACHE", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"])
    func variable(_ name: String) async throws {
        let script =
            #"[ "$1" = HOME ] && unset FEEDSYNC_CACHE; export "$1=$2/$(printf 'a\377b')"; exec "$feedsync" status"#
        expectOneLine(try await program.shell(script, name, program.directory.path), exit: 78, [name, "UTF-8"])
        #expect(Files.names(in: program.directory.path) == [])
    }

    @Test(
        "A URL in the wrong position does not show its password",
        arguments: [
            ["import", "http://ann:s3cret@h/x.tar"], ["export", "https://ann:s3cret@h/feed.json"],
            ["sync", "--lock-wait", "https://ann:s3cret@h/feed.json"], ["--config", "http://ann:s3cret@h/", "status"],
            ["--log-format", "json", "import", "http://ann:s3cret@h/x.tar"],
            ["import", "http://ann:a's3cret\"@h/x.tar"],
        ])
    func misplaced(_ arguments: [String]) async throws {
        let result = try await program.run(arguments)
        #expect(result.errorText.contains("://***@h/"))
        #expect(!result.errorText.contains("s3cret"))
        let config = try program.directory.write("http://ann:s3cret@h/feed.json\n", to: "config")
        expectOneLine(try await program.run("--config", config, "status"), exit: 78, ["http://***@h/feed.json"])
    }

    @Test("A character that combines with the = of an option belongs to its value")
    func combining() async throws {
        let result = try await program.run("--jobs=\u{301}3", "http://h/")
        expectOneLine(result, exit: 64, ["invalid value '\u{301}3' for --jobs"])
    }

    @Test("Without /proc, nothing is done instead of something else")
    func noProc() async throws {
        let result = try await program.shellWithOwnMounts(
            #"mount -t tmpfs none /proc && exec "$feedsync" status --bogus"#)
        #expect(result.status == .exited(1))
        // AddressSanitizer prints a message too.
        let own = result.errorLines.filter { $0.hasPrefix("feedsync:") }
        #expect(own.count == 1 && own[0].contains("/proc"), "\(result.errorText)")
    }

    @Test("A path that doesn't exist gives not found", arguments: ["./feed", "a/feed", "feed.json", "/no/feed"])
    func missing(_ path: String) async throws {
        let result = try await program.run(path)
        #expect(result.status == .exited(66))
        #expect(result.errorLines.first?.contains("no such file") == true)
    }

    @Test("A missing path that begins like a host name gives not found, with a hint at the URL")
    func schemeless() async throws {
        let hint =
            "feedsync: photos.example/feed is read as the path of a file: did you mean https://photos.example/feed?"
        let missing = try await program.run("photos.example/feed")
        #expect(missing.status == .exited(66))
        #expect(missing.errorLines.first.map(String.init) == hint)
        let config = try program.directory.write("feed = photos.example/feed\n", to: "config")
        let configured = try await program.run("--config", config)
        #expect(configured.status == .exited(66))
        #expect(configured.errorLines.first.map(String.init) == hint)

        try program.directory.write(FeedServer.feed([]), to: "feed")
        let script = #"cd "$1" && mkdir photos.example && mv feed photos.example && "$feedsync" photos.example/feed"#
        expectQuiet(try await program.shell(script, program.directory.path))
    }

    @Test(
        "A wrong variable ends with 78 and its name",
        arguments: [
            ("FEEDSYNC_MAX_AGE", "never"), ("FEEDSYNC_MAX_AEG", "7d"), ("FEEDSYNC_JSON", "perhaps"),
        ])
    func variables(_ name: String, _ value: String) async throws {
        expectOneLine(try await program.run("status", environment: [name: value]), exit: 78, [name])
    }

    @Test("The command line takes precedence over a variable")
    func precedence() async throws {
        try program.makeEmptyCache()
        let result = try await program.run("status", environment: ["FEEDSYNC_JSON": "true"])
        #expect(try result.json["feeds"] == [])
        let directory = try program.directory.makeDirectory("other")
        let other = try await program.run("status", "--cache", directory, environment: ["FEEDSYNC_JSON": "1"])
        #expect(try other.json["cache"]?.string == directory)
    }

    @Test("Help goes to standard output with exit code 0", arguments: [["help", "sync"], ["-h"]])
    func help(_ arguments: [String]) async throws {
        let result = try await program.run(arguments)
        #expect(result.status == .exited(0))
        #expect(result.errorText == "")
        #expect(result.outputText.hasPrefix("Usage: feedsync [sync] [options] [FEED...]\n"))
    }

    @Test(
        "help explains each topic, and the manual page has the same text",
        arguments: [
            ("config", "[feed \"https://example.org/private.json\"]"), ("feeds", "JSON Feed 1.0, 1.1"),
            ("network", "socks5h://"), ("monitoring", "feedsync_last_success_timestamp_seconds"),
            ("cache", "feedsync validate deletes"), ("archive", "blobs/sha256/"),
            ("gallery", "feedsync gallery --force"),
            ("cluster", "sbatch --array=0-3 feedsync.sbatch"), ("exit-codes", "128+n"),
        ])
    func topic(_ name: String, _ words: String) async throws {
        let help = try await program.run("help", name)
        #expect(help.status == .exited(0) && help.errorText == "")
        #expect(help.outputText.contains(words))
        let page = try await program.shell(#""$feedsync" help --man | mandoc -T ascii -O width=300 | col -b"#)
        #expect(page.outputText.contains(words), "\(page.errorText)")
        let overview = try await program.run("help").outputText
        #expect(overview.contains("\n  \(name) "))
    }

    @Test("help and version work without a home, a cache and a valid environment")
    func bare() async throws {
        for option in ["help", "--help", "--version"] {
            let result = try await program.shell(#"env -i FEEDSYNC_NONSENSE=1 "$feedsync" "$1""#, option)
            #expect(result.status == .exited(0), "\(result.errorText)")
        }
    }
}
