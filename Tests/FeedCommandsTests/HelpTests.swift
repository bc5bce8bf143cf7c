import TestSupport
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
        #expect(HelpText.version(of: []) == "feedsync \(Version.current)\n")
        #expect(HelpText.version(of: ["libone 1.2"]) == "feedsync \(Version.current)\nlibone 1.2\n")
    }
}

@Suite("The manual page")
struct ManualPageTests {
    /// Returns the page as a reader sees it, on one line with single blanks.
    private func rendered() async throws -> String {
        let page = try await Subprocess.run(
            "mandoc", ["-T", "utf8", "-O", "width=400"], standardInput: Array(ManualPage.text.utf8))
        #expect(page.status == .exited(0), "\(page.errorText)")
        return page.outputText.strikingOnce.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    @Test("the man page contains every command, option, variable and topic")
    func complete() async throws {
        let text = try await rendered()
        for option in OptionTable.all {
            let names = option.spellings.joined(separator: ", ") + (option.placeholder.map { " " + $0 } ?? "")
            let tail = option.defaultText.map { " (default: \($0))" } ?? ""
            #expect(text.contains("\(names) \(option.help)\(tail)"), "--\(option.long)")
            if let variable = option.variable { #expect(text.contains("\(variable) Same as --\(option.long).")) }
        }
        for spec in CommandTable.all {
            #expect(text.contains(spec.overview), "\(spec.name)")
            for usage in spec.usage { #expect(text.contains(usage)) }
            for example in spec.examples { #expect(text.contains(example.line)) }
        }
        for topic in HelpTopic.allCases {
            #expect(text.contains(topic.text.title.uppercased()))
            for block in topic.text.blocks {
                for words in Self.texts(block) { #expect(text.contains(words), "\(topic)") }
            }
        }
    }

    /// Returns the texts that the page must contain.
    private static func texts(_ block: Markdown.Block) -> [String] {
        switch block {
        case .heading(let text): [text]
        case .paragraph(let spans): [plain(spans)]
        case .list(let items): items.map(plain)
        case .table(let rows): rows.map { "\(plain($0.left)) \(plain($0.right))" }
        case .code(let lines): lines.map { $0.split(separator: " ").joined(separator: " ") }
        }
    }

    private static func plain(_ spans: [Markdown.Span]) -> String {
        spans.map { span in
            switch span {
            case .plain(let text), .code(let text), .bold(let text): text
            }
        }.joined()
    }

    @Test("mandoc and groff find no mistake in the man page")
    func lint() async throws {
        let mandoc = try await Subprocess.run(
            "mandoc", ["-T", "lint", "-W", "warning"], standardInput: Array(ManualPage.text.utf8))
        #expect(mandoc.outputText == "" && mandoc.errorText == "", "\(mandoc.outputText)")
        let man = try await Subprocess.run(
            "man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"], standardInput: Array(ManualPage.text.utf8))
        #expect(man.status == .exited(0))
        #expect(man.errorText == "")
    }

    @Test(
        "the man page shows special characters unchanged", arguments: [".TH x", "a\\b", "'a'", "--x ~ ^ `", "a \\fBb"])
    func escaping(text: String) async throws {
        let page = ".TH X 1 2026-01-01\n.SH NAME\nx \\- y\n.SH X\n\(Roff.escape(text))\n"
        let shown = try await Subprocess.run("mandoc", ["-T", "utf8"], standardInput: Array(page.utf8))
        #expect(shown.outputText.contains(text))
    }
}

@Suite("What help topics are written in")
struct MarkdownTests {
    private static let source = """
        # The title

        A paragraph with `--code` and **bold** words
        on two lines.

        ## A part

        - one item
        - another,
          on two lines

        | name | meaning |
        |---|---|
        | `a` | the first of them |
        | `--longer` | the second |

            some code
              of three lines

            with a gap

        .TH at the beginning \\fB 'quoted'.
        """

    @Test("a help topic becomes plain text")
    func plain() {
        let expected = """
            The title

              A paragraph with --code and bold words on two lines.

            A part:

              - one item
              - another, on two lines

              a         the first of them
              --longer  the second

                  some code
                    of three lines

                  with a gap

              .TH at the beginning \\fB 'quoted'.

            """
        #expect(TextLayout.text(Markdown(Self.source)) == expected)
    }

    @Test("a help topic becomes a section of the man page without a mistake for mandoc")
    func roff() async throws {
        let page = ".TH X 1 2026-01-01\n.SH NAME\nx \\- y\n" + Roff.section(Markdown(Self.source))
        let lint = try await Subprocess.run(
            "mandoc", ["-T", "lint", "-W", "warning"], standardInput: Array(page.utf8))
        #expect(lint.outputText == "" && lint.errorText == "", "\(lint.outputText)")
        let shown = try await Subprocess.run("mandoc", ["-T", "ascii"], standardInput: Array(page.utf8))
        let text = shown.outputText.strikingOnce.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        let expected = """
            THE TITLE A paragraph with --code and bold words on two lines. A part o one item o another, on two lines \
            a the first of them --longer the second some code of three lines with a gap .TH at the beginning \\fB 'quoted'.
            """
        #expect(text.contains(expected), "\(text)")
    }

    @Test("a long line is wrapped, but not within a short piece of code")
    func breaking() {
        let text = TextLayout.text(Markdown("# T\n\n\(String(repeating: "word ", count: 15))`a b c`"))
        #expect(text.hasSuffix("word\n  a b c\n"))
    }
}

extension String {
    /// The text without the overstrikes with which mandoc prints bold and underlined letters.
    var strikingOnce: String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar == "\u{8}" { text.unicodeScalars.removeLast() } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
