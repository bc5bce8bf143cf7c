import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Feeds whose images share texts or the beginnings of URLs: the feed writes them once, and each image holds them.
@Suite struct AmplificationTests {
    private func decode(_ text: String) throws(FeedError) -> DecodedFeed {
        try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/feed")))
    }

    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    private static func numbered(_ count: Int, _ text: (Int) -> String) -> String {
        (0..<count).map(text).joined()
    }

    private static func rss(_ items: String) -> String { "<rss><channel>\(items)</channel></rss>" }

    private static let long = times(100_000, "x")

    /// Returns feeds with this number of images each.
    private static func feeds(_ count: Int) -> [String: String] {
        let enclosures = numbered(count) { "<enclosure url='\($0).png'/>" }
        let markup = numbered(count) { "<img src=\($0)>" }
        return [
            "title":
                #"{"version":"https://jsonfeed.org/version/1","items":[{"title":"\#(long)","content_html":"\#(markup)"}]}"#,
            "id": rss("<item><guid>\(times(1_000_000, "i"))</guid>\(enclosures)</item>"),
            "base": "<rss xml:base='https://\(times(8100, "h"))/'><channel><item>\(enclosures)</item></channel></rss>",
            "credentials": rss("<link>https://\(long.prefix(8000)):p@h/</link><item>\(enclosures)</item>"),
            "bases": rss(
                "<item xml:base='https://\(times(8000, "h"))/'>"
                    + numbered(count) { "<enclosure xml:base='a' url='\($0).png'/>" } + "</item>"),
            "location": rss(
                "<item><georss:point>\(long)</georss:point>\(enclosures)</item>"),
            "group": rss(
                "<item><media:content><media:title>\(long)</media:title>"
                    + numbered(count) { "<media:content url='\($0).png'/>" } + "</media:content></item>"),
            "caption": rss(
                "<item><description><![CDATA[<figure>\(markup)<figcaption>\(long)</figcaption></figure>]]></description></item>"
            ),
            "XHTML": "<feed><entry xml:base='https://\(times(8000, "h"))/'><content type='xhtml'><div xml:base='a/'>"
                + numbered(count) { "<img src='\($0)'/>" } + "</div></content></entry></feed>",
        ]
    }

    private static let largeFeeds = feeds(20_000)
    private static let smallerFeeds = feeds(50)

    /// Returns the size of all texts of the images, in UTF-8.
    private func size(_ images: [FeedImage]) -> Int {
        images.reduce(0) { sum, image in
            let texts = [image.id, image.description, image.location, image.url.text, image.url.credentials]
            return sum + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        }
    }

    @Test("a feed whose images hold many times its text is refused", arguments: largeFeeds.keys.sorted())
    func refused(name: String) throws {
        let text = try #require(Self.largeFeeds[name])
        let error = #expect(throws: FeedError.self) { try decode(text) }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.hasSuffix("far more text than the feed itself") == true, "\(error?.message ?? "")")
    }

    @Test("the images of an accepted feed hold no more text than the limit", arguments: smallerFeeds.keys.sorted())
    func bounded(name: String) throws {
        let text = try #require(Self.smallerFeeds[name])
        let images = try decode(text).feed.images
        #expect(images.count == 50)
        #expect(size(images) <= (1 << 20) + 8 * text.utf8.count + 1024 * images.count)
    }

    @Test("a feed of many small items with one or two images is accepted")
    func ordinary() throws {
        let items = Self.numbered(20_000) {
            "<item><guid>https://h.example/posts/\($0)</guid><title>Number \($0)</title>"
                + "<enclosure url='\($0)a.png'/><enclosure url='\($0)b.png'/></item>"
        }
        #expect(try decode(Self.rss(items)).feed.images.count == 40_000)
    }

    private func refusal(_ text: String, mostImages: Int) -> String? {
        let document = FeedSource(
            bytes: Array(text.utf8), url: .known("https://h.example/feed"), mostImages: mostImages)
        let error = #expect(throws: FeedError.self) { try FeedDecoder().decode(document) }
        #expect(error?.kind == .invalidData)
        return error?.message
    }

