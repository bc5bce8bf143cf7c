import FeedCore
import Testing

@testable import FeedCommands

@Suite("Commands and their operands")
struct OptionsCommandTests {
    @Test("a command line without a command means sync", arguments: [[], [feed], [feed, "./b.json", "c.json", "/d"]])
    func bare(operands: [String]) throws {
        #expect(try parse(operands) == .run(.sync, Settings(), operands: operands))
        #expect(try parse(["sync"] + operands) == .run(.sync, Settings(), operands: operands))
    }

    @Test("every command runs by its name", arguments: Command.allCases)
    func named(command: Command) throws {
        let operands = command.sampleOperands
        #expect(try parse([command.rawValue] + operands) == .run(command, Settings(), operands: operands))
    }

    @Test(
        "a URL instead of a directory or file is refused, and the message hides its password",
        arguments: ["export", "gallery", "import"])
    func urlForPath(command: String) {
        let message = usageError([command, "HTTP://ann:s3cret@h/feed.json"])?.message
        #expect(message?.hasSuffix("is a URL") == true)
        #expect(message?.contains("s3cret") == false)
    }

    @Test("the part that a shell split from a URL is hidden, because it may be a password")
    func parted() {
        for arguments in [["http://u:a", "s3cret"], ["http://u:a", "s3cret@h"], ["show", "http://u:a", "s3cret@h/"]] {
            let error = usageError(arguments)
            #expect(error?.exitCode == .usage)
            #expect(error?.message.contains("s3cret") == false)
        }
    }

    @Test("only the first operand can be a command") func firstOperand() {
        #expect(usageError([feed, "show"])?.message == "'show' is neither a URL nor an existing file")
        #expect(usageError(["sync", "show"])?.hint == "usage: feedsync [sync] [options] [FEED...]")
    }

    @Test("a feed may be given twice on the command line") func repeated() throws {
        #expect(try parse([feed, feed]) == .run(.sync, Settings(), operands: [feed, feed]))
    }

    @Test(
        "a bare word that is not a command is wrong usage",
        arguments: [
            ("snyc", "did you mean sync?"), ("val", "did you mean validate?"), ("staus", "did you mean status?"),
            ("s", "did you mean sync, show or status?"), ("restore", "see feedsync help"),
            ("rm", "did you mean remove?"), ("delete", "did you mean remove?"), ("pull", "did you mean sync?"),
            ("search", "did you mean find?"), ("verify", "did you mean validate?"), ("gc", "did you mean validate?"),
            ("check", "did you mean validate?"), ("clean", "did you mean validate?"),
            ("download", "did you mean sync?"), ("version", "feedsync --version prints the version"),
            ("add", "feedsync URL adds a feed: it fetches and saves it"),
            ("list", "feedsync status lists the saved feeds"), ("LS", "feedsync status lists the saved feeds"),
        ])
    func unknownCommand(word: String, hint: String) {
        let error = UsageError("unknown command '\(word)'", hint: hint)
        #expect(usageError([word]) == error)
        #expect(usageError([word, feed, "-q"]) == error)
        let noHelp = UsageError("there is no help on '\(word)'", hint: hint)
        #expect(usageError([word, "--help"]) == noHelp)
        #expect(usageError(["--help", word]) == noHelp)
        #expect(usageError(["help", word]) == noHelp)
    }

    @Test(
        "a help topic is not a command",
        arguments: HelpTopic.allCases.map(\.rawValue).filter { CommandTable.named($0) == nil })
    func topic(name: String) throws {
        #expect(try parse(["help", name]) == .help(name))
        #expect(try parse(["--help", name]) == .help(name))
        #expect(usageError([name]) == UsageError("unknown command '\(name)'", hint: "see feedsync help \(name)"))
        #expect(usageError(["help", "x" + name])?.hint == "did you mean \(name)?")
    }

    @Test("a bare word that is a file is a feed") func bareFile() throws {
        #expect(try parse(["photos"], files: ["photos"]) == .run(.sync, Settings(), operands: ["photos"]))
        #expect(try parse(["show", "photos"], files: ["photos"]) == .run(.show, Settings(), operands: ["photos"]))
    }

    @Test("a command's name is the command even if there is such a file") func commandOverFile() throws {
        #expect(try parse(["status"], files: ["status"]) == .run(.status, Settings(), operands: []))
    }

    @Test(
        "a path may be missing, but a bare word must be an existing file",
        arguments: [("./photos", true), ("photos.json", true), ("a/b", true), ("http://x", true), ("photos", false)])
    func bareOperand(operand: String, isTaken: Bool) {
        for command in ["sync", "show", "image"] {
            #expect((usageError([command, operand]) == nil) == isTaken)
        }
        #expect((usageError([feed, operand]) == nil) == isTaken)
        #expect((usageError(["--", operand]) == nil) == isTaken)
    }

