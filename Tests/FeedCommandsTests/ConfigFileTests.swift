import FeedCore
import Testing

@testable import FeedCommands

@Suite("The config file")
struct ConfigFileTests {
    @Test("the config file sets one option per line, and blank lines and comments are ignored") func options() throws {
        let text = """
            # every morning

              max-age   =  2w
            jobs=3
            \t# no option = here
            revalidate
            json = false
            user-agent = mirror/1.0 (a = b; # c)
            """
        let expected = changed {
            $0.maxAge = .span(.seconds(14 * 86_400))
            $0.jobs = 3
            $0.revalidate = true
            $0.userAgent = "mirror/1.0 (a = b; # c)"
        }
        #expect(try settings([], config: text) == expected)
        #expect(try settings([], config: text.split(separator: "\n").joined(separator: "\r\n")) == expected)
        #expect(try settings([], config: "\u{FEFF}" + text) == expected)
    }

    @Test(
        "a value in the config file may be in double quotes",
        arguments: [
            (#"" spaced ""#, " spaced "), (#""a \"b\" \\ c""#, #"a "b" \ c"#), (#""""#, ""),
            (#"it's "fine""#, #"it's "fine""#),
            (#"back\slash"#, #"back\slash"#),
        ])
    func quotes(text: String, value: String) throws {
        #expect(try settings([], config: "user-agent = \(text)")?.userAgent == value)
    }

    @Test("an empty value is a value: an empty proxy overrides the environment") func emptyValue() throws {
        #expect(try settings([], config: "proxy =")?.proxy == "")
        #expect(try settings([], config: "")?.proxy == nil)
    }

    @Test("the command line overrides the environment, which overrides the config file") func precedence() throws {
        let config = "jobs = 1\nretries = 1\ntimeout = 1\nheader = A: 1\nquiet"
        let environment = ["FEEDSYNC_RETRIES": "2", "FEEDSYNC_TIMEOUT": "2", "FEEDSYNC_QUIET": "false"]
        let result = try #require(
            try settings(["--timeout", "3", "-H", "B: 3"], environment: environment, config: config))
        #expect(result.jobs == 1)
        #expect(result.retries == 2)
        #expect(result.timeout == .seconds(3))
        #expect(result.headers == ["B: 3"])
        #expect(result.verbosity == .normal)
    }

    @Test("an option of another command in the config file is valid and has no effect") func foreign() throws {
        #expect(try settings([], config: "deep\noutput = x.jpg") == Settings())
        #expect(try settings(["validate"], config: "deep\njobs = 3") == changed { $0.deep = true })
    }

    @Test("~ in the config file is the home directory, and a relative path starts at the file") func paths() throws {
        let directory = "/home/me/.config/feedsync"
        #expect(try settings([], config: "cache = ~/mirror")?.cache == "/home/me/mirror")
        #expect(try settings([], config: "cache = mirror")?.cache == "\(directory)/mirror")
        #expect(try settings([], config: "cache = /mirror")?.cache == "/mirror")
        #expect(try settings([], config: "cacert = ../ca.pem")?.caFile == "\(directory)/../ca.pem")
        #expect(try settings(["image", feed], config: "output = -")?.output == nil)
        #expect(
            try settings([], config: "feed = ./a.json")?.feeds.all.map(\.url.text) == ["file://\(directory)/a.json"])
        #expect(try settings([], config: "feed = ~/a.json")?.feeds.all.map(\.url.text) == ["file:///home/me/a.json"])
    }

    @Test("- in the config file is standard output for an output, and a file for other options") func dash() throws {
        #expect(try settings(["image", feed], config: "output = -")?.output == nil)
        #expect(try settings([], config: "gallery = -")?.gallery == "/home/me/.config/feedsync/-")
    }

    @Test("~ without a home directory, and a NUL anywhere, are mistakes in the config file") func noPath() {
        let nowhere = FakeWorld(environment: ["HOME": "here"])
        let line = Array("cache = ~/mirror".utf8)
        let error = #expect(throws: UsageError.self) { try ConfigFile(line, at: "/c", nowhere) }
        #expect(error?.exitCode == .configuration)
        #expect(error?.message == "/c:1: neither HOME nor the user's account names a home directory for ~")
        #expect(
            usageError([], config: "jobs = 2\ncache = /a\0b")?.message.contains(":2: the line contains a NUL") == true)
    }

    @Test("a short option in the config file gives a hint at its long name") func letter() {
        #expect(usageError([], config: "-j = 4")?.hint == "without dashes: jobs")
    }

