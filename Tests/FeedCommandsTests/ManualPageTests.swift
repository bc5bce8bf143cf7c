import TestSupport
import Testing

@testable import FeedCommands

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
