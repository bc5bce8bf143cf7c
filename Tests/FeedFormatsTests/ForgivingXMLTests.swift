import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Feeds that are not well-formed but can be repaired.
@Suite struct ForgivingXMLTests {
    /// The feeds.
    ///
    /// Their second item must survive any fault in the first.
    private static let formats = [
        "RSS": """
        <rss xmlns:media='http://search.yahoo.com/mrss/'>
        <channel>
        <item><title>TITLE</title><enclosure type='image/png' url='URL'/>REST</item>
        <item><title>Next</title><enclosure url='next.png'/></item></channel></rss>
        """,
        "Atom": """
        <feed xmlns='http://www.w3.org/2005/Atom' xmlns:media='http://search.yahoo.com/mrss/'>
        <author><name>x</name></author>
        <entry><title>TITLE</title><link rel='enclosure' type='image/png' href='URL'/>REST</entry>
        <entry><title>Next</title><link rel='enclosure' href='next.png'/></entry></feed>
        """,
    ]

    struct Sin: CustomTestStringConvertible {
        var title = "Title"
        var url = "https://h/a.png"
        var rest = ""
        var isTitle = "Title"
        var isURL = "https://h/a.png"
        /// The beginning of the note about line 3; nil for XML that is accepted as it is.
        var note: String?
        var testDescription: String { "\(title) \(url) \(rest)" }
    }

    private static let sins: [Sin] = [
        // These have a raw ampersand.
        Sin(title: "Cats & dogs", isTitle: "Cats & dogs", note: "a raw \"&\""),
        Sin(title: "AT&T &", isTitle: "AT&T &", note: "a raw \"&\", and another fault"),
        Sin(
            url: "https://h/p.jpg?a=1&b=2&copy=3&amp;d=4&lt", isURL: "https://h/p.jpg?a=1&b=2&copy=3&d=4&lt",
            note: "a raw \"&\", and 2 more faults"),
        Sin(url: "https://h/p.jpg?a&#=1", isURL: "https://h/p.jpg?a&#=1", note: "a raw \"&\""),
        Sin(title: "<![CDATA[Cats & dogs <3]]>", isTitle: "Cats & dogs <3"),
        Sin(title: "a & &amp; &#38; &eacute;", isTitle: "a & & & é", note: "a raw \"&\""),
        // These have entities.
        Sin(title: "a &nosuch; b", isTitle: "a &nosuch; b", note: "an entity that is not defined"),
        Sin(url: "https://h/a?&x;", isURL: "https://h/a?&x;", note: "an entity that is not defined"),
        Sin(title: "a&#0;b", isTitle: "a\u{FFFD}b", note: "a reference to no character"),
        Sin(title: "a&#xD83D;b", isTitle: "a\u{FFFD}b", note: "a reference to no character"),
        Sin(title: "a&#x41;&#0066;&#8230;", isTitle: "aAB…"),
        // These have characters that XML forbids.
        Sin(title: "a\u{8}b", isTitle: "a b", note: "a control character"),
        Sin(url: "https://h/a.png\u{1}", note: "a control character"),
        Sin(title: "<![CDATA[a\u{8}b &]]>", isTitle: "a b &", note: "a control character"),
        Sin(title: "a\u{FFFE}b", isTitle: "a\u{FFFD}b", note: "a control character"),
        Sin(rest: "<!-- \u{8} & -- -->", note: ""),
        // These have angle brackets.
        Sin(title: "I <3 you", isTitle: "I <3 you", note: "a raw \"<\""),
        Sin(title: "x ]]> y", isTitle: "x ]]> y", note: "a raw \"]]>\""),
        Sin(rest: "<x title='a < b'/>", note: "a raw \"<\""),
        Sin(rest: "<x><!DOCTYPE html></x>", note: "a raw \"<\""),
        Sin(rest: "<author>Jo <jo@h.example></author>", note: "a name with other characters, and another fault"),
        // These have faulty tags.
        Sin(rest: "<x><b>y</x>", note: "\"<b>\" without its end tag"),
        Sin(rest: "<x>y<br>z<br></x>", note: "\"<br>\" without its end tag, and another fault"),
        Sin(rest: "</p>", note: "\"</p>\" without its start tag"),
        Sin(title: "Ti</b>tle", note: "\"</b>\" without its start tag"),
        Sin(title: "Title</titel><title>", note: "\"</titel>\" without its start tag"),
        Sin(rest: "<media:rating>x</rating>", note: "\"</rating>\" without its start tag"),
        Sin(rest: "<pubDate>x</pubdate>", note: "\"</pubdate>\" in other letters than its start tag"),
        Sin(rest: "<x", note: "a tag without its end, and another fault"),
        Sin(rest: "<x a=1 b/>", note: "a value without quotes, and another fault"),
        Sin(rest: "<x a='1'b='2'/>", note: ""),
        Sin(rest: "<x a='1' a='2'/>", note: ""),
        Sin(rest: "<?xml version='1.0'?>", note: ""),
    ]

