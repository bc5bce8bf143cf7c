import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// The choice of an XML feed's encoding.
@Suite struct EncodingTests {
    private func title(_ bytes: [UInt8], _ contentType: String?) throws -> String? {
        let document = FeedSource(bytes: bytes, url: .first, contentType: contentType)
        return try FeedDecoder().decode(document).feed.title
    }

    private func rss(_ title: [UInt8], declaring encoding: String?) -> [UInt8] {
        let declaration = encoding.map { "<?xml version='1.0' encoding='\($0)'?>" } ?? ""
        return Array("\(declaration)<rss><channel><title>".utf8) + title + Array("</title></channel></rss>".utf8)
    }

    @Test(
        "the server's encoding label outranks the document's own",
        arguments: [
            ("windows-1250", nil, "č"), (nil, "text/xml; charset=windows-1250", "č"),
            ("koi8-r", "application/rss+xml; x=y; Charset = \"WINDOWS-1250\" ", "č"),
            ("windows-1250", "a/b;charset=utf8", "č"),
            ("windows-1250", "text/xml", "č"), ("windows-1250", "text/xml; charset=", "č"),
            ("windows-1250", "text/xml; charset=nonsense", "č"),
            ("windows-1250", "text/xml; charset=../../x", "č"), ("windows-1250", "text/xml; charset=utf-7", "č"),
        ] as [(String?, String?, String)])
    func declared(encoding: String?, contentType: String?, expected: String) throws {
        #expect(try title(rss([0xE8], declaring: encoding), contentType) == expected)
    }

    @Test("a wrong encoding label of the server is ignored", arguments: ["us-ascii", "utf-8", "utf-16"])
    func wrongServer(charset: String) throws {
        #expect(try title(rss([0xE9], declaring: "iso-8859-1"), "text/xml; charset=\(charset)") == "é")
    }

