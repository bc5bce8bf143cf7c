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
                ["status", "\u{9B}x"], "status takes no operand; '\\u{9B}x' is one too many",
                "usage: feedsync status [options]"
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
        #expect(try parse(arguments) == .version)
    }
}
