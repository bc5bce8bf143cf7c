import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Content after the end of an XML feed.
@Suite struct AfterTheEndTests {
    private static let feeds = [
        "<rss>\n<channel><title>é</title><item><enclosure url='a.png'/></item></channel></rss>",
        "<feed>\n<title>é</title><entry><link rel='enclosure' href='a.png'/></entry></feed>",
    ]
    private static let rests: [LongText] = [
        "<script>count('it')</script>", "<script>if (a < b && c) '&nbsp;'</script>", "Powered by a host", "</rss>", "<",
        "\n<!-- it --> <p>x", "<!-- it", "<?php", "&nbsp;", "]]>", "\0", "\n\0\0\0", "\0<script>", "x\0y\n",
        "<item><enclosure url='b.png'/></item>", LongText(feeds[0].replacing("a.png", with: "b.png")),
        LongText(feeds[1].replacing("a.png", with: "b.png")), "<!DOCTYPE x [<!ENTITY y 'z'>]><x>&y;</x>",
        LongText(HostileFeed.times(20_000, "<a>")), LongText("<a \(HostileFeed.times(20_000, "b='' "))>"),
        LongText(HostileFeed.numbered(20_000) { "<a\($0)/>" }),
    ]

    @Test("content after the end of an XML feed is skipped with a note", arguments: feeds, rests)
    func rest(feed: String, rest: LongText) throws {
        let decoded = try HostileFeed.decode(Array((feed + rest.text).utf8))
        #expect(decoded.feed.title == "é")
        #expect(decoded.feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
        #expect(decoded.notes == ["line 2: left out what follows the end"])
    }

    @Test(
        "comments, instructions and white space after an XML feed cause no note", arguments: feeds,
        ["", "\n \n", "<!-- it --><?it is?>\n", LongText("<!-- \(HostileFeed.times(20_000, "it")) -->")])
    func nothing(feed: String, rest: LongText) throws {
        #expect(try HostileFeed.decode(Array((feed + rest.text).utf8)).notes == [])
    }

    @Test(
        "content after the end of a UTF-16 feed is skipped with a note", arguments: ["\u{0}", "\u{0}\u{0}", "x", "<a>"])
    func wide(rest: String) throws {
        let text = "\u{FEFF}\(Self.feeds[0])\(rest)"
        let decoded = try HostileFeed.decode(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        #expect(decoded.feed.images.count == 1)
        #expect(decoded.notes.count == 1)
    }

    @Test("invalid bytes after the end of an XML feed are skipped")
    func noText() throws {
        #expect(try HostileFeed.decode(Array(Self.feeds[0].utf8) + [0xFF, 0xFE, 0x80]).feed.images.count == 1)
    }

    @Test("an XML feed without the end of its channel is refused", arguments: ["\0", "\0</channel></rss>", "</rs", ""])
    func unfinished(end: String) {
        let text = "<rss><channel><item><enclosure url='a.png'/></item>"
        #expect(HostileFeed.message(Array((text + end).utf8))?.hasPrefix("line 1, column ") == true)
        if end.contains("\0") {
            #expect(HostileFeed.message(Array((text + end).utf8))?.hasSuffix("a NUL byte") == true)
        }
    }

    @Test(
        "an RSS feed is whole at the end of its channel, whatever follows",
        arguments: ["", "\0", "</rss", "</rss\0>", "<item>", "<x a='"])
    func behindChannel(end: String) throws {
        let text = "<rss><channel><item><enclosure url='a.png'/></item></channel>\(end)"
        #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.count == 1)
    }

    @Test("content after the end of a subscription list is skipped with a note")
    func list() throws {
        let text = "<opml><body><outline xmlUrl='https://h/f'/></body></opml><script></script>"
        let list = try FeedDecoder().decodeSubscriptions(FeedSource(bytes: Array(text.utf8), url: HostileFeed.url))
        #expect(list.feeds.count == 1)
        #expect(list.notes.count == 1)
    }
}
