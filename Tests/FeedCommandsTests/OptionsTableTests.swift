import FeedCore
import Testing

@testable import FeedCommands

/// Parses the arguments with only the given environment and files.
///
/// `config` is the default config file.
func parse(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = [], config: String? = nil
) throws(UsageError) -> Invocation {
    try ArgumentParser(
        FakeWorld(
            environment: environment, currentDirectory: "/here", accountHome: "/home/me", existing: files,
            readable: config.map { [usualConfig: $0] } ?? [:])
    ).parse(arguments)
}

let usualConfig = "/home/me/.config/feedsync/config"

func settings(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = [], config: String? = nil
) throws(UsageError) -> Settings? {
    guard
        case .run(_, let settings, _) = try parse(
            arguments, environment: environment, files: files, config: config)
    else {
        return nil
    }
    return settings
}

/// Returns the error of a command line, or nil.
func usageError(
    _ arguments: [String], environment: [String: String] = [:], files: Set<String> = [], config: String? = nil
) -> UsageError? {
    do {
        _ = try parse(arguments, environment: environment, files: files, config: config)
        return nil
    } catch {
        return error
    }
}

func changed(_ change: (inout Settings) -> Void) -> Settings {
    var settings = Settings()
    change(&settings)
    return settings
}

let feed = "https://example.com/feed.json"

extension OptionSpec {
    /// A valid value that differs from the default.
    var sampleValue: String {
        switch placeholder {
        case "AGE": "36h"
        case "WHAT": long == "keep" ? "90d" : "image"
        case "I/N": "1/4"
        case "TEMPLATE": "{title}"
        case "SIZE": "3M"
        case "WxH": "640x480"
        case "N": "7"
        case "S": "2.5"
        case "LINE": "X-Key: 1"
        case "RATE": "500K"
        case "WHEN": "always"
        case "FORMAT": "json"
        case "URL": "http://example.com"
        default: "/sample"
        }
    }
}

extension Command {
    /// The least operands that the command needs.
    var sampleOperands: [String] {
        guard let spec = CommandTable.named(rawValue), spec.operandCount.lowerBound == 1 else { return [] }
        return [.archive, .archiveAndFeeds, .directoryAndFeeds].contains(spec.operand) ? ["./there"] : [feed]
    }
}

@Suite("The table of options")
struct OptionsTableTests {
    private static let everyCommand = "export find gallery image import remove show status sync tree validate"

    @Test("no two options share a name, a letter or a variable") func unique() {
        let all = OptionTable.all
        #expect(Set(all.map(\.long)).count == all.count)
        #expect(Set(all.compactMap(\.short)).count == all.compactMap(\.short).count)
        #expect(Set(all.compactMap(\.variable)).count == all.compactMap(\.variable).count)
    }

