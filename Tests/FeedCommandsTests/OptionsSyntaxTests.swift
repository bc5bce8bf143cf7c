import FeedCore
import Testing

@testable import FeedCommands

@Suite("The syntax of the command line")
struct OptionsSyntaxTests {
    @Test(
        "a value may follow the name of its option or be joined to it",
        arguments: [
            ["--jobs", "4"], ["--jobs=4"], ["-j", "4"], ["-j4"],
        ])
    func valueForms(arguments: [String]) throws {
        #expect(try parse(arguments) == .run(.sync, changed { $0.jobs = 4 }, operands: []))
    }

    @Test(
        "short flags can be bundled, the last one with a value",
        arguments: [
            ["-qn"], ["-nq"], ["-q", "-n"], ["-qnj128"], ["-qnj", "128"],
        ])
    func bundles(arguments: [String]) throws {
        let expected = changed {
            $0.verbosity = .quiet
            $0.dryRun = true
        }
        #expect(try settings(arguments) == expected)
    }

    @Test(
        "options and operands may come in any order",
        arguments: [
            ["show", "--offline", feed, "--json"], ["--offline", "show", feed, "--json"],
            ["--json", "--offline", "show", feed], ["show", feed, "--json", "--offline"],
        ])
    func anyOrder(arguments: [String]) throws {
        let expected = changed {
            $0.offline = true
            $0.json = true
        }
        #expect(try parse(arguments) == .run(.show, expected, operands: [feed]))
    }

    @Test("everything after -- is an operand")
    func terminator() throws {
        let invocation = try parse(["-q", "--", "--json", "sync", "-"], files: ["--json", "sync", "-"])
        #expect(invocation == .run(.sync, changed { $0.verbosity = .quiet }, operands: ["--json", "sync", "-"]))
    }

    @Test("a second -- is an operand") func secondTerminator() throws {
        #expect(try parse(["--", "--"], files: ["--"]) == .run(.sync, Settings(), operands: ["--"]))
    }

    @Test("a single dash is an operand") func dash() throws {
        #expect(try parse(["show", "-"], files: ["-"]) == .run(.show, Settings(), operands: ["-"]))
    }

    @Test("the value of an option may begin with a dash, and contains everything after the first =")
    func strangeValues() throws {
        #expect(try settings(["--cache", "-x"])?.cache == "-x")
        #expect(try settings(["--cache=a=b"])?.cache == "a=b")
        #expect(try settings(["--cache", "--"])?.cache == "--")
    }

    @Test("the last value of an option that is given twice applies") func lastWins() throws {
        #expect(try settings(["-j4", "--jobs=5", "-j", "6"])?.jobs == 6)
    }

    @Test(
        "the last of --quiet and --verbose applies",
        arguments: [
            (["-q", "-v"], Settings.Verbosity.verbose), (["-vq"], .quiet), (["--quiet", "-v", "-q"], .quiet),
        ])
    func lastVerbosityWins(arguments: [String], expected: Settings.Verbosity) throws {
        #expect(try settings(arguments)?.verbosity == expected)
    }

    @Test("-o - means standard output") func standardOutput() throws {
        #expect(try settings(["image", feed, "-o", "a.jpg"])?.output == "a.jpg")
        #expect(try settings(["image", feed, "-o", "-"])?.output == nil)
    }

    @Test(
        "a syntax error is reported with a hint if there is one",
        arguments: [
            (["--max-agee", "7d"], "unknown option '--max-agee'", "did you mean --max-age?"),
            (["--mxa-age=7d"], "unknown option '--mxa-age'", "did you mean --max-age?"),
            (["--retry", "3"], "unknown option '--retry'", "did you mean --retries?"),
            (["--silent"], "unknown option '--silent'", "did you mean --quiet?"),
            (["--quie"], "unknown option '--quie'", "did you mean --quiet?"),
            (["--connect"], "unknown option '--connect'", "did you mean --connect-timeout?"),
            (["--max-f"], "unknown option '--max-f'", "did you mean --max-filesize or --max-feed-size?"),
            (["-max-age", "7d"], "unknown option '-m'", "did you mean --max-age?"),
            (["--nothing-like-it"], "unknown option '--nothing-like-it'", "see feedsync help"),
            (["-x"], "unknown option '-x'", "see feedsync help"),
            (["-qx"], "unknown option '-x'", "see feedsync help"),
            (["-J4"], "unknown option '-J'", "see feedsync help"),
            (["---"], "unknown option '---'", "see feedsync help"),
            (["--=x"], "unknown option '--'", "see feedsync help"),
            (["--a\u{1B}[2Jb"], "unknown option '--a\\u{1B}[2Jb'", "see feedsync help"),
            (["--json=x"], "--json takes no value", nil),
            (["--quiet="], "--quiet takes no value", nil),
            (["--help=x"], "--help takes no value", nil),
            (["--cache"], "--cache needs a value: --cache DIR", nil),
            (["-qj"], "-j needs a value: -j N", nil),
        ] as [([String], String, String?)])
    func mistakes(arguments: [String], message: String, hint: String?) {
        #expect(usageError(arguments) == UsageError(message, hint: hint))
    }

    @Test("--no-NAME unsets an option of the config file or the environment") func takenBack() throws {
        let config = "quiet\njobs = 3\ngallery = /g\nopml = /o\nheader = X-A: 1\nmax-time = 9"
        let arguments = ["quiet", "jobs", "gallery", "opml", "header", "max-time", "json"].map { "--no-\($0)" }
        let given = try settings(arguments, environment: ["FEEDSYNC_JSON": "true"], config: config)
        #expect(given == Settings())
        #expect(try settings(["--no-jobs", "-j", "5"], config: "jobs = 3")?.jobs == 5)
        #expect(try settings(["-j", "5", "--no-jobs"], config: "jobs = 3")?.jobs == Settings().jobs)
        #expect(try settings(["-H", "X-B: 1", "--no-header"], config: "header = X-A: 1")?.identity.headers == [])
    }

    @Test(
        "--no-NAME is refused with a value, for an unknown option, and for an option of another command",
        arguments: [
            ("--no-help", "unknown option '--no-help'"), ("--no-such", "unknown option '--no-such'"),
            ("--no-quiet=1", "--no-quiet takes no value"),
            ("--no-deep", "--no-deep is not an option of sync; it belongs to validate"),
        ])
    func notTakenBack(argument: String, message: String) {
        #expect(usageError([argument])?.message == message)
    }

    @Test("capital letters do not count as typing errors") func capitals() {
        #expect(usageError(["--MAX-AGE", "1d"])?.hint == "did you mean --max-age?")
        #expect(usageError(["SYNC"])?.hint == "did you mean sync?")
    }

    @Test("a wrong value is reported, escaped, with its option and the expected value") func wrongValue() {
        #expect(
            usageError(["-j", "many\n"])?.message
                == "invalid value 'many\\u{A}' for -j: expected a whole number from 1 to 2147483647, such as 8")
        #expect(usageError(["--max-age=7"])?.message.hasPrefix("invalid value '7' for --max-age: expected ") == true)
        #expect(usageError(["-j0"])?.exitCode == .usage)
    }
}
