import FeedCore
import FeedFormats
import TestSupport
import Testing

/// Which encoding an XML feed is read in.
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
        "the document's own declaration holds unless the server says otherwise",
        arguments: [
            (nil, nil, "é"), ("utf-8", nil, "é"), ("iso-8859-1", nil, "Ã©"),
            (nil, "text/xml; charset=iso-8859-1", "Ã©"),
            ("utf-8", "application/rss+xml; x=y; Charset = \"ISO-8859-1\" ", "Ã©"),
            ("iso-8859-1", "a/b;charset=utf8", "é"),
            ("utf-8", "text/xml", "é"), ("utf-8", "text/xml; charset=", "é"),
            ("utf-8", "text/xml; charset=nonsense", "é"),
            ("utf-8", "text/xml; charset=../../x", "é"), ("utf-8", "text/xml; charset=utf-7", "é"),
        ] as [(String?, String?, String)])
    func declared(encoding: String?, contentType: String?, expected: String) throws {
        #expect(try title(rss([0xC3, 0xA9], declaring: encoding), contentType) == expected)
    }

    @Test("a server that is wrong about it is not believed", arguments: ["us-ascii", "utf-8", "utf-16"])
    func wrongServer(charset: String) throws {
        #expect(try title(rss([0xE9], declaring: "iso-8859-1"), "text/xml; charset=\(charset)") == "é")
    }

    @Test("a byte order mark goes before all else")
    func byteOrderMark() throws {
        let marked = [0xEF, 0xBB, 0xBF] + rss([0xC3, 0xA9], declaring: "iso-8859-1")
        #expect(try title(marked, "text/xml; charset=iso-8859-1") == "é")
    }

    @Test("UTF-16 is read either way round, with a mark or without", arguments: [true, false], [true, false])
    func wide(isBig: Bool, hasMark: Bool) throws {
        let text =
            (hasMark ? "\u{FEFF}" : "")
            + "<?xml version='1.0' encoding='utf-16'?><rss><channel><title>é</title></channel></rss>"
        let bytes = text.utf16.flatMap { unit in
            isBig ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        #expect(try title(bytes, nil) == "é")
    }

    @Test("blank lines before the declaration are passed over, and counted")
    func blankLines() throws {
        #expect(
            try title(Array(" \n\n<?xml version='1.0'?><rss><channel><title>a</title></channel></rss>".utf8), nil)
                == "a")
        let error = #expect(throws: FeedError.self) { try title(Array("\n\n<rss>\n<channel></rss>".utf8), nil) }
        #expect(error?.message.hasPrefix("line 4, column ") == true)
    }
}
