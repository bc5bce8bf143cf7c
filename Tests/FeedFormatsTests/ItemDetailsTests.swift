import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

@Suite("The author, the rights, the tags and the text of an item")
struct ItemDetailsTests {
    private func image(_ text: String) throws -> FeedImage {
        let source = FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/"))
        return try #require(try FeedDecoder().decode(source).feed.images.first)
    }

    private func rss(_ item: String, channel: String = "") throws -> FeedImage {
        try image("<rss><channel>\(channel)<item><enclosure url='1.jpg'/>\(item)</item></channel></rss>")
    }

    private func atom(_ entry: String, feed: String = "") throws -> FeedImage {
        let link = "<link rel='enclosure' type='image/png' href='1.png'/>"
        return try image("<feed xmlns='http://www.w3.org/2005/Atom'>\(feed)<entry>\(link)\(entry)</entry></feed>")
    }

    @Test(
        "the language of a feed is that of its channel, its root element or its member",
        arguments: [
            (
                "<rss><channel><language> pt-BR </language><item><enclosure url='1.jpg'/></item></channel></rss>",
                "pt-BR"
            ),
            ("<rss><channel><dc:language>ar</dc:language></channel></rss>", "ar"),
            ("<rss><channel><item><language>ar</language></item></channel></rss>", nil),
            ("<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='he'><title xml:lang='en'>T</title></feed>", "he"),
            (#"{"version":"https://jsonfeed.org/version/1.1","language":"zh-Hant-TW","items":[]}"#, "zh-Hant-TW"),
            (#"{"version":"https://jsonfeed.org/version/1.1","language":7,"items":[]}"#, nil),
            ("<rss><channel><language>&lt;b onclick=x></language></channel></rss>", nil),
            ("<rss><channel><language>en--US</language></channel></rss>", nil),
            ("<rss><channel><language>\(String(repeating: "en-", count: 20))US</language></channel></rss>", nil),
        ] as [(String, String?)])
    func language(text: String, expected: String?) throws {
        let source = FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/"))
        #expect(try FeedDecoder().decode(source).feed.language == expected)
    }

    @Test(
        "the author of an RSS item is its creator, else its author, else its iTunes author, else the channel's author",
        arguments: [
            ("<itunes:author>C</itunes:author><author>B</author><dc:creator> A  a </dc:creator>", "A a"),
            ("<itunes:author>C</itunes:author><author>jane@h.example (Jane Doe)</author>", "Jane Doe"),
            ("<author>\"Jane Doe\" &lt;jane@h.example&gt;</author>", "Jane Doe"),
            ("<itunes:author>C</itunes:author><author>jane@h.example</author>", "C"), ("", "Boss"),
            ("<dc:creator>A &amp;amp; B</dc:creator><dc:creator>C</dc:creator>", "A & B"),
        ])
    func author(item: String, author: String) throws {
        #expect(try rss(item, channel: "<managingEditor>boss@h.example (Boss)</managingEditor>").author == author)
    }

    @Test(
        "the rights of an RSS item are a text or the URL of a licence, else the channel's",
        arguments: [
            ("<media:license href='http://l/2'>CC</media:license><dc:rights>Mine</dc:rights>", "Mine"),
            ("<media:license type='text/html' href='http://l/2'>CC</media:license>", "http://l/2"),
            ("<media:group><media:copyright>Yours</media:copyright></media:group>", "Yours"),
            ("<creativeCommons:license>http://l/3</creativeCommons:license>", "http://l/3"),
            ("<cc:license rdf:resource='http://l/4'/>", "http://l/4"),
            ("<atom:link rel='license' href='http://l/5'/>", "http://l/5"), ("", "© 2026"),
        ])
    func rights(item: String, rights: String) throws {
        #expect(try rss(item, channel: "<copyright>© 2026</copyright>").rights == rights)
    }

    @Test("the tags of an RSS item are its categories and keywords, each once, and at most 32 of them")
    func tags() throws {
        let item =
            "<category>Fog</category><category> Fog </category><category/><media:keywords>sea, Fog,,x</media:keywords>"
        #expect(try rss(item).tags == ["Fog", "sea", "x"])
        let many = (0..<40).map { "<category>\($0)</category>" }.joined()
        #expect(try rss(many).tags == (0..<32).map { "\($0)" })
    }

    @Test("an Atom entry has details of its own, else the feed's")
    func atomDetails() throws {
        let feed = "<author><name>Boss</name><email>b@h.example</email></author><rights>All</rights>"
        let plain = try atom("", feed: feed)
        #expect(plain.author == "Boss")
        #expect(plain.rights == "All")
        let entry = """
            <author><name>Ann</name></author><rights type='html'>&lt;b>Mine&lt;/b></rights>
            <category term='a'/><category term='b' label='Bee'/><link rel='license' href='http://l/'/>
            """
        let own = try atom(entry, feed: feed)
        #expect(own.author == "Ann")
        #expect(own.rights == "Mine")
        #expect(own.tags == ["a", "Bee"])
        #expect(try atom("<link rel='license' href='http://l/'/>", feed: feed).rights == "http://l/")
    }

    @Test("a JSON Feed's item has authors and tags of its own, else the feed's authors")
    func jsonDetails() throws {
        func item(_ members: String) throws -> FeedImage {
            try image(
                """
                {"version":"https://jsonfeed.org/version/1.1","authors":[{"name":"Boss"}],
                "items":[{"image":"/1.png"\(members)}]}
                """)
        }
        #expect(try item("").author == "Boss")
        #expect(
            try item(#","author":{"name":"Old"},"authors":[{"name":"A"},{"url":"x"},{"name":"B"}]"#).author == "A, B")
        #expect(try item(#","author":{"name":"Old"},"authors":7"#).author == "Old")
        #expect(try item(#","tags":["x",7,"y","x"]"#).tags == ["x", "y"])
    }

    @Test("the text of an item is plain and has at most 1,000 characters")
    func text() throws {
        #expect(try rss("<title>T</title><description>&lt;p>Two&lt;p>lines</description>").text == "Two lines")
        #expect(try rss("<title>T</title>").text == nil)
        let long = String(repeating: "é ", count: 5000)
        #expect(try rss("<description>\(long)</description>").text?.count == 999)
    }

    @Test("an item with very many images keeps its details for as many as the feed's size allows")
    func amplification() throws {
        let words = String(repeating: "w", count: 900)
        let images = (0..<20_000).map { "<enclosure url='\($0).jpg'/>" }.joined()
        let source = "<rss><channel><item><category>\(words)</category>\(images)</item></channel></rss>"
        let found = try FeedDecoder().decode(FeedSource(bytes: Array(source.utf8), url: .known("https://h.example/")))
        #expect(found.feed.images.count == 20_000)
        let size = found.feed.images.reduce(0) { $0 + $1.tags.reduce(0) { $0 + $1.utf8.count } }
        #expect(size > 0)
        #expect(size <= 10 * source.utf8.count + 1 << 20)
    }
}
