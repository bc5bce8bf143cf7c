import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// The distinction between RSS's own elements and those of modules.
@Suite struct RSSNamespaceTests {
    private func decode(_ text: String) throws -> DecodedFeed {
        try FeedDecoder().decode(FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/")))
    }

    private static let unknown = "xmlns='http://www.rssboard.org/rss-specification' xmlns:foo='http://foo/'"

    @Test(
        "an RSS feed may declare an unknown namespace for its own names",
        arguments: ["<rss \(unknown)><channel>", "<rss><channel \(unknown)>"])
    func unknownDefault(start: String) throws {
        let decoded = try decode(
            """
            \(start)<foo:title>no</foo:title><title>Yes</title><foo:item><enclosure url='no.jpg'/></foo:item>
            <item><foo:guid>no</foo:guid><guid>g</guid><foo:guid>no</foo:guid><bar:title>no</bar:title><title>T</title>
            <foo:enclosure url='no.jpg'/><enclosure url='1.jpg'/></item></channel></rss>
            """)
        #expect(decoded.feed.title == "Yes")
        #expect(decoded.feed.images.map(\.id) == ["g"])
        #expect(decoded.feed.images.map(\.description) == ["T"])
        #expect(decoded.feed.images.map(\.url.text) == ["https://h.example/1.jpg"])
    }

    @Test(
        "a module's images are found even if the feed's default namespace is the module's",
        arguments: [
            ("http://www.itunes.com/dtds/podcast-1.0.dtd", "<x:image href='a.jpg'/>"),
            ("http://www.itunes.com/dtds/podcast-1.0.dtd", "<x:image url='a.jpg'/>"),
            ("http://purl.org/rss/1.0/modules/content/", "<x:encoded>&lt;img src='a.jpg'></x:encoded>"),
            ("http://search.yahoo.com/mrss/", "<x:group><x:content url='a.jpg'/></x:group>"),
            ("http://search.yahoo.com/mrss/", "<x:thumbnail url='a.jpg'/>"),
        ])
    func moduleDefault(uri: String, element: String) throws {
        let item = "<item><title>T</title>\(element)</item>"
        let images = try decode("<rss xmlns='\(uri)' xmlns:x='\(uri)'><channel>\(item)</channel></rss>").feed.images
        #expect(images.map(\.url.text) == ["https://h.example/a.jpg"])
        #expect(images.map(\.description) == ["T"])
    }

    @Test(
        "an undeclared well-known prefix has its usual meaning, and white space around a namespace URI is ignored",
        arguments: [
            "xmlns:media='http://example.com/wrong' xmlns:content='http://purl.org/rss/modules/content/'",
            "xmlns:media=' http://search.yahoo.com/mrss/\n' xmlns:content=' http://purl.org/rss/1.0/modules/content/ '",
            "",
        ])
    func knownPrefixes(namespaces: String) throws {
        let item = "<media:content url='a.jpg'/><content:encoded>&lt;img src='b.jpg'></content:encoded>"
        let images = try decode("<rss \(namespaces)><channel><item>\(item)</item></channel></rss>").feed.images
        #expect(images.map(\.url.text) == ["https://h.example/a.jpg", "https://h.example/b.jpg"])
    }

    @Test("an enclosure of RSS 1.0 is an image", arguments: ["resource", "rdf:resource"])
    func enclosureModule(attribute: String) throws {
        let item =
            "<item rdf:about='i'><enc:enclosure \(attribute)='a' type='image/jpeg'/><enc:enclosure resource='b.mp3'/></item>"
        let text =
            """
            <rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'
            xmlns:enc='http://purl.oclc.org/net/rss_2.0/enc#'><channel/>\(item)</rdf:RDF>
            """
        #expect(try decode(text).feed.images.map(\.url.text) == ["https://h.example/a"])
    }

    @Test(
        "an enclosure of RSS 1.0 may have attributes with its module's prefix; those without come first",
        arguments: [
            ("enc:url='a' enc:type='image/jpeg'", ["a"]), ("rdf:resource='a' enc:type='image/jpeg'", ["a"]),
            ("enc:resource='a' enc:type='image/jpeg'", ["a"]), ("url='a' enc:url='b' type='image/png'", ["a"]),
            ("enc:url='b.png' rdf:resource='a'", ["b.png"]), ("enc:url='a.png' enc:type='audio/mpeg'", []),
            ("enc:url='a' type='image/png' enc:type='audio/mpeg'", ["a"]),
        ])
    func enclosureAttributes(attributes: String, expected: [String]) throws {
        let text =
            """
            <rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'
            xmlns:enc='http://purl.oclc.org/net/rss_2.0/enc#'><channel/>
            <item rdf:about='i'><enc:enclosure \(attributes)/></item></rdf:RDF>
            """
        #expect(try decode(text).feed.images.map(\.url.text) == expected.map { "https://h.example/\($0)" })
    }

    private static let ownItem = """
        <item xmlns='http://custom.example/' xmlns:o='http://o.example/'><guid>g</guid><title>T</title>
        <o:title>no</o:title><enclosure url='1.jpg'/><o:enclosure url='no.jpg'/></item>
        """

    @Test(
        "an item's own namespace declaration applies only to that item",
        arguments: [
            "<rss><channel>\(ownItem)ITEM</channel></rss>", "<rss><channel/>\(ownItem)ITEM</rss>",
            "<rss xmlns='http://other.example/'><channel>\(ownItem)ITEM</channel></rss>",
            "<rss xmlns='http://purl.org/rss/1.0/'><channel>\(ownItem)ITEM</channel></rss>",
        ])
    func ownNamespace(text: String) throws {
        let next =
            "<item><guid>h</guid><x:guid xmlns:x='http://custom.example/'>no</x:guid><enclosure url='2.jpg'/></item>"
        let images = try decode(text.replacing("ITEM", with: next)).feed.images
        #expect(images.map(\.id) == ["g", "h"])
        #expect(images.map(\.description) == ["T", nil])
        #expect(images.map(\.url.text) == ["https://h.example/1.jpg", "https://h.example/2.jpg"])
    }

    @Test(
        "an item element of another vocabulary is ignored",
        arguments: [
            "<item xmlns='http://www.w3.org/2005/Atom'>", "<item xmlns='http://search.yahoo.com/mrss/'>",
            "<item xmlns='http://www.w3.org/1999/xhtml'>", "<x:item xmlns:x='http://custom.example/'>",
        ])
    func otherItem(start: String) throws {
        let end = start.hasPrefix("<x:") ? "</x:item>" : "</item>"
        #expect(try decode("<rss><channel>\(start)<enclosure url='1.jpg'/>\(end)</channel></rss>").feed.images == [])
    }

    @Test("RSS names in capitals are recognised")
    func capitals() throws {
        let text =
            """
            <RSS version="0.91"><CHANNEL><TITLE>F</TITLE><Link>https://s.example/</Link><ITEM><GUID>g</GUID>
            <Title>T</Title><DESCRIPTION>&lt;img src='2.jpg'></DESCRIPTION><Enclosure url='1.jpg'/></ITEM></CHANNEL></RSS>
            """
        for text in [text, text.replacing("<RSS ", with: "<RSS xmlns='http://custom.example/' ")] {
            let feed = try decode(text).feed
            #expect(feed.title == "F")
            #expect(feed.images.map(\.id) == ["g", "g#2"])
            #expect(feed.images.map(\.description) == ["T", "T"])
            #expect(feed.images.map(\.url.text) == ["https://s.example/1.jpg", "https://s.example/2.jpg"])
        }
    }

    @Test("a Dublin Core title replaces a missing or empty title")
    func dublinCore() throws {
        for (title, expected) in [("", "D"), ("<title> </title>", "D"), ("<title>T</title>", "T")] {
            for own in ["<dc:title>D</dc:title>\(title)", "\(title)<dc:title>&lt;i>D&lt;/i></dc:title>"] {
                for namespace in ["", "xmlns:dc='http://purl.org/dc/elements/1.1/'"] {
                    let item = "<item>\(own)<enclosure url='1.jpg'/></item>"
                    let feed = try decode("<rss \(namespace)><channel>\(own)\(item)</channel></rss>").feed
                    #expect(feed.title == expected)
                    #expect(feed.images.map(\.description) == [expected])
                }
            }
        }
    }

    @Test("an empty channel link is ignored")
    func emptyLink() throws {
        let text =
            "<rss><channel><link> </link><link>https://s.example/</link><item><enclosure url='1.jpg'/></item></channel></rss>"
        #expect(try decode(text).feed.images.map(\.url.text) == ["https://s.example/1.jpg"])
    }

    @Test("character names are decoded in attributes, and escaped ones stay escaped")
    func namesInAttributes() throws {
        let image = "<img src='a.jpg' alt='Caf&eacute; &amp;eacute; &amp;&lt;&amp;'/>"
        let text = "<feed><entry><content type='xhtml'><div>\(image)</div></content></entry></feed>"
        #expect(try decode(text).feed.images.map(\.description) == ["Café &eacute; &<&"])
        let enclosure = "<enclosure url='a&amp;b&eacute;.png'/>"
        let rss = "<rss><channel><item>\(enclosure)</item></channel></rss>"
        #expect(try decode(rss).feed.images.map(\.url.text) == ["https://h.example/a&bé.png"])
    }
}
