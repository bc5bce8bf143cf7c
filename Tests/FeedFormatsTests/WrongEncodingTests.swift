import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Feeds whose label names another encoding than their own.
@Suite struct WrongEncodingTests {
    private func title(_ bytes: [UInt8], declaring label: String?, server charset: String?) throws -> String? {
        let declaration = label.map { "<?xml version='1.0' encoding='\($0)'?>" } ?? ""
        let feed = Array("\(declaration)<rss><channel><title>".utf8) + bytes + Array("</title></channel></rss>".utf8)
        let type = charset.map { "text/xml; charset=\($0)" }
        return try FeedDecoder().decode(FeedSource(bytes: feed, url: .first, contentType: type)).feed.title
    }

    @Test(
        "valid UTF-8 is read as UTF-8, whatever its label",
        arguments: ["iso-8859-1", "windows-1252", "us-ascii", "shift_jis", "gbk", "koi8-r", "utf-16", "UTF-16LE"])
    func utf8(label: String) throws {
        let text = Array("Café “日本” 😀".utf8)
        #expect(try title(text, declaring: label, server: nil) == "Café “日本” 😀")
        #expect(try title(text, declaring: nil, server: label) == "Café “日本” 😀")
        #expect(try title(text, declaring: "utf-8", server: label) == "Café “日本” 😀")
        #expect(try title(text, declaring: label, server: label) == "Café “日本” 😀")
    }

    @Test(
        "a feed with an unknown label is read as UTF-8 if it is valid UTF-8",
        arguments: ["binary", "cp65001", "no-such", "IBM037", "../../x"])
    func unknown(label: String) throws {
        #expect(try title(Array("é".utf8), declaring: label, server: nil) == "é")
        #expect(try title(Array("e".utf8), declaring: label, server: nil) == "e")
        #expect(throws: FeedError.self) { try title([0xE9, 0x20], declaring: label, server: nil) }
    }

    @Test("a feed with invalid UTF-8 is read by its label")
    func others() throws {
        #expect(try title([0xC3, 0xA9, 0x20, 0xE9], declaring: "iso-8859-1", server: nil) == "Ã© é")
        #expect(try title([0xC3, 0xA9, 0xC3], declaring: nil, server: "windows-1252") == "Ã©Ã")
    }

    @Test("an encoding that looks like ASCII is read by its label")
    func shifting() throws {
        let japanese: [UInt8] = [0x1B, 0x24, 0x42, 0x30, 0x6C, 0x1B, 0x28, 0x42]
        #expect(try title(japanese, declaring: "iso-2022-jp", server: nil) == "一")
        #expect(try title(japanese, declaring: nil, server: "iso-2022-jp") == "一")
        for label in ["hz-gb-2312", "iso-2022-kr", "x-user-defined"] {
            let error = #expect(throws: FeedError.self) { try title([0x1B, 0xE9], declaring: label, server: nil) }
            #expect(error?.message.hasSuffix("the encoding \"\(label)\" is not supported") == true)
        }
    }
}