    private func decode(_ format: String, _ sin: Sin) throws -> DecodedFeed {
        let text = try #require(Self.formats[format]).replacing("TITLE", with: sin.title)
            .replacing("URL", with: sin.url).replacing("REST", with: sin.rest)
        return try HostileFeed.decode(Array(text.utf8))
    }

    @Test("a fault in an XML feed is repaired and noted once", arguments: formats.keys.sorted(), sins)
    func forgiven(format: String, sin: Sin) throws {
        let decoded = try decode(format, sin)
        #expect(decoded.feed.images.map(\.url.text) == [sin.isURL, "https://feeds.example/next.png"])
        #expect(decoded.feed.images.map(\.description) == [sin.isTitle, "Next"])
        guard let note = sin.note else {
            #expect(decoded.notes == [])
            return
        }
        #expect(decoded.notes.count == 1)
        let told = try #require(decoded.notes.first)
        #expect(told.hasPrefix("line 3: \(note)"), "\(told)")
        #expect(told.hasSuffix("; read for what it says"), "\(told)")
    }

    @Test("an item without its end tag ends where the next item begins", arguments: formats.keys.sorted())
    func openItem(format: String) throws {
        let text = try #require(Self.formats[format]).replacing("</item>\n", with: "\n").replacing(
            "</entry>\n", with: "\n")
        let decoded = try HostileFeed.decode(Array(text.utf8))
        #expect(decoded.feed.images.map(\.url.text) == ["https://feeds.example/URL", "https://feeds.example/next.png"])
        let name = format == "RSS" ? "item" : "entry"
        #expect(decoded.notes == ["line 4: \"<\(name)>\" without its end tag; read for what it says"])
    }

    @Test("invalid UTF-8 is read as Latin-1, even if it is labelled as UTF-8", arguments: formats.keys.sorted())
    func bytes(format: String) throws {
        let parts = try #require(Self.formats[format]).replacing("TITLE", with: "a|b").split(separator: "|")
        let readings: [([UInt8], String)] = [
            ([0xE9], "aéb"), ([0xC3], "aÃb"), ([0xED, 0xA0, 0x80], "aí €b"), ([0xF0, 0x9F], "aðŸb"),
        ]
        for (bytes, expected) in readings {
            let decoded = try HostileFeed.decode(Array(parts[0].utf8) + bytes + Array(parts[1].utf8))
            #expect(decoded.feed.images.first?.description == expected)
            #expect(decoded.notes.first?.hasPrefix("line 3: a byte that is no UTF-8") == true)
        }
    }

    @Test("many faults are reported in one note, before all other notes")
    func notes() throws {
        let item = "<item><title>a & b</title><enclosure type='image/png' url='ftp://h/&'/></item>\n"
        let text = "<rss><channel>\(HostileFeed.times(200, item))</channel></rss>"
        let notes = try HostileFeed.decode(Array(text.utf8)).notes
        #expect(notes.count == 101)
        #expect(notes.first == "line 1: a raw \"&\", and 399 more faults; read for what it says")
    }

    @Test("line numbers are exact after repaired and skipped text")
    func lines() throws {
        let outline = "<outline title='\n&' xmlUrl='ftp://h/'\n/>"
        let text =
            "\n<?xml version='1.0'?>\n<!-- \n --><opml><body a\n=\n'&'><?x\n?></p\n>\(outline)<x xmlUrl='http://h/'/>"
        let list = try list("\(text)<outline xmlUrl='http://h/?a=1&b=2'/></body></opml>")
        #expect(list.feeds.map(\.text) == ["http://h/?a=1&b=2"])
        #expect(
            list.notes.map { $0.prefix { $0 != ":" } } == ["line 6", "line 10"], "\(list.notes)")
    }

    private func list(_ text: String) throws(FeedError) -> SubscriptionList {
        try FeedDecoder().decodeSubscriptions(FeedSource(bytes: Array(text.utf8), url: HostileFeed.url))
    }

    // MARK: What is not forgiven

    @Test(
        "a faulty feed without any item is refused with its first fault",
        arguments: [
            ("<rss><channel><title>\n&</title></rss>", "line 2, column 1: a raw \"&\""),
            ("<rss>\n<channel><title>A</item></rss>", "line 2, column "),
            ("<feed><title>\n&</title></feed>", "line 2, column 1: a raw \"&\""),
            ("<rss>\n&</rss>", "line 2, column 1: "),
        ])
    func nothingLeft(text: String, reason: String) {
        #expect(HostileFeed.message(Array(text.utf8))?.hasPrefix(reason) == true)
    }

    @Test("a faulty feed with an item without images is accepted")
    func noImage() throws {
        let text = "<rss><channel><item><title>a & b</title></item></channel></rss>"
        #expect(try HostileFeed.decode(Array(text.utf8)).notes.last == "item 1 has no image")
    }

    @Test(
        "a faulty subscription list is repaired and noted once",
        arguments: ["<opml><body>&</body></opml>", "<opml>&</opml>", "&", "<opml><body><outline/></x></body></opml>"])
    func emptyList(text: String) {
        let error = #expect(throws: FeedError.self) { try list(text) }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.hasPrefix("line 1, column ") == true)
    }

    private static let ending = [
        "<?xml version='1.0'?>\n<!-- it --><rss>\n<channel><item><enclosure url='a.png'/>",
        "<description><![CDATA[é]]></description></item></channel>\n</rss>",
    ]

    @Test(
        "a feed that is cut off in its channel is reported as cut off, despite other faults",
        arguments: ["", "<title>a & b</title>", "<b>", "</b>", "<x a=1>\u{8}", "&nosuch;"])
    func cutOff(sin: String) throws {
        let text = Array(Self.ending.joined(separator: sin).utf8)
        for length in 1..<(text.count - "\n</rss>".utf8.count) {
            let bytes = Array(text[..<length])
            let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            let message = try #require(HostileFeed.message(bytes))
            #expect(message.hasPrefix("line \(line), column ") && message.contains(": cut off"), "\(message)")
        }
        for length in (text.count - "\n</rss>".utf8.count)...text.count {
            #expect(try HostileFeed.decode(Array(text[..<length])).feed.images.count == 1)
        }
    }

    @Test("a subscription list that is cut off is reported as cut off")
    func cutOffList() throws {
        let text = "<opml><body><outline xmlUrl='http://h/?a&b'/></body></opml>"
        for length in 1..<text.count {
            let error = #expect(throws: FeedError.self) { try list(String(text.prefix(length))) }
            #expect(error?.message.contains(": cut off") == true, "\(error?.message ?? "")")
        }
        #expect(try list(text).feeds.count == 1)
    }

    @Test("only the end tag of the root ends the document, even if elements in it are open")
    func end() throws {
        let text = "<rss><channel><item><title>&<enclosure/><title>a</title><x><enclosure url='a.png'/>"
        let whole = "<rss><channel><item><enclosure url='a.png'/></foo></item></foo></channel></foo><x></RSS>"
        #expect(HostileFeed.message(Array(text.utf8))?.hasSuffix("cut off: \"</rss>\" is missing") == true)
        #expect(try HostileFeed.decode(Array(whole.utf8)).feed.images.count == 1)
        let atom = "<feed><entry><title>&</title></entry></foo></rss></channel>"
        #expect(HostileFeed.message(Array(atom.utf8))?.hasSuffix("cut off: \"</feed>\" is missing") == true)
    }

    @Test(
        "content after the end of a repaired feed is skipped with a note",
        arguments: ["&", "\0", "<a>", "<item></rss>", "\u{8}"])
    func rest(rest: String) throws {
        let text = "<rss>\n<channel><item>&<enclosure url='a.png'/></item></channel></rss>\n\(rest)"
        #expect(
            try HostileFeed.decode(Array(text.utf8)).notes == [
                "line 2: a raw \"&\"; read for what it says", "line 2: left out what follows the end",
            ])
    }

    @Test("a faulty feed with a NUL or with too many attributes in a tag is refused")
    func stop() {
        for (piece, reason) in [
            ("\0", "a NUL byte"), ("<x \(HostileFeed.times(20_000, "a "))/>", "a tag with more than 1000 attributes"),
        ] {
            let text = "<rss><channel><item>&\n\(piece)<enclosure url='a.png'/></item></channel></rss>"
            #expect(HostileFeed.message(Array(text.utf8)) == "line 2, column 1: \(reason)")
        }
    }

    @Test("limits apply to repaired feeds")
    func limits() {
        for (text, reason) in [
            (HostileFeed.times(100_000, "<a>"), "nested more than 200 deep"),
            (HostileFeed.numbered(20_000) { "<x\($0)/>" }, "more than 10000 names"),
            (
                HostileFeed.numbered(2) { tag in
                    "<a \(HostileFeed.numbered(600) { "xmlns:a\(tag)b\($0)='u' " })>"
                }, "more than 1000 namespaces at once"
            ), ("<a \(HostileFeed.times(1001, "b=1 "))/>", "a tag with more than 1000 attributes"),
        ] {
            let feed = "<rss><channel><item>&\(text)</item></channel></rss>"
            #expect(HostileFeed.message(Array(feed.utf8))?.hasSuffix(reason) == true)
        }
    }

    @Test(
        "repairing a feed that is faulty throughout takes linear time",
        arguments: [
            "&", "<", "</x>", "<x>", "<item>", "<x a=b ", "<br>", "<!--", "]]>", "&#", "<x/a=1", "\u{8}", "<a></b>",
            "'",
            "<![CDATA[", "&amp", "=\"",
        ])
    func hostile(piece: String) {
        let text = "<rss><channel><item>&\(HostileFeed.times(50_000 / piece.utf8.count, piece))</item></channel></rss>"
        do throws(FeedError) { _ = try HostileFeed.decode(Array(text.utf8)) } catch {
            #expect(error.kind == .invalidData)
        }
    }

    @Test("a faulty feed that uses an entity of its own is read", arguments: ["&", "<b>", ""])
    func declared(sin: String) throws {
        for use in ["&x;", "<y z='&x;'/>"] {
            let item = "<title>a</title>\(sin)\(use)<enclosure url='a.png'/>"
            let text = HostileFeed.rss(item, after: "<!DOCTYPE rss [<!ENTITY x 'y'>]>")
            #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.count == 1)
        }
    }

    @Test(
        "an undeclared prefix has its usual meaning, and a note gives its first line", arguments: formats.keys.sorted())
    func prefix(format: String) throws {
        let declaration = " xmlns:media='http://search.yahoo.com/mrss/'"
        let text = try #require(Self.formats[format]).replacing(declaration, with: "").replacing(
            "REST", with: "<media:content url='b.png'/><media:title x:y=''>c</media:title>")
        let decoded = try HostileFeed.decode(Array(text.utf8))
        #expect(decoded.feed.images.map(\.url.text).contains("https://feeds.example/b.png"))
        #expect(
            decoded.notes == [
                "line 3: the prefix \"media\" is not declared", "line 3: the prefix \"x\" is not declared",
            ])
    }

    @Test(
        "an enclosure and an item count although elements around them are open",
        arguments: [
            "<item><b>bold</i><enclosure url='a.png'/></item></channel></rss>",
            "<item><description><b>bold</i></description><enclosure url='a.png'/></item></channel></rss>",
            "<item><description><p>text<enclosure url='a.png'/></item></channel></rss>",
            "<image><url>logo.png</url><item><enclosure url='a.png'/></item></channel></rss>",
            "<title>A<item><enclosure url='a.png'/></item></channel></rss>",
            "<item><enclosure url='a.png'/></channel>", "<item><enclosure url='a.png'/></item></channel></rs",
            "<item><enclosure url='a.png'/></item></channel><x a='",
        ])
    func unclosed(text: String) throws {
        let decoded = try HostileFeed.decode(Array("<rss><channel>\(text)".utf8))
        #expect(decoded.feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
    }

    @Test("a feed that ends behind its channel is an empty feed")
    func empty() throws {
        for text in [
            "<rss/>", "<rss></rss>", "<rss><channel></channel>", "<rss><channel><title>\n&</title></channel></rss>",
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>", "<feed/>",
        ] {
            #expect(try HostileFeed.decode(Array(text.utf8)).feed.images == [], "\(text)")
        }
    }
}
