import FeedCore
import Testing

@testable import FeedCommands

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
        #expect(try parse(["--version"], environment: environment) == .version)
    }
}