    @Test("option names are lower case words joined by dashes", arguments: OptionTable.all.map(\.long))
    func names(name: String) {
        let isPlain = name.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x61...0x7A).contains($0) }
        #expect(isPlain && !name.hasPrefix("-") && !name.hasSuffix("-") && name.count > 1)
    }

    @Test("every option belongs to a command", arguments: OptionTable.all.map(\.long))
    func owners(name: String) throws {
        let option = try #require(OptionTable.long(name))
        #expect(option.commands.isEmpty == (option.long == "man"))
    }

    @Test(
        "every option that sets something sets the same in each of its forms",
        // --config is left out, because a missing file is an error.
        arguments: OptionTable.all.filter { $0.variable != nil && $0.long != "config" }.map(\.long))
    func forms(name: String) throws {
        let option = try #require(OptionTable.long(name))
        let variable = try #require(option.variable)
        let value = option.isFlag ? OptionSpec.present : option.sampleValue
        for command in Command.allCases where option.commands.contains(command) {
            let call = [command.rawValue] + command.sampleOperands
            let expected = try #require(try settings(call, environment: [variable: value]))
            #expect(expected != Settings())
            if option.isOfConfigFile {
                #expect(try settings(call, config: "\(name) = \(value)") == expected)
                if option.isFlag { #expect(try settings(call, config: name) == expected) }
            }
            if option.isFlag {
                #expect(try settings(call + ["--\(name)"]) == expected)
            } else {
                #expect(try settings(call + ["--\(name)", value]) == expected)
                #expect(try settings(call + ["--\(name)=\(value)"]) == expected)
            }
            guard let letter = option.short else { continue }
            #expect(try settings(call + (option.isFlag ? ["-\(letter)"] : ["-\(letter)", value])) == expected)
            #expect(option.isFlag ? true : try settings(call + ["-\(letter)\(value)"]) == expected)
        }
    }

    @Test("a command refuses the options of other commands", arguments: OptionTable.all.map(\.long))
    func foreign(name: String) throws {
        let option = try #require(OptionTable.long(name))
        let given = option.isFlag ? ["--\(name)"] : ["--\(name)", option.sampleValue]
        guard !option.isOfHelp else {
            #expect(usageError(given)?.message == "--man is not an option of sync; it belongs to help")
            return
        }
        for command in Command.allCases where !option.commands.contains(command) {
            let error = usageError([command.rawValue] + command.sampleOperands + given)
            #expect(error?.message.hasPrefix("--\(name) is not an option of \(command.rawValue); ") == true)
        }
    }

    /// The options whose default is described in words.
    private static let defaultsInWords = [
        "cache", "output", "proxy", "config", "keep", "feed", "since", "limit", "newest",
    ]

    @Test(
        "giving the default value of an option leaves the settings unchanged",
        arguments: OptionTable.all.filter { $0.defaultText != nil && !defaultsInWords.contains($0.long) }.map(\.long))
    func defaults(name: String) throws {
        let text = try #require(OptionTable.long(name)?.defaultText)
        #expect(try settings(["--\(name)", text]) == Settings())
    }

    @Test(
        "the defaults are those of the specification",
        arguments: [
            ("max-age", "7d"), ("jobs", "128"), ("max-per-host", "auto"), ("connect-timeout", "10"), ("timeout", "30"),
            ("max-filesize", "64M"), ("max-feed-size", "64M"), ("max-redirs", "10"), ("lock-wait", "0"),
            ("user-agent", "feedsync/0.2.0"), ("retries", "3"), ("limit-rate", "none"), ("progress", "auto"),
            ("log-format", "text"), ("max-time", "none"), ("every", "none"), ("min-size", "none"), ("since", "forever"),
            ("limit", "none"), ("newest", "none"),
        ])
    func promisedDefaults(name: String, text: String) {
        #expect(OptionTable.long(name)?.defaultText == text)
    }

    @Test(
        "each option belongs to the commands of the specification",
        arguments: [
            ("cache", Self.everyCommand), ("max-age", "gallery show status sync validate"),
            ("jobs", "image show sync"), ("max-per-host", "image show sync"), ("connect-timeout", "image show sync"),
            ("timeout", "image show sync"), ("max-filesize", "image import show sync"),
            ("max-feed-size", "image import show sync"),
            ("retries", "image show sync"), ("limit-rate", "image show sync"), ("allow-private", "image show sync"),
            ("header", "image show sync"), ("netrc", "image show sync"), ("netrc-file", "image show sync"),
            ("proxy", "image show sync"), ("cacert", "image show sync"), ("insecure", "image show sync"),
            ("max-redirs", "image show sync"), ("user-agent", "image show sync"),
            ("dry-run", "remove sync tree validate"),
            ("lock-wait", "export gallery image import remove show sync tree validate"), ("quiet", Self.everyCommand),
            ("verbose", Self.everyCommand),
            ("json", "export find gallery import remove show status sync tree validate"),
            ("gallery", "sync"),
            ("offline", "image show"), ("output", "image"), ("deep", "validate"), ("force", "gallery import"),
            ("restore", "import"), ("without", "export"), ("undo", "remove"), ("again", "tree"),
            ("newest", "sync tree"), ("xmp", "sync tree"),
            ("max-time", "gallery image show sync tree"),
            ("config", Self.everyCommand), ("no-config", Self.everyCommand), ("log-format", Self.everyCommand),
            ("progress", "export gallery import sync validate"), ("metrics-file", "sync"), ("ping-url", "sync"),
            ("opml", "sync"), ("shard", "sync"), ("shard-by", "sync"), ("thumbnails", "gallery sync"), ("tree", "sync"),
            ("name", "sync tree"), ("every", "sync"), ("keep", "show sync"),
            ("pages", "show sync"), ("feed", "find"), ("since", "find"), ("limit", "find"), ("help", Self.everyCommand),
            ("version", Self.everyCommand),
        ])
    func promisedOwners(name: String, commands: String) {
        #expect(OptionTable.long(name)?.commands.map(\.rawValue).sorted().joined(separator: " ") == commands)
    }

    @Test("each command is one row of the command table") func commands() {
        #expect(CommandTable.all.compactMap(\.command) == Command.allCases)
        for spec in CommandTable.all { #expect(spec.name == spec.command?.rawValue ?? spec.name) }
        #expect(CommandTable.all.filter { $0.command == nil }.map(\.name) == ["completions", "help"])
    }
}

@Suite("Text from outside")
struct OptionsTextTests {
    @Test(
        "characters that control a terminal or reorder text are printed as escapes",
        arguments: [
            0x00...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069,
        ] as [ClosedRange<UInt32>])
    func escaped(range: ClosedRange<UInt32>) throws {
        for value in range {
            let scalar = try #require(Unicode.Scalar(value))
            let digits = String(value, radix: 16, uppercase: true)
            #expect(TerminalText.escape("a\(Character(scalar))b") == "a\\u{\(digits)}b")
        }
    }

    @Test("a line break of two characters becomes two escapes") func lineBreak() {
        #expect(TerminalText.escape("a\r\nb\tc") == "a\\u{D}\\u{A}b\\u{9}c")
    }

    @Test(
        "text without control characters is unchanged",
        arguments: ["", "plain", "Zürich 東京 👩‍👩‍👧", "a\\b'\"", "עברית", "\u{A0}e\u{301}"])
    func untouched(text: String) {
        #expect(Array(TerminalText.escape(text).unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("escaping twice gives the same text as escaping once") func idempotent() {
        let once = TerminalText.escape("\u{1B}[31m\u{202E}\n")
        #expect(TerminalText.escape(once) == once)
    }

    @Test(
        "each typing error counts one",
        arguments: [
            ("sync", "sync", 0), ("snyc", "sync", 1), ("syn", "sync", 1), ("syync", "sync", 1), ("sinc", "sync", 1),
            ("cysn", "sync", 3), ("", "sync", 4), ("sync", "", 4), ("ca", "abc", 3), ("show", "snow", 1),
        ])
    func distance(first: String, second: String, expected: Int) {
        #expect(Suggestion.distance(Array(first.unicodeScalars), Array(second.unicodeScalars)) == expected)
    }

    @Test(
        "a hint is given only for a word that is similar",
        arguments: [
            ("sho", "did you mean show?"), ("shwo", "did you mean show?"), ("stat", "did you mean status?"),
            ("xyz", nil), ("", nil), ("sh", "did you mean show?"),
        ])
    func hints(word: String, expected: String?) {
        #expect(Suggestion.hint(for: word, among: ["sync", "show", "status"]) == expected)
    }

    @Test("a suggestion for a word of a million letters is found at once") func longWord() {
        #expect(Suggestion.hint(for: String(repeating: "s", count: 1_000_000), among: ["sync", "show"]) == nil)
    }
}

@Suite("Exit codes")
struct OptionsExitCodeTests {
    @Test(
        "each kind of error has its exit code",
        arguments: [
            (FeedError.connectivity("x"), 69), (.invalidData("x"), 65), (.notFound("x"), 66),
            (.storage(.cannotCreate, "x"), 73), (.storage(.failed, "x"), 74), (.storage(.unreadable, "x"), 74),
            (.storage(.newerVersion, "x"), 74), (.storage(.locked, "x"), 75), (.cancelled, 1),
        ] as [(FeedError, Int32)])
    func codes(error: FeedError, code: Int32) {
        #expect(ExitCode.of(error).rawValue == code)
    }
}
