import TestSupport
import Testing

@testable import FeedCommands

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
