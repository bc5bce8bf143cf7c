import TestSupport
import Testing

@testable import FeedCommands

@Suite("The manual page")
struct ManualPageTests {
    /// As a person reads it, on one line with single blanks.
    private func rendered() async throws -> String {
        let page = try await Subprocess.run(
            "mandoc", ["-T", "utf8", "-O", "width=400"], standardInput: Array(ManualPage.text.utf8))
        #expect(page.status == .exited(0), "\(page.errorText)")
        var text = ""
        // Bold and underlined letters are struck twice.
        for scalar in page.outputText.unicodeScalars {
            if scalar == "\u{8}" { text.unicodeScalars.removeLast() } else { text.unicodeScalars.append(scalar) }
        }
        return text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    @Test("has every command, option, variable and exit code")
    func complete() async throws {
        let text = try await rendered()
        for option in OptionTable.all {
            let names = option.spellings.joined(separator: ", ") + (option.placeholder.map { " " + $0 } ?? "")
            let tail = option.defaultText.map { " (default: \($0))" } ?? ""
            #expect(text.contains("\(names) \(option.help)\(tail)"), "--\(option.long)")
            if let variable = option.variable { #expect(text.contains("\(variable) As --\(option.long).")) }
        }
        for spec in CommandTable.all {
            #expect(text.contains(spec.overview), "\(spec.name)")
            for usage in spec.usage { #expect(text.contains(usage)) }
            for example in spec.examples { #expect(text.contains(example.line)) }
        }
        for code in ExitCode.allCases {
            #expect(text.contains("\(code.rawValue) \(code.meaning.capitalizedFirst). \(code.advice)"))
        }
    }

    @Test("is one that mandoc and groff find nothing wrong with")
    func lint() async throws {
        let mandoc = try await Subprocess.run(
            "mandoc", ["-T", "lint", "-W", "warning"], standardInput: Array(ManualPage.text.utf8))
        #expect(mandoc.outputText == "" && mandoc.errorText == "", "\(mandoc.outputText)")
        let man = try await Subprocess.run(
            "man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"], standardInput: Array(ManualPage.text.utf8))
        #expect(man.status == .exited(0))
        #expect(man.errorText == "")
    }

    @Test("text is shown as it is, whatever it holds", arguments: [".TH x", "a\\b", "'a'", "--x ~ ^ `", "a \\fBb"])
    func escaping(text: String) async throws {
        let page = ".TH X 1 2026-01-01\n.SH NAME\nx \\- y\n.SH X\n\(Roff.escape(text))\n"
        let shown = try await Subprocess.run("mandoc", ["-T", "utf8"], standardInput: Array(page.utf8))
        #expect(shown.outputText.contains(text))
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
