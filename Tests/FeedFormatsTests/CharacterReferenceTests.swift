import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// HTML's named and numeric character references.
@Suite struct CharacterReferenceTests {
    private func descriptions(_ html: String) throws -> [String?] {
        let text =
            "<rss><channel><item><title>T</title><description><![CDATA[\(html)]]></description></item></channel></rss>"
        return try FeedDecoder().decode(Array(text.utf8), from: .known("https://h.example/")).images.map(\.description)
    }

    @Test(
        "a named reference is decoded in a title, a value, a caption and XHTML",
        arguments: [
            ("Aacute", "Á"), ("zwnj", "\u{200C}"), ("rsquo", "’"), ("hellip", "…"), ("euro", "€"), ("frac12", "½"),
            ("hearts", "♥"), ("amp", "&"), ("apos", "'"), ("there4", "∴"), ("lt", "<"), ("quot", "\""),
        ])
    func names(name: String, expected: String) throws {
        #expect(try descriptions("<img src=a alt='[&\(name);]'>") == ["[\(expected)]"])
        let figure = "<figure><img src=a><figcaption>[&\(name);]</figcaption></figure>"
        #expect(try descriptions(figure) == ["[\(expected)]"])
        let rss = "<rss><channel><title>[&amp;\(name);]</title></channel></rss>"
        #expect(try FeedDecoder().decode(Array(rss.utf8), from: .first).title == "[\(expected)]")
        let image = "<img src='a' alt='[&\(name);]'/>"
        let atom = "<feed><entry><content type='xhtml'>\(image)</content></entry></feed>"
        #expect(try FeedDecoder().decode(Array(atom.utf8), from: .first).images.map(\.description) == ["[\(expected)]"])
    }

    @Test("XML may use HTML's character names", arguments: [("nbsp", "a b"), ("eacute", "aéb"), ("mdash", "a—b")])
    func namesInXML(name: String, expected: String) throws {
        let rss = "<rss><channel><title>a&\(name);b</title></channel></rss>"
        #expect(try FeedDecoder().decode(Array(rss.utf8), from: .first).title == expected)
    }

    @Test(
        "text that only resembles a reference stays unchanged",
        arguments: ["a&nosuch;b", "a & b", "AT&T", "a&b=c", "&", "a&;b"])
    func none(text: String) throws {
        #expect(try descriptions("<img src=a alt='\(text)'>") == [text])
        #expect(try descriptions("<figure><img src=a><figcaption>\(text)</figcaption></figure>") == [text])
    }

    @Test("a query that contains a character name stays unchanged")
    func query() throws {
        let description = "<description>&lt;img src=a?a&amp;copy=3&amp;lt&amp;reg;></description>"
        let rss = "<rss><channel><item>\(description)</item></channel></rss>"
        let images = try FeedDecoder().decode(Array(rss.utf8), from: .known("https://h.example/")).images
        #expect(images.map(\.url.text) == ["https://h.example/a?a&copy=3&lt®"])
    }

    @Test("numeric references are decoded", arguments: [("&#x1F600;&#9;&#146;", "😀 ’"), ("a&#65;&#x42;&#67;", "aABC")])
    func numbers(given: String, expected: String) throws {
        #expect(try descriptions("<img src='a' alt='\(given)'>") == [expected])
        #expect(try descriptions("<figure><img src=a><figcaption>\(given)</figcaption></figure>") == [expected])
    }

    @Test("an invalid numeric reference hides no image", arguments: ["&#xD83D;", "&#0;", "&#x110000;", "&#;", "&#x"])
    func noCharacter(given: String) throws {
        #expect(try descriptions("<img src='a' alt='x\(given)y'>\(given)<img src='b'>").count == 2)
    }
}
