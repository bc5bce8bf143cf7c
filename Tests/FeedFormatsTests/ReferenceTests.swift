import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// References in every notation that browsers accept.
@Suite struct ReferenceTests {
    private func decode(_ source: String, at url: String = "https://h.example/f/feed") throws -> DecodedFeed {
        let html = "<img src='\(source)'><img src='https://o.example/last'>"
        let text = "<rss><channel><item><description><![CDATA[\(html)]]></description></item></channel></rss>"
        return try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known(url)))
    }

    private func image(_ source: String, at url: String = "https://h.example/f/feed") throws -> String? {
        let images = try decode(source, at: url).feed.images.map(\.url.text)
        #expect(images.last == "https://o.example/last")
        return images.count == 2 ? images[0] : nil
    }

    @Test(
        "a combining character leaves the character before it intact",
        arguments: [
            ("a \u{301}b.png", "a%20\u{301}b.png"), ("a \u{FE0F}b.png", "a%20\u{FE0F}b.png"),
            ("a \u{200C}b.png", "a%20\u{200C}b.png"), ("a \u{200D}b c.png", "a%20\u{200D}b%20c.png"),
            ("https://h.example/f/\u{301}/../x", "x"), ("\u{301}a?\u{301}", "\u{301}a?\u{301}"),
        ])
    func joiners(given: String, expected: String) throws {
        #expect(try image(given).map { Array($0.utf8) } == Array("https://h.example/f/\(expected)".utf8))
    }

    @Test("a combining character does not hide the end of a part")
    func joinersElsewhere() throws {
        let image = "<div xml:base='http://u:\u{301}p@h/'><img src='a'/></div>"
        for (type, content) in [("xhtml", image), ("html;\u{301}x", "&lt;img src='http://u:\u{301}p@h/a'>")] {
            let text = "<feed><entry><content type='\(type)'>\(content)</content></entry></feed>"
            let images = try FeedDecoder().decode(Array(text.utf8), from: .first).images
            #expect(images.map(\.url) == [.known("http://u:\u{301}p@h/a")])
        }
        let page = "<html><link rel='alternate \u{301}x' type='application/json' href='/feed'>"
        let error = #expect(throws: FeedError.self) { try FeedDecoder().decode(Array(page.utf8), from: .first) }
        #expect(error?.message.contains("which names the feed") == true)
        let list = "<opml><body><outline xmlUrl='feed://h/\u{301}'/></body></opml>"
        let feeds = try FeedDecoder().decodeSubscriptions(FeedSource(bytes: Array(list.utf8), url: .first)).feeds
        #expect(feeds.map(\.text) == ["http://h/\u{301}"])
    }

    @Test(
        "a backslash before the query counts as a slash, and any number of slashes before a host as two",
        arguments: [
            (#"x\y.png"#, "https://h.example/f/x/y.png"), (#"\x\y?a\b#c\d"#, "https://h.example/x/y?a%5Cb#c%5Cd"),
            (#"\x"#, "https://h.example/x"),
            (#"\\o.example\x"#, "https://o.example/x"), (#"https:\\o.example\x"#, "https://o.example/x"),
            (#"/\o.example/x"#, "https://o.example/x"), (#"..\x"#, "https://h.example/x"),
            (#"https://o.example\@h.example/x"#, "https://o.example/@h.example/x"),
            ("https:x.png", "https://h.example/f/x.png"), ("HTTPS:/x.png", "https://h.example/x.png"),
            ("https:?x", "https://h.example/f/feed?x"), ("https:data:x", "https://h.example/f/data:x"),
            ("https:https://o.example/x", "https://h.example/f/https://o.example/x"),
            ("http:o.example/x", "http://o.example/x"), ("http:/o.example/x", "http://o.example/x"),
            ("http:///o.example/x", "http://o.example/x"), ("https:////o.example/x", "https://o.example/x"),
            ("///o.example/x", "https://o.example/x"), ("https://", nil), ("http:", nil), ("///", nil),
            (" ", nil), ("\t\n", nil),
        ] as [(String, String?)])
    func slashes(given: String, expected: String?) throws {
        #expect(try image(given) == expected)
    }

    @Test("extra slashes in a local feed lead to no other file")
    func localSlashes() throws {
        let feed = "file:///data/feeds/feed.xml"
        #expect(try image(#"x\y.png"#, at: feed) == "file:///data/feeds/x/y.png")
        #expect(try image("http:o.example/x", at: feed) == "http://o.example/x")
        for elsewhere in [#"..\x"#, #"x\..\..\x"#, #"file:\\\etc\passwd"#, #"\etc\passwd"#, "file:///etc/passwd"] {
            #expect(try image(elsewhere, at: feed) == nil)
        }
    }

    @Test(
        "a reference to the page itself is no image",
        arguments: ["#", "#top", "?", "?#", " # ", "https:", "https:#a"])
    func page(given: String) throws {
        for base in ["", "<link>https://s.example/p</link>"] {
            let html = "<img src='\(given)'/>"
            let images = "<enclosure url='\(given)' type='image/png'/><description>\(html)</description>"
            let text = "<rss><channel>\(base)<item xml:base='/b'>\(images)</item></channel></rss>"
            let decoded = try FeedDecoder().decode(
                FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/")))
            #expect(decoded.feed.images == [])
            #expect(decoded.notes.count == 2)
        }
        #expect(try decode("?").notes == ["left out an image of item 1: \"?\": means the page itself"])
    }
}