    @Test("the config file names each feed once, with the options of its section") func sections() throws {
        let config = """
            max-age = 1d
            header = All: 1
            feed = https://a.example/
            feed = https://me:pw@b.example/feed
            [feed "https://b.example/feed"]
            max-age = 2d
            header = Own: 1
            header = Own: 2
              [ feed   "https://c.example/" ]
            revalidate
            [feed "https://b.example/feed"]
            retries = 7
            """
        let all = try #require(try settings(["--jobs", "2"], config: config))
        #expect(
            all.feeds.all.map(\.url.text) == ["https://a.example/", "https://b.example/feed", "https://c.example/"])
        #expect(all.feeds.all[1].url.credentials == "me:pw")
        let base = changed {
            $0.maxAge = .span(.seconds(86_400))
            $0.headers = ["All: 1"]
            $0.jobs = 2
        }
        #expect(all.general == base)
        var second = base
        second.maxAge = .span(.seconds(2 * 86_400))
        second.headers = ["Own: 1", "Own: 2"]
        second.retries = 7
        var third = base
        third.revalidate = true
        #expect(all.feeds.all.map(\.settings) == [base, second, third])
        #expect(all.of(try ResourceURL("https://other:x@b.example/feed")) == second)
        #expect(all.of(try ResourceURL("https://d.example/")).general == base)
    }

    @Test("the credentials of a feed apply wherever the feed is named with them")
    func credentials() throws {
        for config in ["feed = https://h/\n[feed \"https://me:pw@h/\"]", "feed = https://me:pw@h/\nfeed = https://h/"] {
            #expect(try settings([], config: config)?.feeds.all.map(\.url.credentials) == ["me:pw"])
        }
    }

    @Test(
        "a comment may contain any bytes",
        arguments: [[0xE9], [0xEF, 0xB8, 0x8F, 0xE2, 0x83, 0xA3], [0x00], [0xFF, 0xFE]])
    func comments(_ bytes: [UInt8]) throws {
        let comment = Array(" \t#".utf8) + bytes + Array(" x\n".utf8)
        let file = try ConfigFile(comment + Array("jobs = 3\n".utf8), at: "/config", FakeWorld())
        #expect(file.options.map(\.value) == ["3"])
    }

    @Test("the command line and the environment override the section of a feed") func overSections() throws {
        let config = "[feed \"https://a.example/\"]\nmax-age = 2d\nretries = 1"
        let all = try settings(["--max-age", "3d"], environment: ["FEEDSYNC_RETRIES": "2"], config: config)
        #expect(all?.feeds.all[0].settings.maxAge == .span(.seconds(3 * 86_400)))
        #expect(all?.feeds.all[0].settings.retries == 2)
    }

    @Test("a section accepts exactly the options that may differ between feeds", arguments: settable)
    func scopes(name: String) throws {
        let option = try #require(OptionTable.long(name))
        let value = option.isFlag ? OptionSpec.present : option.sampleValue
        let config = "\n[feed \"\(feed)\"]\n\(name) = \(value)"
        if option.scope == .feed {
            let all = try #require(try settings([], config: config))
            #expect(all.general == Settings())
            #expect(try all.feeds.all[0].settings == settings([], config: "\(name) = \(value)"))
        } else {
            let error = usageError([], config: config)
            #expect(error?.exitCode == .configuration)
            #expect(
                error?.message
                    == "\(usualConfig):3: \(name) applies to the whole run and cannot be in the section of a feed")
        }
    }

    private static let settable = OptionTable.all.filter(\.isOfConfigFile).map(\.long)

    @Test("the options that apply to the whole run are refused in a section") func runWide() {
        let names = OptionTable.all.filter { $0.isOfConfigFile && $0.scope == .run }.map(\.long)
        #expect(
            Set(names).isSuperset(of: [
                "cache", "deep", "dry-run", "jobs", "json", "limit-rate", "lock-wait", "log-format", "max-per-host",
                "max-time", "metrics-file", "offline", "output", "ping-url", "progress", "quiet", "verbose",
            ]))
    }

    @Test(
        "a mistake in the config file is reported with file, line, reason and hint",
        arguments: [
            ("\n\nmaxage = 7d", "3: unknown option 'maxage'", "did you mean max-age?"),
            ("max_age = 7d", "1: unknown option 'max_age'", "did you mean max-age?"),
            ("--max-age = 7d", "1: unknown option '--max-age'", "without dashes: max-age"),
            ("fed = x", "1: unknown option 'fed'", "did you mean feed?"),
            ("jobs = 0", "1: invalid value '0' for jobs: expected a whole number", nil),
            ("header = s3cret", "1: invalid value for header: expected a header", nil),
            ("ping-url = https://u:s3cret@h/?x", "1: invalid value for ping-url: expected an http", nil),
            ("jobs", "1: jobs needs a value: jobs = N", nil), ("feed", "1: feed needs a value", nil),
            ("revalidate = yes", "1: invalid value 'yes' for revalidate: expected true or false", nil),
            ("max-age 7d", "1: expected = after 'max-age'", "NAME = VALUE"), ("= 7d", "1: there is no name", nil),
            ("jobs = 2\n[feeds]", "2: this is not a section", "[feed \"URL\"]"),
            ("[feed x]", "1: this is not a section", nil),
            ("[feed \"https://a/\"", "1: this is not a section", nil), ("[feed \"\"]", "1: this is not a section", nil),
            ("[feed \"gopher://a\"]", "1: 'gopher://a' has an unsupported scheme", nil),
            ("feed = https://u:s3cret@", "1: 'https://***@' is not a valid URL", nil),
            (
                "feed = dawn", "1: 'dawn' is neither a URL nor an existing file",
                "write ./NAME for a file that does not exist yet"
            ),
            ("[feed \"https://a/\"]\nfeed = https://b/", "2: feed cannot be in the section of a feed", "above"),
            ("user-agent = \"x", "1: a quote is not closed", nil), ("user-agent = \"x\" y", "1: there is text", nil),
            ("user-agent = \"\\n\"", "1: in quotes, only", nil), ("config = x", "1: config cannot be", nil),
            ("no-config", "1: no-config cannot be in the config file", nil), ("help", "1: help cannot be", nil),
            ("x\u{1B}[2J = 1", "1: unknown option 'x\\u{1B}[2J'", nil),
        ])
    func mistakes(text: String, reason: String, hint: String?) {
        for arguments in [[], ["status"]] {
            let error = usageError(arguments, config: text)
            #expect(error?.exitCode == .configuration)
            #expect(error?.message.hasPrefix("\(usualConfig):\(reason)") == true, "\(error?.message ?? "none")")
            #expect(error?.message.contains("s3cret") == false)
            if let hint { #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "none")") }
        }
    }

    @Test("a config file that is not UTF-8 is refused with the number of the line") func encoding() throws {
        let error = #expect(throws: UsageError.self) {
            try ConfigFile(Array("jobs = 1\n".utf8) + [0xFF], at: "c", FakeWorld())
        }
        #expect(error?.message == "c:2: the line is not UTF-8")
    }

    @Test("the config file is found at its default path or at the path of --config") func places() throws {
        func path(_ environment: [String: String], home: String?) -> String? {
            FakeWorld(environment: environment, accountHome: home).configPath(Settings())
        }
        #expect(path(["XDG_CONFIG_HOME": "/etc/me", "HOME": "/h"], home: nil) == "/etc/me/feedsync/config")
        #expect(path(["XDG_CONFIG_HOME": "etc", "HOME": "/h/"], home: nil) == "/h/.config/feedsync/config")
        #expect(path([:], home: "/account") == "/account/.config/feedsync/config")
        #expect(path([:], home: nil) == nil)
    }

    @Test("a config file that --config names must exist; the default file is optional") func missing() throws {
        #expect(try settings([]) == Settings())
        let error = UsageError("/c: this config file does not exist", exitCode: .notFound)
        #expect(usageError(["--config", "/c"]) == error)
        #expect(usageError([], environment: ["FEEDSYNC_CONFIG": "/c"]) == error)
        #expect(
            try settings(["--no-config"], environment: ["FEEDSYNC_CONFIG": "/c"])?.noConfig == true)
    }

    @Test("--no-config ignores the config file, even if it is invalid") func unread() throws {
        #expect(try settings(["--no-config"], config: "nonsense")?.feeds.all == [])
        #expect(try settings([], environment: ["FEEDSYNC_NO_CONFIG": "1"], config: "nonsense")?.feeds.all == [])
        #expect(usageError(["--no-config", "--config", usualConfig], config: "nonsense")?.exitCode == .configuration)
    }

    @Test("mistakes on the command line are reported before those in the config file, and help ignores it") func order()
        throws
    {
        #expect(usageError(["--jobs=x"], config: "nonsense")?.exitCode == .usage)
        #expect(
            usageError([], environment: ["FEEDSYNC_JOBS": "x"], config: "nonsense")?.message.contains("_JOBS") == true)
        #expect(try parse(["--help"], config: "nonsense") == .help(nil))
    }
}