    @Test("an item with too many images is refused, wherever it names them")
    func crowds() throws {
        let markup = Self.numbered(60_000) { "<img src=\($0)>" }
        let enclosures = Self.numbered(60_000) { "<enclosure url='\($0).png'/>" }
        for text in [
            #"{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"\#(markup)"}]}"#,
            Self.rss("<item><description><![CDATA[\(markup)]]></description></item>"),
            Self.rss("<item>\(enclosures)</item>"),
            Self.rss("<item>\(Self.times(60_000, "<media:thumbnail url='.'/>"))</item>"),
            Self.rss("<item><media:group>\(Self.times(60_000, "<media:content url='.gif'/>"))</media:group></item>"),
            "<feed><entry>\(Self.times(60_000, "<media:content url='.gif'/>"))</entry></feed>",
            #"{"version":"https://jsonfeed.org/version/1","items":[{"attachments":["#
                + Self.times(60_000, #"{"url":".gif"},"#) + "{}]}]}",
            Self.rss("<item>&\(enclosures)</item>"),
        ] {
            let message = refusal(text, mostImages: 100)
            #expect(message?.hasSuffix("more than 50000 images (see --max-feed-size)") == true, "\(message ?? "")")
        }
    }

    private static let item = #"{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"https://h/a"}"#

    /// The builders of feeds with a given number of images.
    private static let countedFeeds: [String: @Sendable (Int) -> String] = [
        "Essential": { #"{"items":[\#(Array(repeating: item, count: $0).joined(separator: ","))]}"# },
        "JSON Feed": {
            #"{"version":"https://jsonfeed.org/version/1","items":[\#(times($0, #"{"image":"a"},"#)){}]}"#
        },
        "JSON Feed with one item": {
            let markup = numbered($0) { "<img src=\($0)>" }
            return #"{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"\#(markup)"}]}"#
        },
        "RSS": { rss(times($0, "<item><enclosure url='a.png'/></item>")) },
        "RSS with one item": { rss("<item>\(numbered($0) { "<enclosure url='\($0).png'/>" })</item>") },
        "Atom": { "<feed>\(times($0, "<entry><link rel='enclosure' href='a.png'/></entry>"))</feed>" },
    ]

    @Test("a feed may have only as many images as its size allows", arguments: countedFeeds.keys.sorted())
    func mostImages(format: String) throws {
        let text = try #require(Self.countedFeeds[format])
        let document = FeedSource(bytes: Array(text(3).utf8), url: .known("https://h.example/feed"), mostImages: 3)
        #expect(try FeedDecoder().decode(document).feed.images.count == 3)
        let message = refusal(text(4), mostImages: 3)
        #expect(message?.hasSuffix("more than 3 images (see --max-feed-size)") == true, "\(message ?? "")")
    }

    @Test("a subscription list may have only as many feeds as its size allows")
    func mostFeeds() throws {
        func list(_ count: Int) throws(FeedError) -> SubscriptionList {
            let outlines = Self.numbered(count) { "<outline xmlUrl='http://h/\($0)'/>" }
            let bytes = Array("<opml><body>\(outlines)</body></opml>".utf8)
            return try FeedDecoder().decodeSubscriptions(
                FeedSource(bytes: bytes, url: .known("https://h.example/feeds"), mostImages: 3))
        }
        #expect(try list(3).feeds.count == 3)
        let error = #expect(throws: FeedError.self) { try list(4) }
        #expect(error?.message.hasSuffix("more than 3 feeds (see --max-feed-size)") == true)
    }

    @Test(
        "a feed with too many images is refused before the rest is read",
        arguments: ["<media:content url='.gif'/>", "<enclosure url='.gif'/>"])
    func early(reference: String) throws {
        let text = "<rss><channel><item>\(Self.times(60_000, reference))"
        let message = refusal(text, mostImages: 100)
        #expect(message?.hasSuffix("more than 50000 images (see --max-feed-size)") == true, "\(message ?? "")")
    }

    @Test("the number of items that wait for the channel's link is limited")
    func lateLink() throws {
        let items = Self.times(60_000, "<item><enclosure url='a.gif'/></item>")
        let urls = Set(try decode(Self.rss("\(items)<link>https://s.example/</link>")).feed.images.map(\.url.text))
        #expect(urls == ["https://h.example/a.gif"])
    }

    // MARK: One text

    @Test("a very long text is cut at the end of a character", arguments: ["x", "é", "👩‍👩‍👧", "e\u{301}"])
    func longTexts(character: String) throws {
        let text = Self.times(20_000, character)
        let feed = try decode(
            """
            <rss><channel><title>\(text)</title><item><guid>g</guid><title>\(text)</title><georss:point>\(text)</georss:point>
            <enclosure url='a.png'/></item></channel></rss>
            """)
        let image = try #require(feed.feed.images.first)
        for cut in [feed.feed.title, image.description, image.location] {
            let cut = try #require(cut)
            #expect(cut.utf8.count <= 8192 && cut.utf8.count > 8000)
            #expect(cut.last == "…")
            #expect(cut.dropLast().allSatisfy { String($0) == character })
        }
    }

    @Test("a very long text of one grapheme is cut, too")
    func longCharacter() throws {
        let text = "a" + Self.times(20_000, "\u{301}")
        let feed = try decode("<rss><channel><title>\(text)</title><item/></channel></rss>")
        #expect(feed.feed.title?.utf8.count ?? 0 > 8000)
        #expect(feed.feed.title?.utf8.count ?? 0 <= 8192)
    }

    @Test("texts of a usual length stay unchanged")
    func usualTexts() throws {
        let (id, title) = (Self.times(4096, "i"), Self.times(8192, "t"))
        let feed = try decode(
            Self.rss("<item><guid>\(id)</guid><title>\(title)</title><enclosure url='a.png'/></item>"))
        #expect(feed.feed.images.map(\.id) == [id])
        #expect(feed.feed.images.map(\.description) == [title])
    }

    @Test("very long ids are cut to stable ids that stay distinct")
    func longIDs() throws {
        let items = ["a", "b"].map {
            "<item><guid>\(Self.times(50_000, "é"))\($0)</guid><enclosure url='\($0).png'/><enclosure url='2.png'/></item>"
        }
        let ids = try decode(Self.rss(items.joined())).feed.images.map(\.id)
        #expect(Set(ids).count == 4)
        #expect(ids[1] == ids[0] + "#2")
        #expect(ids.allSatisfy { $0.utf8.count <= 4098 && $0.hasPrefix("éé") })
        #expect(try decode(Self.rss(items[1])).feed.images.map(\.id) == Array(ids[2...]))
    }

    @Test("an excessively long URL is skipped, and so is such a base or page link")
    func longURLs() throws {
        let decoded = try decode(
            """
            <rss xmlns:atom='http://www.w3.org/2005/Atom' xml:base='https://\(Self.long)/'><channel><link>https://\(Self.long)/</link>
            <atom:link rel='next' href='\(Self.long)'/>
            <item><guid>g</guid><enclosure url='\(Self.long).png'/><enclosure url='a.png'/></item></channel></rss>
            """)
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/a.png"])
        #expect(decoded.nextPage == nil)
        #expect(decoded.notes.count == 1)
        #expect(decoded.notes.first?.hasSuffix("longer than 8192 bytes") == true)
    }

    @Test("an excessively long URL makes an Essential feed invalid, and a long description stays complete")
    func essential() throws {
        func feed(_ url: String) -> String {
            #"""
            {"items":[{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","description":"\#(Self.long)","image":"\#(url)"}]}
            """#
        }
        #expect(try decode(feed("https://h/")).feed.images.map(\.description) == [Self.long])
        let error = #expect(throws: FeedError.self) { try decode(feed("https://h/\(Self.long)")) }
        #expect(error?.message == "items[0].image: longer than 8192 bytes")
    }
}