    @Test(
        "an encoding label means the superset that browsers use",
        arguments: [
            ("Shift_JIS", [0x5C, 0x7E, 0x81, 0x60, 0x87, 0x40], "\\~～①"), ("gb2312", [0xE9, 0x46, 0xB2, 0xE2], "镕测"),
            ("euc-kr", [0x8C, 0x63], "똠"), ("us-ascii", [0x93, 0xE9, 0x94], "“é”"), ("latin1", [0x80], "€"),
            ("ISO-8859-1", [0x85, 0xE9], "…é"), ("big5", [0xA4, 0x40, 0x88, 0x62], "一Ê\u{304}"),
            ("tis-620", [0x85, 0xA1], "…ก"), ("iso-8859-9", [0x80, 0xFD], "€ı"), ("euc-jp", [0xAD, 0xA1, 0x5C], "①\\"),
            ("cp866", [0x80], "А"), ("windows-1251", [0xC0], "А"), ("koi8-r", [0xC1], "а"),
            ("iso-8859-15", [0xA4], "€"), ("iso-8859-2", [0xE8], "č"), ("latin2", [0xE8], "č"),
            ("x-sjis", [0x87, 0x40], "①"), ("utf_8", [0xC3, 0xA9], "é"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x30, 0x6C, 0x1B, 0x28, 0x42], "一"), ("", [0xC3, 0xA9], "é"),
            (" utf-8 ", [0xC3, 0xA9], "é"), ("utf-16", [0xC3, 0xA9], "é"), ("UTF-16LE", [0xC3, 0xA9], "é"),
        ] as [(String, [UInt8], String)])
    func labels(label: String, bytes: [UInt8], expected: String) throws {
        #expect(try title(rss(bytes, declaring: label), nil) == expected)
        #expect(try title(rss(bytes, declaring: label.uppercased()), nil) == expected)
        if !label.contains("utf"), !label.isEmpty {
            #expect(try title(rss(bytes, declaring: nil), "text/xml; charset=\(label)") == expected)
        }
    }

    @Test("a URL in a Shift_JIS feed keeps its tilde")
    func tilde() throws {
        let text =
            "<?xml version='1.0' encoding='Shift_JIS'?><rss><channel><item><enclosure url='http://h/~a.png'/></item></channel></rss>"
        #expect(try FeedDecoder().decode(Array(text.utf8), from: .first).images.map(\.url.text) == ["http://h/~a.png"])
    }

    @Test("an invalid byte is replaced, and the text after it is read")
    func replaced() throws {
        for (label, bytes) in [
            ("shift_jis", [0x81]), ("euc-kr", [0xFF]), ("windows-1252", [0x81]), ("big5", [0xFF]), ("gbk", [0xFF]),
        ] as [(String, [UInt8])] {
            #expect(try title(rss([0x61] + bytes + [0x20, 0x62], declaring: label), nil) == "a\u{FFFD} b")
            let type = "text/xml; charset=\(label)"
            #expect(try title(rss([0x61] + bytes, declaring: nil), type) == "a\u{FFFD}")
        }
    }

    @Test("a long text in another encoding is complete, wherever its pieces end", arguments: 0..<4)
    func long(offset: Int) throws {
        let text = [UInt8](repeating: 0x61, count: offset) + (0..<20_000).flatMap { _ in [0x82, 0xA0] as [UInt8] }
        let expected = String(repeating: "a", count: offset) + String(repeating: "あ", count: 20_000)
        let head = "<?xml version='1.0' encoding='sjis'?><rss><channel><item><enclosure url='http://h/a"
        let body = Array(head.utf8) + text.prefix(3000 + offset) + Array(".png'/></item></channel></rss>".utf8)
        let url = try #require(try FeedDecoder().decode(body, from: .first).images.first?.url.text)
        #expect(!url.contains("%EF%BF%BD"))
        #expect(try title(rss(text, declaring: "sjis"), nil)?.prefix(2000) == expected.prefix(2000))
    }

    @Test("any number of byte order marks and blank lines before a feed is ignored")
    func marks() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for start in [mark + mark, [0x0A] + mark, mark + [0x0D, 0x0A], [0x20] + mark + [0x0A] + mark] as [[UInt8]] {
            #expect(try title(start + rss([0xC3, 0xA9], declaring: "utf-8"), nil) == "é")
            let json = #"{"version":"https://jsonfeed.org/version/1","title":"é","items":[]}"#
            #expect(try title(start + Array(json.utf8), nil) == "é")
        }
    }

    @Test("a byte order mark outranks every encoding label")
    func byteOrderMark() throws {
        let marked = [0xEF, 0xBB, 0xBF] + rss([0xC3, 0xA9], declaring: "iso-8859-1")
        #expect(try title(marked, "text/xml; charset=iso-8859-1") == "é")
    }

    @Test(
        "UTF-16 is read in both byte orders, with a byte order mark or without", arguments: [true, false],
        [true, false])
    func wide(isBig: Bool, hasMark: Bool) throws {
        let text =
            (hasMark ? "\u{FEFF}" : "")
            + "<?xml version='1.0' encoding='utf-16'?><rss><channel><title>é</title></channel></rss>"
        let bytes = text.utf16.flatMap { unit in
            isBig ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        #expect(try title(bytes, nil) == "é")
    }

    @Test("an instruction whose name begins like the XML declaration's is ignored")
    func stylesheet() throws {
        let style = Array("<?xml-stylesheet href='a' encoding='iso-8859-1'?>".utf8)
        #expect(try title(style + rss([0xC3, 0xA9], declaring: nil), nil) == "é")
        let declared = Array("<?xml\n version='1.0'\tencoding='iso-8859-1'?>".utf8)
        #expect(try title(declared + rss([0xE9], declaring: nil), nil) == "é")
    }

    @Test(
        "a malformed XML declaration counts only for its encoding",
        arguments: [
            "<?xml encoding='windows-1250'?>", "<?xml encoding='windows-1250' version='1.0'?>",
            "<?xml version='2.0' encoding='windows-1250'?>", "<?xml  version = '2' encoding='windows-1250'?>",
        ])
    func mistaken(declaration: String) throws {
        let feed = Array("\(declaration)\n<rss><channel><title>".utf8) + [0xE8] + Array("</title></channel></rss>".utf8)
        #expect(try title(feed, nil) == "č")
        let error = #expect(throws: FeedError.self) { try title(Array("\(declaration)\n<rss><x></rss>".utf8), nil) }
        #expect(error?.message.hasPrefix("line 2, column ") == true, "\(error?.message ?? "")")
    }

    @Test("blank lines before the declaration are skipped but counted")
    func blankLines() throws {
        #expect(
            try title(Array(" \n\n<?xml version='1.0'?><rss><channel><title>a</title></channel></rss>".utf8), nil)
                == "a")
        let error = #expect(throws: FeedError.self) { try title(Array("\n\n<rss>\n<channel></rss>".utf8), nil) }
        #expect(error?.message.hasPrefix("line 4, column ") == true)
    }
}