    @Test(
        "too few or too many operands are wrong usage",
        arguments: [
            (["show"], "show needs one FEED", "usage: feedsync show [options] FEED"),
            (["image"], "image needs one URL", "usage: feedsync image [options] URL"),
            (
                ["show", feed, "./b"], "show takes one FEED; './b' is one too many",
                "usage: feedsync show [options] FEED"
            ),
            (
                ["image", feed, "http://u:secret@h/"], "image takes one URL; 'http://***@h/' is one too many",
                "usage: feedsync image [options] URL"
            ),
            (
                ["validate", "\u{9B}x"], "validate takes no operand; '\\u{9B}x' is one too many",
                "usage: feedsync validate [options]"
            ),
            (
                ["validate", feed], "validate takes no operand; '\(feed)' is one too many",
                "usage: feedsync validate [options]"
            ),
            (
                ["help", "sync", "show"], "help takes one COMMAND or TOPIC; 'show' is one too many",
                "usage: feedsync help [COMMAND|TOPIC]"
            ),
        ])
    func operandCounts(arguments: [String], message: String, hint: String) {
        #expect(usageError(arguments) == UsageError(message, hint: hint))
    }

    @Test(
        "an empty operand is wrong usage",
        arguments: [[""], ["sync", ""], ["show", ""], [feed, ""], ["status", ""], ["help", ""], ["--", ""]])
    func emptyOperand(arguments: [String]) {
        #expect(usageError(arguments)?.message == "an operand is empty")
    }

    @Test(
        "an option of another command is refused with the name of that command",
        arguments: [
            (["--deep"], "--deep is not an option of sync; it belongs to validate"),
            (["-o", "x", "show", feed], "-o is not an option of show; it belongs to image"),
            (["status", "--jobs=4"], "--jobs is not an option of status; it belongs to sync, show and image"),
            (["status", "-n"], "-n is not an option of status; it belongs to sync, validate, remove and tree"),
            (["help", "--offline"], "--offline is not an option of help; it belongs to show and image"),
        ])
    func foreignOption(arguments: [String], message: String) {
        #expect(usageError(arguments)?.message == message)
    }

    @Test(
        "help can be requested in many ways",
        arguments: [
            ["-h"], ["--help"], ["help"], ["-qh"], ["--help", "--nonsense"], ["-h", "-x"], ["--", "-h"].reversed(),
            [feed, "--help"], ["help", "-q", "--cache=x"],
        ])
    func help(arguments: [String]) throws {
        #expect(try parse(arguments) == .help(nil))
    }

    @Test("the help of each command can be requested in many ways", arguments: CommandTable.all.map(\.name))
    func helpOfCommand(name: String) throws {
        let help = Invocation.help(name)
        #expect(try parse(["help", name]) == help)
        #expect(try parse([name, "--help"]) == help)
        #expect(try parse([name, "-h", "--nonsense", "a", "b"]) == help)
        #expect(try parse(["-h", name]) == help)
        #expect(try parse(["--cache", "x", name, "-qh"]) == help)
    }

    @Test("help --man prints the man page and takes no operand")
    func manual() throws {
        #expect(try parse(["help", "--man"]) == .manual)
        #expect(try parse(["--man", "help", "-q"]) == .manual)
        #expect(try parse(["help", "--man", "--help", "sync"]) == .help("help"))
        #expect(usageError(["sync", "--man"])?.message == "--man is not an option of sync; it belongs to help")
        let surplus = UsageError(
            "help --man takes no operand; 'sync' is one too many", hint: "usage: feedsync help --man")
        #expect(usageError(["help", "--man", "sync"]) == surplus)
        #expect(usageError(["help", "sync", "--man"]) == surplus)
        let foreign = usageError(["help", "--man", "--offline"])?.message
        #expect(foreign == "--offline is not an option of help; it belongs to show and image")
        #expect(usageError(["help", "--man", "-x"])?.message == "unknown option '-x'")
    }

    @Test("help and version ignore what follows them, but not what precedes them")
    func helpNeedsRightOptions() {
        #expect(usageError(["--nonsense", "--help"])?.message == "unknown option '--nonsense'")
        #expect(usageError(["-j0", "--help"])?.message.hasPrefix("invalid value '0' for -j") == true)
        #expect(usageError(["--nonsense", "--version"]) != nil)
        #expect(usageError(["-j0", "--version"]) != nil)
    }

    @Test("--help after -- is an operand") func helpBehindTerminator() {
        #expect(usageError(["--", "--help"])?.message == "'--help' is neither a URL nor an existing file")
    }

    @Test(
        "--version prints the version at any position",
        arguments: [["--version"], ["show", "--version"], ["nonsense", "--version"], ["--version", "--nonsense"]])
    func version(arguments: [String]) throws {
        #expect(try parse(arguments) == .version(isVerbose: false))
    }

