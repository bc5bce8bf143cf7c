import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// Relative references in XML and their base.
@Suite struct XMLBaseTests {
    private func urls(_ entry: String, in feed: String = "https://h.example/feed") throws -> [String] {
        let text = "<feed xmlns='http://www.w3.org/2005/Atom'><entry>\(entry)</entry></feed>"
        return try FeedDecoder().decode(Array(text.utf8), from: .known(feed)).images.map(\.url.text)
    }

    @Test(
        "an xml:base with spaces is cleaned like any link",
        arguments: [" my pics/ ", "my pics/", "my%20pics/\n"])
    func spaces(base: String) throws {
        #expect(
            try urls("<link rel='enclosure' href='a.png' xml:base='\(base)'/>") == ["https://h.example/my%20pics/a.png"]
        )
    }

    @Test(
        "an XHTML element may have an xml:base",
        arguments: [
            ("<div xml:base='x/'><img src='a'/></div>", ["x/a"]),
            (
                "<div xml:base='x/'><p xml:base='y/'><img src='a'/></p><img src='b'/></div><img src='c'/>",
                ["x/y/a", "x/b", "c"]
            ),
            ("<div><img xml:base='x/' src=' a b&amp;c'/><img src='d'/></div>", ["x/a%20b&c", "d"]),
            ("<div xml:base='x/'><img src='/abs'/><img src='//o.example/b'/></div>", ["abs", "//o.example/b"]),
            ("<div xml:base='ftp://h/'><img src='a'/></div>", ["a"]),
            ("<div xml:base='x/'><img src='data:image/png;base64,AA'/></div>", []),
            ("<div xml:base='x/'><img src=''/><p src='a'/></div>", []),
        ] as [(String, [String])])
    func inXHTML(content: String, expected: [String]) throws {
        let expected = expected.map { $0.hasPrefix("//") ? "https:\($0)" : "https://h.example/\($0)" }
        for tag in ["content", "summary"] { #expect(try urls("<\(tag) type='xhtml'>\(content)</\(tag)>") == expected) }
    }

    @Test("an xml:base in XHTML resolves against the base of the element around it")
    func chain() throws {
        let content = "<content type='xhtml' xml:base='/one/'><div xml:base='two/'><img src='a'/></div></content>"
        #expect(try urls(content) == ["https://h.example/one/two/a"])
    }

    @Test("an xml:base gives a feed no access to local files")
    func localFiles() throws {
        let content = "<content type='xhtml'><div xml:base='file:///etc/'><img src='a'/></div></content>"
        #expect(try urls(content) == ["https://h.example/a"])
        #expect(try urls(content, in: "file:///feeds/feed.xml") == [])
    }

    @Test(
        "a link's relation may be written as a URI or in capitals",
        arguments: [
            "enclosure", "Enclosure", "http://www.iana.org/assignments/relation/enclosure",
            "HTTP://www.iana.org/assignments/relation/ENCLOSURE",
        ])
    func relations(relation: String) throws {
        #expect(try urls("<link rel='\(relation)' href='a.png'/>") == ["https://h.example/a.png"])
        let next = relation.replacing("enclosure", with: "next").replacing("Enclosure", with: "Next")
            .replacing("ENCLOSURE", with: "NEXT")
        for feed in ["<feed>LINK</feed>", "<rss><channel>LINK</channel></rss>"] {
            let text = feed.replacing("LINK", with: "<atom:link rel='\(next)' href='2'/>")
            let document = FeedSource(bytes: Array(text.utf8), url: .known("https://h.example/1"))
            #expect(try FeedDecoder().decode(document).nextPage?.text == "https://h.example/2")
        }
    }

    @Test(
        "a relation that only resembles a known one is ignored",
        arguments: ["x-enclosure", "http://h/enclosure", "enclosures"])
    func otherRelations(relation: String) throws {
        #expect(try urls("<link rel='\(relation)' href='a.png'/>") == [])
    }
}
