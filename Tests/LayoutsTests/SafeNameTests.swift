import FeedCore
import TestSupport
import Testing

@testable import Layouts

@Suite("Names that hold on every file system")
struct SafeNameTests {
    @Test(
        "A safe name is the text without the characters that some file systems lack",
        arguments: [
            ("A day out", "A day out"), ("a/b\\c", "a_b_c"), (#"<>:"|?*"#, "_______"),
            (" two  blanks \n", "two blanks"),
            (".hidden", "_hidden"), ("..", "_"), ("end. . ", "end"), ("", "_"), (" \u{200B}", "_"), ("e\u{301}", "é"),
            ("con", "con_"), ("CON.txt", "CON_.txt"), ("com1", "com1_"), ("lpt²", "lpt²_"), ("Nul .x", "Nul _.x"),
            ("console", "console"), ("nul.\u{301}x", "nul_.\u{301}x"), ("com10", "com10"), ("CONIN$", "CONIN$_"),
            ("a\u{202E}b\u{2066}c", "abc"),
            ("tab\tnew\r\nline", "tab new line"), ("\u{0}\u{7F}\u{9F}x", "x"), ("日本", "日本"),
        ])
    func names(text: String, expected: String) { #expect(SafeName.make(text) == expected) }

    @Test("A safe name is cut between characters") func cut() {
        #expect(SafeName.make(String(repeating: "é", count: 150)).utf8.count == 200)
        #expect(SafeName.make(String(repeating: "👨‍👩‍👧", count: 20), limit: 40) == "👨‍👩‍👧👨‍👩‍👧")
        #expect(SafeName.make("a" + String(repeating: "\u{301}", count: 300)) == "_")
        #expect(SafeName.make("abc. def", limit: 5) == "abc")
    }

    @Test("Two safe names have one key if a file system without case takes them for one") func keys() {
        for (one, other) in [("A", "a"), ("É", "é"), ("ǅ", "ǆ"), ("Σ", "ς"), ("ẞ", "ß")] {
            #expect(SafeName.key(one) == SafeName.key(other))
        }
        #expect(SafeName.key("a") != SafeName.key("b"))
    }

    @Test("Safe names of 2,000 hostile texts are valid by the rules of NTFS and exFAT") func hostile() {
        var random = SeededGenerator(seed: 7)
        let parts: [String] =
            [
                "con", "NUL", "aux.", "com¹", "lpt9", ".", "..", " ", "\u{0}", "\n", "\u{202E}", "/", "\\", ":", "*",
                "?", "\"", "<", ">", "|",
                "é", "e\u{301}", "日", "👨‍👩‍👧", "\u{200D}", "x", "long text ", "\u{1F}", "\u{85}", "ß", "$",
                "\u{2028}", "\u{FFFD}",
            ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }.joined()
            let name = SafeName.make(text)
            #expect(!name.isEmpty && name.utf8.count <= 200 && name.utf16.count <= 255, "\(text.debugDescription)")
            // Windows forbids these characters, and removes dots and blanks at the end.
            #expect(!name.unicodeScalars.contains { $0.value < 0x20 || "<>:\"/\\|?*".unicodeScalars.contains($0) })
            #expect(name.last != "." && name.last != " " && name.first != "." && name.first != " ")
            var stem = name.prefix { $0 != "." }.uppercased()[...]
            while stem.last == " " { stem.removeLast() }
            let devices =
                ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
                + ["COM", "LPT"].flatMap { name in "0123456789¹²³".map { "\(name)\($0)" } }
            #expect(!devices.contains(String(stem)), "\(name)")
            #expect(SafeName.make(name) == name)
        }
    }
}
