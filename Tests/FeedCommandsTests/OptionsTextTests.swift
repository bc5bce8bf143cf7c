import FeedCore
import Testing

@testable import FeedCommands

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
