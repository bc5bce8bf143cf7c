import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Layouts

@Suite("Text from a feed in a page")
struct HTMLWriterTests {
    private func written(_ write: (inout HTMLWriter) -> Void) -> String {
        var html = HTMLWriter()
        write(&html)
        return String(decoding: html.bytes, as: UTF8.self)
    }

    @Test(
        "Text from a feed stays text in a page",
        arguments: [
            ("<script>alert('1')</script>", "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"),
            (#"" onload=x & &amp;"#, "&quot; onload=x &amp; &amp;amp;"),
            ("a\u{0}b\u{1B}[31m\u{7F}\u{9B}", "a\u{FFFD}b\u{FFFD}[31m\u{FFFD}\u{FFFD}"),
            ("one\ntwo\r\n\tthree\u{2028}four", "one two   three four"),
            ("\u{202E}gnp.exe\u{202C} \u{2066}x\u{2069}\u{200F}\u{61C}", "gnp.exe x"),
            ("שלום 你好 👩‍👩‍👧 é", "שלום 你好 👩‍👩‍👧 é"),
        ] as [(String, String)])
    func text(given: String, expected: String) {
        #expect(written { $0.text(given) } == expected)
        #expect(written { $0.attribute("alt", given) } == " alt=\"\(expected)\"")
    }

    @Test("Code points that are no characters are replaced in a page") func noncharacters() {
        let none = [0xFFFE, 0xFDD0, 0x1FFFF].compactMap { Unicode.Scalar($0 as UInt32) }
        #expect(written { $0.text(String(String.UnicodeScalarView(none))) } == "\u{FFFD}\u{FFFD}\u{FFFD}")
    }

    @Test(
        "A text without visible characters counts as missing",
        arguments: [
            ("", false), (" \t\n", false), ("\u{202E}\u{200B}\u{2066} ", false), ("\u{7}", false), (" a", true),
        ])
    func visible(text: String, isVisible: Bool) {
        #expect(HTMLWriter.visible(text) == (isVisible ? text : nil))
        #expect(HTMLWriter.visible(nil) == nil)
    }

    @Test("A text is cut at its maximum length") func long() {
        #expect(written { $0.text("abcdef", limit: 3) } == "abc…")
        #expect(written { $0.text("abc", limit: 3) } == "abc")
        #expect(written { $0.text(String(repeating: "<", count: 1_000_000)) }.utf8.count < 20_000)
    }

    @Test("A URL in a page is encoded and stays the same URL") func links() {
        #expect(
            written { $0.link("href", "https://e.example/ä?a=1&b='\"<\u{202E}\u{9B}") }
                == " href=\"https://e.example/ä?a=1&amp;b=&#39;&quot;&lt;%E2%80%AE%C2%9B\"")
    }
}
