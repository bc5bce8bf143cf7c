import FeedCore
import FeedFormats
import TestSupport
import Testing

/// Where libxml2 reads HTML otherwise than browsers do.
@Suite struct HTMLDialectTests {
    private func decoded(_ html: String) throws -> DecodedFeed {
        let text =
            "<rss><channel><item><title>T</title><description><![CDATA[\(html)]]></description></item></channel></rss>"
        return try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/")))
    }

    @Test(
        "a tag that the end of a text cuts off is none",
        arguments: [
            "<img src=\"https://h.example/very/lo", "<img src=https://h.example/very/lo", "<img src='a' alt='b'",
            "<img", "<", "<img src=b.png /", "<img src=b.png title='&period;&starf;", "<p title='<img src=b.png>",
            "<img src=",
        ])
    func cutOff(end: String) throws {
        for start in ["<img src=a>", "<img src=a title=&starf;>&comma; "] {
            let decoded = try decoded(start + end)
            #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/a"])
            #expect(decoded.notes == [])
        }
    }

    @Test(
        "white space that separates attributes may be a form feed",
        arguments: ["<img\\fsrc=a>", "<img alt='x'\\fsrc\\f=\\fa\\falt=y>", "<img\\f\\fsrc='a'\\f/>"])
    func formFeed(html: String) throws {
        let text = #"{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"\#(html)"}]}"#
        let images = try FeedDecoder().decode(Array(text.utf8), from: .known("https://h.example/")).images
        #expect(images.map(\.url.text) == ["https://h.example/a"])
    }

    @Test("an image is an img", arguments: ["<image src=a>", "<IMAGE alt=x src='a'/></image>", "<image\tsrc=a />"])
    func image(tag: String) throws {
        let decoded = try decoded(String(repeating: "<p>\(tag)</p>", count: 300) + "<images src=b>")
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/a"])
        #expect(decoded.notes == [])
    }

    @Test(
        "a number that is no character's cuts nothing off",
        arguments: [
            ("a&#xD83D;.jpg", "a\u{FFFD}.jpg"), ("a&#0;b", "a\u{FFFD}b"), ("a&#x110000;b", "a\u{FFFD}b"),
            ("a&#99999999999999999999;b", "a\u{FFFD}b"), ("a&#xFFFF;b", "a\u{FFFD}b"), ("a&#56832;b", "a\u{FFFD}b"),
            ("a&#55357;&#56832;b", "a😀b"), ("a&#xD83D;&#XDE00;b", "a😀b"), ("a&#55357&#56832 b", "a😀 b"),
            ("a&#55357;&#55357;&#56832;b", "a\u{FFFD}😀b"), ("a&#55357;&#65;b", "a\u{FFFD}Ab"),
            ("a&#55357; &#56832;b", "a\u{FFFD} \u{FFFD}b"), ("a&#;b", "a&#;b"), ("a&#x;b", "a&#x;b"),
            ("a&#top", "a&#top"), ("a&#", "a&#"), ("a&#11;b&#x1F;c", "a b c"), ("a&#65;&#x42;&#67", "aABC"),
            ("&#x1F600;&#9;&#146;", "😀 ’"), ("a&#55357;&period;", "a\u{FFFD}."),
        ])
    func numbers(given: String, expected: String) throws {
        let image = try #require(try decoded("<img src='a' alt='\(given)'><img src='b'>").feed.images.first)
        #expect(image.description == expected)
        let figure = try decoded("<figure><img src=a><figcaption>\(given)</figcaption></figure>").feed
        #expect(figure.images.map(\.description) == [expected])
    }

    @Test("nor does it in a URL")
    func numberInURL() throws {
        let html = "<img src='https://x.example/a&#xD83D;.jpg' alt='Party &#55357;&#56832; tonight'>"
        let images = try decoded(html).feed.images
        #expect(images.map(\.url.text) == ["https://x.example/a\u{FFFD}.jpg"])
        #expect(images.map(\.description) == ["Party 😀 tonight"])
        #expect(try decoded("<img src=a&#11;b>").feed.images.map(\.url.text) == ["https://h.example/a%20b"])
    }
}