    @Test("--version with -v asks for the libraries too", arguments: [["--version", "-v"], ["-v", "--version"]])
    func versionOfLibraries(arguments: [String]) throws {
        #expect(try parse(arguments) == .version(isVerbose: true))
    }
}

@Suite("Feeds on the command line")
struct OptionsOperandTests {
    private func url(_ operand: String) throws(UsageError) -> ResourceURL {
        try FeedOperand.url(operand, currentDirectory: "/home/me") { _ in false }
    }

    @Test(
        "an operand is a URL, or a path from the current directory",
        arguments: [
            ("https://example.com/feed.json?a=b", "https://example.com/feed.json?a=b"),
            ("HTTP://example.com/", "http://example.com/"),
            ("/srv/feed.json", "file:///srv/feed.json"), ("feed.json", "file:///home/me/feed.json"),
            ("photos", "file:///home/me/photos"), ("./feed.json", "file:///home/me/feed.json"),
            ("../a//b/./c/", "file:///home/a/b/c"), ("/../../a", "file:///a"), (".", "file:///home/me"),
            ("a b%#?.json", "file:///home/me/a%20b%25%23%3F.json"), ("./a:b.json", "file:///home/me/a:b.json"),
            ("-", "file:///home/me/-"), ("example.com/feed.json", "file:///home/me/example.com/feed.json"),
            ("file:///srv/a/../feed.json", "file:///srv/feed.json"), ("file:/srv//x%20y", "file:///srv/x%20y"),
            ("FILE://localhost/srv/x", "file:///srv/x"), ("1:2", "file:///home/me/1:2"),
            ("a/\u{301}b/../c", "file:///home/me/a/c"),
        ])
    func urls(operand: String, expected: String) throws {
        #expect(try url(operand).text == expected)
    }

    @Test(
        "a path that begins like a server name may be a URL without its scheme",
        arguments: [
            ("example.com/feed.json", true), ("www.example.com", true), ("a-b.example.org/", true),
            ("example.com", false), ("WWW.Example.org", true), ("localhost/feed", true), ("LOCALHOST/", true),
            ("feed.json", false), ("feeds.OPML", false), ("feed.rss.xml", false), ("dawn.png", false), ("a.b", false),
            ("./example.com/feed.json", false), ("/example.com/a", false),
            ("../example.com/a", false), ("photos/feed.json", false), ("127.0.0.1:8080/feed.json", true),
            ("10.0.0.1/x", true), (".config/feed.json", false), ("https://example.com/", false), ("", false),
        ])
    func mayLackScheme(operand: String, expected: Bool) {
        #expect(FeedOperand.mayLackScheme(operand) == expected)
    }

    @Test(
        "a URL with text before it is neither a URL nor a path",
        arguments: ["'http://h/x'", "\"http://h/x\"", " https://h/x", "<file:///srv/x>", "-ftp://h/x"])
    func begunWrongly(operand: String) {
        let message = "'\(operand)' is not a valid URL: it does not begin with http:, https: or file:"
        #expect(throws: UsageError(message, hint: "write ./NAME for a file")) { try url(operand) }
        #expect(FeedOperand.isURL(operand) == !operand.contains("ftp"))
    }

    @Test(
        "a message hides everything that may be a password",
        arguments: [
            ("http://u:s3cret", "http://u:***"), ("https://u:s3c/ret", "https://u:***"),
            ("'http://u:s3cret'", "'http://u:***"), ("ret@h/", "***@h/"),
            ("http://h:99999/", "http://h:99999/"), ("http://h:/x", "http://h:/x"), ("http://h/a:b", "http://h/a:b"),
            ("http://[::1]:80/", "http://[::1]:80/"), ("http://[::1]:s3c/", "http://[::1]:***"),
            ("http://[::1]/", "http://[::1]/"),
            ("/srv/a:b@c", "/srv/a:b@c"), ("feed.json", "feed.json"), ("./a@b", "./a@b"),
        ])
    func shown(operand: String, shown: String) {
        #expect(FeedOperand.shown(operand) == shown)
    }

    @Test(
        "a path may contain the characters of a URL",
        arguments: ["/srv/a:b@c", "./'http://h", "a@b/c", "1:2", "a//b@c", "//a/b@c", "a b@c"])
    func stillPaths(operand: String) throws {
        #expect(try url(operand).isRemote == false)
        #expect(!FeedOperand.isURL(operand))
    }

