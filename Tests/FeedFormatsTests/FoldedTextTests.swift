import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// White space and control characters in a feed's texts.
@Suite struct FoldedTextTests {
    private func title(_ bytes: [UInt8], encoding: String = "utf-8") throws -> String? {
        let head = "<?xml version='1.0' encoding='\(encoding)'?><rss><channel><title>"
        let body = Array(head.utf8) + bytes + Array("</title></channel></rss>".utf8)
        return try FeedDecoder().decode(body, from: .first).title
    }

    @Test(
        "control characters are read as the characters of windows-1252",
        arguments: [
            ("Jane&#146;s &#147;day&#148;&#133; &#150; &#128;5", "Jane’s “day”… – €5"),
            ("&#130;&#131;&#132;&#134;&#135;&#136;&#137;&#138;&#139;&#140;&#142;", "‚ƒ„†‡ˆ‰Š‹ŒŽ"),
            ("&#145;&#149;&#151;&#152;&#153;&#154;&#155;&#156;&#158;&#159;", "‘•—˜™š›œžŸ"),
            ("a&#129;b&#141;c&#143;d&#144;e&#157;f", "a b c d e f"), ("&#127;a&#160;&#xAD;", "a \u{AD}"),
            ("&lt;b&gt;Jane&amp;#146;s&lt;/b&gt;", "Jane’s"),
        ])
    func controls(given: String, expected: String) throws {
        #expect(try title(Array(given.utf8)) == expected)
    }

    @Test("a zero-width space is kept in the text")
    func zeroWidth() throws {
        #expect(try title(Array("ภาษา\u{200B}ไทย\u{2009}a".utf8)) == "ภาษา\u{200B}ไทย a")
    }

    @Test("windows-1252 text that a server labels as ISO-8859-1 is decoded correctly")
    func declaredWrong() throws {
        #expect(try title([0x93, 0x41, 0x94, 0x20, 0xE9], encoding: "iso-8859-1") == "“A” é")
    }
}
