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
            (["--json=x"], "invalid value 'x' for --json: expected true or false", nil),
            (["--quiet="], "invalid value '' for --quiet: expected true or false", nil),
            (["--no-quiet=true"], "--no-quiet takes no value", nil),
            (["--help=x"], "--help takes no value", nil),
            (["--cache"], "--cache needs a value: --cache DIR", nil),
            (["-qj"], "-j needs a value: -j N", nil),
        ] as [([String], String, String?)])
    func mistakes(arguments: [String], message: String, hint: String?) {
        #expect(usageError(arguments) == UsageError(message, hint: hint))
    }

    @Test("a flag may have the value true or false") func flagValues() throws {
        #expect(try settings(["--quiet=true"])?.quiet == true)
        #expect(try settings(["--quiet=false"], config: "quiet")?.quiet == false)
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

@Suite("Options in the environment")
struct OptionsEnvironmentTests {
    @Test("a FEEDSYNC_ variable sets its option") func variables() throws {
        let environment = [
            "FEEDSYNC_CACHE": "/c", "FEEDSYNC_MAX_AGE": "2w", "FEEDSYNC_JOBS": "3", "FEEDSYNC_JSON": "true",
            "PATH": "/bin", "OTHER_FEEDSYNC_X": "1", "feedsync_cache": "no",
        ]
        let expected = changed {
            $0.cache = "/c"
            $0.maxAge = .span(.seconds(14 * 86_400))
            $0.jobs = 3
            $0.json = true
        }
        #expect(try settings([], environment: environment) == expected)
    }

    @Test(
        "a variable of a flag is true or false",
        arguments: [("true", true), ("1", true), ("false", false), ("0", false), ("", false)])
    func flags(value: String, expected: Bool) throws {
        #expect(try settings([], environment: ["FEEDSYNC_DRY_RUN": value])?.dryRun == expected)
    }

    @Test("the command line overrides the environment") func precedence() throws {
        #expect(try settings(["--jobs", "5"], environment: ["FEEDSYNC_JOBS": "3"])?.jobs == 5)
        #expect(try settings(["-v"], environment: ["FEEDSYNC_QUIET": "true"])?.verbosity == .verbose)
        #expect(try settings(["-q"], environment: ["FEEDSYNC_VERBOSE": "1"])?.verbosity == .quiet)
        #expect(try settings(["-q"], environment: ["FEEDSYNC_VERBOSE": "false"])?.verbosity == .quiet)
        #expect(
            try settings(["image", feed, "-o", "-"], environment: ["FEEDSYNC_OUTPUT": "x.jpg"])?.output == nil)
    }

    @Test("a variable with the value false unsets only its own flag") func falseFlags() throws {
        let quiet = ["FEEDSYNC_QUIET": "true", "FEEDSYNC_VERBOSE": "false"]
        #expect(try settings([], environment: quiet)?.verbosity == .quiet)
        let verbose = ["FEEDSYNC_QUIET": "false", "FEEDSYNC_VERBOSE": "true"]
        #expect(try settings([], environment: verbose)?.verbosity == .verbose)
    }

    @Test("an empty variable counts as unset") func empty() throws {
        let environment = ["FEEDSYNC_CACHE": "", "FEEDSYNC_JOBS": "", "FEEDSYNC_USER_AGENT": ""]
        #expect(try settings([], environment: environment) == Settings())
    }

    @Test("a variable of an option of another command is ignored") func foreign() throws {
        let environment = ["FEEDSYNC_DEEP": "true", "FEEDSYNC_JSON": "true", "FEEDSYNC_OUTPUT": "x"]
        #expect(try settings([], environment: environment) == changed { $0.json = true })
        #expect(try settings(["image", feed], environment: environment) == changed { $0.output = "x" })
    }

    @Test(
        "a wrong value is a configuration error that names the variable, for every command",
        arguments: [("FEEDSYNC_JOBS", "0"), ("FEEDSYNC_DEEP", "yes"), ("FEEDSYNC_MAX_AGE", "7\u{7}")])
    func wrongValue(name: String, value: String) {
        for arguments in [[], ["status"], ["image", feed], ["--jobs=4"]] {
            let error = usageError(arguments, environment: [name: value])
            #expect(error?.exitCode == .configuration)
            let shown = TerminalText.escape(value)
            #expect(error?.message.hasPrefix("invalid value '\(shown)' for \(name): expected ") == true)
        }
    }

    @Test(
        "an unknown variable is a configuration error, with a hint",
        arguments: [
            ("FEEDSYNC_MAXAGE", "did you mean FEEDSYNC_MAX_AGE?"), ("FEEDSYNC_CAHCE", "did you mean FEEDSYNC_CACHE?"),
            ("FEEDSYNC_", nil), ("FEEDSYNC_HELP", nil), ("FEEDSYNC_VERSION", nil),
            ("FEEDSYNC_jobs", "did you mean FEEDSYNC_JOBS?"),
            ("FEEDSYNC_HOST", nil), ("FEEDSYNC_PORTS", nil), ("FEEDSYNC_ENVIRONMENT", nil), ("FEEDSYNC_SERVICE", nil),
        ])
    func unknown(name: String, hint: String?) {
        let error = UsageError(
            "unknown variable '\(name)' in the environment", hint: hint, exitCode: .configuration)
        #expect(usageError([], environment: [name: "x"]) == error)
    }

    @Test(
        "variables that Kubernetes sets for a service named feedsync are ignored",
        arguments: [
            "FEEDSYNC_SERVICE_HOST", "FEEDSYNC_SERVICE_PORT", "FEEDSYNC_SERVICE_PORT_HTTP", "FEEDSYNC_PORT",
            "FEEDSYNC_PORT_80_TCP", "FEEDSYNC_PORT_80_TCP_PROTO", "FEEDSYNC_PORT_80_TCP_PORT",
            "FEEDSYNC_PORT_80_TCP_ADDR", "FEEDSYNC_GALLERY_SERVICE_HOST", "FEEDSYNC_GALLERY_PORT_80_TCP",
            "FEEDSYNC_ENV_PATH",
        ])
    func service(name: String) throws {
        #expect(try settings([], environment: [name: "tcp://10.0.0.1:80"]) == Settings())
        #expect(try settings([], environment: [name: "x", "FEEDSYNC_JOBS": "3"]) == changed { $0.jobs = 3 })
    }

    @Test("FEEDSYNC_NAME with the name of a container is ignored") func containerName() throws {
        #expect(try settings([], environment: ["FEEDSYNC_NAME": "/web/feedsync"]) == Settings())
        #expect(try settings([], environment: ["FEEDSYNC_NAME": "{title}"])?.treeTemplate == .init("{title}"))
    }

    @Test("~ at the beginning of a path in a variable is expanded, because cron and systemd do not") func home() throws
    {
        let home = ["HOME": "/home/me", "FEEDSYNC_CACHE": "~/mirror", "FEEDSYNC_METRICS_FILE": "~x/m.prom"]
        let expected = try settings([], environment: home)
        #expect(expected?.cache == "/home/me/mirror")
        #expect(expected?.metricsFile == "~x/m.prom")
        #expect(try settings([], environment: ["HOME": "/h", "FEEDSYNC_CACHE": "~"])?.cache == "/h")
    }

    @Test("the first of several wrong variables, in the order of names, is reported") func deterministic() {
        let environment = ["FEEDSYNC_Z": "1", "FEEDSYNC_JOBS": "x", "FEEDSYNC_A": "1", "FEEDSYNC_M": "1"]
        #expect(usageError([], environment: environment)?.message.contains("FEEDSYNC_A") == true)
    }

    @Test("a mistake on the command line is reported before one in the environment") func usageFirst() {
        let environment = ["FEEDSYNC_JOBS": "x"]
        #expect(usageError(["--jobs=y"], environment: environment)?.exitCode == .usage)
        #expect(usageError(["show"], environment: environment)?.exitCode == .usage)
    }

    @Test("help and version work with an invalid environment") func help() throws {
        let environment = ["FEEDSYNC_JOBS": "x", "FEEDSYNC_NONSENSE": "1"]
        #expect(try parse(["help"], environment: environment) == .help(nil))
        #expect(try parse(["--help"], environment: environment) == .help(nil))
        #expect(try parse(["--version"], environment: environment) == .version(isVerbose: false))
    }
}
