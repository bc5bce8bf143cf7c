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
}