    @Test(
        "a URL is recognised where an archive, a directory or another file is expected",
        arguments: [
            "2024-01-01T12:00@host.tar", "backup_12:00@host.tar", "IMG_1:2@2x.png", "1 file: a.tar", "2024.http:a.tar",
            "//me@host/1.tar", "file:x.tar", "me@host", "\"q\".tar", "http:",
        ])
    func names(name: String) { #expect(!FeedOperand.isURL(name)) }

    @Test("the name of an existing file always means that file", arguments: ["12:30@x.json", "1. file: notes.json"])
    func existing(name: String) throws {
        let url = try FeedOperand.url(name, currentDirectory: "/srv") { $0 == name }
        #expect(url.filePath == "/srv/\(name)")
    }

    @Test("a path in the root directory has one slash") func root() throws {
        #expect(try FeedOperand.url("a", currentDirectory: "/") { _ in false }.text == "file:///a")
    }

    @Test("a password is removed from the text of a URL and kept in its credentials") func credentials() throws {
        let url = try url("https://me:secret@example.com/feed.json")
        #expect(url.text == "https://example.com/feed.json")
        #expect(url.credentials == "me:secret")
    }

    @Test(
        "an unsupported scheme or a broken URL is wrong usage with the reason",
        arguments: [
            (
                "ftp://example.com/x", "'ftp://example.com/x' has an unsupported scheme: ftp",
                "a FEED is an http:, https: or file: URL"
            ),
            (
                "mailto:me", "'mailto:me' has an unsupported scheme: mailto",
                "if it is a file, write ./NAME"
            ),
            (
                "localhost:8080/feed.json", "'localhost:8080/feed.json' has an unsupported scheme: localhost",
                "did you mean http://localhost:8080/feed.json?"
            ),
            ("http://", "'http://' is not a valid URL: it has no host", nil),
            ("http:example.com", "'http:example.com' is not a valid URL: it has no host", nil),
            ("http://h:99999/", "'http://h:99999/' is not a valid URL: it has no valid port", nil),
            ("file:feed.json", "'file:feed.json' is not a valid URL: a file: URL needs an absolute path", nil),
            (
                "http://h/a b\u{1B}",
                "'http://h/a b\\u{1B}' is not a valid URL: it contains a space, control character or backslash", nil
            ),
            ("", "an operand is empty", nil),
        ])
    func mistakes(operand: String, message: String, hint: String?) {
        #expect(throws: UsageError(message, hint: hint)) { try url(operand) }
    }

    @Test(
        "a usage message never shows a password",
        arguments: [
            "http://me:secret@", "http://me:secret@h ost/", "http://me:sec/ret@h:x/", "ftp://me:secret@h/",
            "http:me:secret@h", "http://me:secret@@/", "x:1secret@h", "http://me:1secret@h:port/",
            "'http://me:secret@h/x'", " http://me:secret@h/x", "<http://me:secret@h/x>", "http//me:secret@h/x",
            "'http//me:secret@h/x'", "'//me:secret@h/x'", "1me:secret@h/x", "'me:secret@h/x'", "'http:/me:secret@h/x'",
            "“https://me:secret@h/x”", "feed=http://me:secret@h/", "htp//me:secret@h/", "me_secret:1@h",
        ])
    func redaction(operand: String) {
        do {
            _ = try url(operand)
            Issue.record("was taken")
        } catch {
            #expect(!"\(error.message)\(error.hint ?? "")".contains("sec"))
            #expect(error.message.contains("***@"))
        }
    }
}

@Suite("The place of the cache")
struct OptionsCacheLocationTests {
    @Test(
        "the first of --cache, XDG_CACHE_HOME and the home directory determines the cache",
        arguments: [
            ("dir", ["XDG_CACHE_HOME": "/x", "HOME": "/h"], "dir"),
            (nil, ["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/feedsync"),
            (nil, ["XDG_CACHE_HOME": "/x/", "HOME": "/h"], "/x/feedsync"),
            (nil, ["XDG_CACHE_HOME": "x", "HOME": "/h"], "/h/.cache/feedsync"),
            (nil, ["XDG_CACHE_HOME": "", "HOME": "/h/"], "/h/.cache/feedsync"),
            (nil, ["HOME": "/"], "/.cache/feedsync"),
            (nil, ["HOME": ""], "/account/.cache/feedsync"),
            (nil, ["HOME": "relative"], "/account/.cache/feedsync"),
            (nil, [:], "/account/.cache/feedsync"),
        ] as [(String?, [String: String], String)])
    func order(option: String?, environment: [String: String], expected: String) throws {
        let world = FakeWorld(environment: environment, accountHome: "/account")
        #expect(try world.cachePath(option) == expected)
    }

    @Test("a missing directory for the cache gives a hint at --cache", arguments: [nil, ""])
    func nowhere(accountHome: String?) {
        do {
            let path = try FakeWorld(accountHome: accountHome).cachePath(nil)
            Issue.record("found \(path)")
        } catch {
            #expect(error.hint == "set --cache DIR or FEEDSYNC_CACHE")
        }
    }
}
