import Testing

@testable import FeedCommands

@Suite("The help")
struct HelpTests {
    private static let texts = ([nil] + CommandTable.helpSubjects).map { HelpText.text(for: $0) }

    @Test("every help text fits 80 columns of plain ASCII and ends in one line break", arguments: texts)
    func layout(text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            #expect(line.utf8.count <= 80)
            #expect(line.last != " ")
        }
        #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n") && !text.contains("\n\n\n"))
    }

    @Test("the help of a command lists exactly its options and their defaults", arguments: CommandTable.all.map(\.name))
    func options(name: String) throws {
        let spec = try #require(CommandTable.named(name))
        let text = HelpText.text(for: name)
        for option in OptionTable.all {
            let entry = entry(of: option, in: text)
            #expect((entry != nil) == spec.takes(option), "--\(option.long)")
            guard let entry else { continue }
            #expect(entry.contains(option.help))
            if let text = option.defaultText { #expect(entry.contains("(default: \(text))")) }
            if let letter = option.short { #expect(entry.hasPrefix("-\(letter), --\(option.long)")) }
            if let placeholder = option.placeholder { #expect(entry.contains("--\(option.long) \(placeholder) ")) }
        }
    }

    /// Returns the lines of an option as one line with single spaces.
    private func entry(of option: OptionSpec, in text: String) -> String? {
        let lines = text.split(separator: "\n")
        let names = ["--\(option.long)"]
        guard
            let start = lines.firstIndex(where: { line in
                line.hasPrefix("  ") && line.split(separator: " ").prefix(2).contains { names.contains(String($0)) }
                    && line.drop { $0 == " " }.hasPrefix("-")
            })
        else { return nil }
        let rest = lines[(start + 1)...].prefix { $0.hasPrefix(String(repeating: " ", count: 20)) }
        return ([lines[start]] + rest).flatMap { $0.split(separator: " ") }.joined(separator: " ")
    }

    @Test("the help of a command shows its usage and an example", arguments: CommandTable.all.map(\.name))
    func commands(name: String) throws {
        let spec = try #require(CommandTable.named(name))
        let text = HelpText.text(for: name)
        #expect(text.hasPrefix("Usage: \(spec.usage[0])\n"))
        #expect(!spec.examples.isEmpty)
        for example in spec.examples { #expect(text.contains("  \(example.line)\n")) }
    }

    @Test(
        "every example in the help is a valid command line", arguments: CommandTable.all.flatMap(\.examples).map(\.line)
    )
    func examples(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(words.first == "feedsync")
        #expect(usageError(Array(words.dropFirst())) == nil)
    }

    @Test("the overview lists every command and topic") func overview() {
        let text = HelpText.text(for: nil)
        for spec in CommandTable.all { #expect(text.contains("\n  \(spec.name) ") && text.contains(spec.summary)) }
        for topic in HelpTopic.allCases {
            #expect(text.contains("\n  \(topic.rawValue) ") && text.contains(topic.text.title))
        }
    }

    @Test("help for a name of a command and a topic shows both") func both() {
        let text = HelpText.text(for: "gallery")
        #expect(text.hasPrefix("Usage: feedsync gallery") && text.contains("\nThe gallery\n"))
    }

    @Test("the config topic lists exactly the options that the section of a feed can contain") func perFeed() throws {
        let text = HelpText.text(for: "config").split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        let names = OptionTable.all.filter { $0.scope == .feed && $0.isOfConfigFile }.map(\.long)
        #expect(text.contains("A section can contain these options: \(Phrases.list(names, "and"))."))
    }

    @Test("the topic of exit codes lists every exit code once") func exitCodes() throws {
        let rows = HelpTopic.exitCodes.text.blocks.flatMap { block in
            if case .table(let rows) = block { rows } else { [] as [Markdown.TableRow] }
        }
        #expect(rows.map(\.left) == (ExitCode.allCases.map { "\($0.rawValue)" } + ["128+n"]).map { [.plain($0)] })
    }

    @Test("every option that a topic mentions exists", arguments: HelpTopic.allCases)
    func named(topic: HelpTopic) throws {
        // The options of other programs and of scripts.
        let others: Set = [
            "--link", "--user", "--preserve-digests", "--delete", "--now", "--array", "--unbuffered",
            "--no-install-recommends",
        ]
        for word in HelpText.text(for: topic.rawValue).split(whereSeparator: { " \n\"(".contains($0) })
        where word.hasPrefix("--") {
            let name = word.dropFirst(2).prefix { $0 == "-" || $0.isLetter }
            let meant = name.hasPrefix("no-") && OptionTable.long(name) == nil ? name.dropFirst(3) : name
            #expect(others.contains("--\(name)") || meant == "NAME" || OptionTable.long(meant) != nil, "\(word)")
        }
    }

    @Test("columns stay aligned when text wraps") func columns() {
        let words = Array(repeating: "word", count: 20).joined(separator: " ")
        let text = TextLayout.columns([("  -a", "short"), ("  --too-wide-for-it", words)], leftWidth: 10)
        let fourteen = Array(repeating: "word", count: 13).joined(separator: " ")
        let six = Array(repeating: "word", count: 7).joined(separator: " ")
        let margin = String(repeating: " ", count: 12)
        #expect(text == "  -a        short\n  --too-wide-for-it\n\(margin)\(fourteen)\n\(margin)\(six)\n")
    }

    @Test("the version text is one line") func version() {
        #expect(HelpText.version == "feedsync 0.1.0\n")
    }
}
