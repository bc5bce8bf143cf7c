import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Layouts

@Suite("What a feed is called")
struct FeedNameTests {
    private func name(_ url: String, title: String? = nil) throws -> FeedName {
        FeedName(
            GalleryFeed(
                FeedHead(
                    url: try Samples.url(url), title: title, format: .essential, savedAt: .init(microseconds: 0)),
                images: [], maxAge: .forever, isFresh: true))
    }

    @Test(
        "A feed's name on its pages is its title, or else its origin without secrets",
        arguments: [
            ("https://me:secret@example.com/a/feed.json?token=1#x", nil, "example.com/a/feed.json"),
            ("https://example.com/", nil, "example.com"), ("https://example.com/", " \u{200F}\n", "example.com"),
            ("https://example.com/f", "Birds", "Birds"), ("file:///home/me/private/birds.xml", nil, "birds"),
            ("file:///home/me/.birds", nil, ".birds"),
        ] as [(String, String?, String)])
    func title(url: String, title: String?, expected: String) throws {
        #expect(try name(url, title: title).title == expected)
    }

    @Test(
        "A feed's name in a file name consists of plain characters",
        arguments: [
            ("https://example.com/Birds/feed.json?token=1", "example-com-birds-feed-json"),
            ("https://日本.example/", "xn-wgv71a-example"), ("file:///home/me/..x.html", "x"), ("file:///日", "feed"),
            (
                "https://example.com/" + String(repeating: "long/", count: 50),
                "example-com-long-long-long-long-long-lon"
            ),
        ])
    func slug(url: String, expected: String) throws { #expect(try name(url).slug == expected) }
}

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

@Suite("The URLs that a gallery shows")
struct PublicURLTests {
    @Test(
        "An image's URL is shown if it has no query, or one of nothing but size and format",
        arguments: [
            "", "#a?b=c", "?", "?w=300", "?W=300&h=200", "?width=640&format=webp&auto=compress%2Cformat&dpr=2",
            "?ssl=1",
            "?resize=300%2C200&crop=16:9", "?size=1024x768&fit=max", "?quality=80&strip=all&zoom=2", "?w",
        ])
    func shown(query: String) throws {
        #expect(PublicURL.isImage(try Samples.url("https://a.example/1.jpg\(query)")))
    }

    @Test(
        "An image's URL is not shown if it has another query or a signature in place of a size",
        arguments: [
            "?token=1", "?w=300&sig=a", "?w=300;sig=a", "?id=7", "?s=0f1e2d3c4b5a69788796a5b4c3d2e1f0",
            "?s=abcdefghijklmnop",
            "?format=\(String(repeating: "a,", count: 40))", "?w=a%3Fb", "?=1", "?w=1?sig=2", "?fit=123456789",
        ])
    func hidden(query: String) throws {
        #expect(!PublicURL.isImage(try Samples.url("https://a.example/1.jpg\(query)")))
    }

    @Test("A link to an item's page may have a query, unless it is the image itself")
    func pages() throws {
        let image = FeedImage(
            id: "1", url: try Samples.url("https://a.example/1.jpg?sig=1"),
            alternatives: [try Samples.url("https://a.example/2.jpg?sig=2")])
        #expect(PublicURL.isPage(try Samples.url("https://a.example/?p=7"), of: image))
        #expect(!PublicURL.isPage(try Samples.url("https://a.example/2.jpg?sig=2"), of: image))
        #expect(!PublicURL.isPage(try Samples.url("file:///home/me"), of: image))
    }

    @Test("A reason why an image is missing has no query in it")
    func reasons() {
        let reason = "refused: http://a.example/b?sig=1 and https://b.example/ answered? no"
        #expect(
            PublicURL.withoutQueries(reason) == "refused: http://a.example/b and https://b.example/ answered? no")
    }
}
