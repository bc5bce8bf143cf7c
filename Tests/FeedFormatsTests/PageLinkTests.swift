import FeedCore
import FeedFormats
import TestDoubles
import Testing

/// What a feed says about its further pages.
@Suite struct PageLinkTests {
    private func decode(_ text: String) throws -> DecodedFeed {
        try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/feed")))
    }

    private func atom(_ links: String) throws -> DecodedFeed {
        try decode("<feed xmlns='http://www.w3.org/2005/Atom'>\(links)<entry><id>1</id></entry></feed>")
    }

    private func rss(_ links: String) throws -> DecodedFeed {
        let channel = "<channel>\(links)<item><guid>1</guid></item></channel>"
        return try decode("<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'>\(channel)</rss>")
    }

    @Test(
        "the next page precedes the previous page of the archive",
        arguments: [
            ("<link rel='prev-archive' href='a'/>", "https://h.example/a"),
            ("<link rel='next' href='n'/>", "https://h.example/n"),
            ("<link rel='prev-archive' href='a'/><link rel='next' href='n'/>", "https://h.example/n"),
            ("<link rel='next' href='n'/><link rel='prev-archive' href='a'/>", "https://h.example/n"),
            ("<link rel='prev-archive' href='a'/><link rel='prev-archive' href='b'/>", "https://h.example/a"),
            ("<link rel='http://www.iana.org/assignments/relation/prev-archive' href='a'/>", "https://h.example/a"),
            ("<link rel='prev-archive' href='a' xml:base='/x/'/>", "https://h.example/x/a"),
            ("<link rel='next' href='ftp://h/'/><link rel='prev-archive' href='a'/>", "https://h.example/a"),
            ("<link rel='next-archive' href='a'/>", nil), ("<link rel='prev' href='a'/>", nil),
            ("<link rel='prev-archive'/>", nil),
        ])
    func next(links: String, expected: String?) throws {
        #expect(try atom(links).nextPage?.text == expected)
        #expect(try rss(links.replacing("<link", with: "<atom:link")).nextPage?.text == expected)
    }

    @Test(
        "the generator of a feed tells whether WordPress wrote it",
        arguments: [
            ("https://wordpress.org/?v=6.4.2", true), ("http://wordpress.org/?v=4", true),
            ("https://wordpress.org", true), (" HTTPS://WordPress.org/?v=6 ", true), ("http://wordpress.com/", true),
            ("WordPress 2.0", true),
            ("https://wordpress.org.example/", false), ("https://example.org/wordpress.org/", false),
            ("WordPressed", false), ("Hugo", false), ("", false),
        ])
    func generators(text: String, isOfWordPress: Bool) throws {
        #expect(try rss("<generator>\(text)</generator>").isOfWordPress == isOfWordPress)
        #expect(try atom("<generator>\(text)</generator>").isOfWordPress == isOfWordPress)
        #expect(try atom("<generator uri='\(text)'>Something</generator>").isOfWordPress == isOfWordPress)
    }

    @Test("items without an image count as items")
    func items() throws {
        let none = "<rss version='2.0'><channel><title>x</title></channel></rss>"
        #expect(try decode(none).itemHashes.count == 0)
        let items = ["<guid>1</guid>", "<guid>2</guid>", "<link>/1</link>", "<title>a</title>", "<title>a</title>"]
        let text = items.map { "<item>\($0)</item>" }.joined()
        #expect(try decode("<rss version='2.0'><channel>\(text)</channel></rss>").itemHashes.count == 4)
    }
}
