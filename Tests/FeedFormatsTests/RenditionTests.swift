import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// The order of an image's renditions.
@Suite struct RenditionTests {
    /// Returns the URLs of each image, best first, without the host.
    static func addresses(_ html: String) throws -> [String] {
        let text = "<rss><channel><item><description><![CDATA[\(html)]]></description></item></channel></rss>"
        let images = try FeedDecoder().decode(Array(text.utf8), from: .known("https://b.example/")).images
        return images.map { image in
            ([image.url] + image.alternatives).map { $0.text.replacing("https://b.example", with: "") }
                .joined(separator: " ")
        }
    }

    @Test(
        "an image's best rendition comes first, and the others follow",
        arguments: [
            ("<a href=/f.jpg><img src=/s.jpg></a>", ["/f.jpg /s.jpg"]),
            ("<a href=/f=s4032><img src=/f=w480-h640></a>", ["/f=s4032 /f=w480-h640"]),
            ("<a href=/page><img src=/s.jpg></a>", ["/s.jpg"]),
            ("<a href=/wiki/File:F.jpg><img src=/s.jpg></a>", ["/s.jpg"]),
            ("<a href=/wiki/%46ile%3AF.jpg><img src=/s.jpg></a>", ["/s.jpg"]),
            ("<a href=/f.jpg?x=1>words</a><img src=/s.jpg>", ["/s.jpg"]),
            ("<img src=/s.jpg data-orig-file=/o.jpg data-large-file=/l.jpg>", ["/o.jpg /l.jpg /s.jpg"]),
            ("<img src=/s.jpg srcset='/a.jpg 300w, /b.jpg 900w'>", ["/b.jpg /a.jpg /s.jpg"]),
            ("<img src=/s.jpg srcset='/a.jpg, /b.jpg 2x, /c.jpg 1.5x'>", ["/b.jpg /c.jpg /a.jpg /s.jpg"]),
            ("<img src=/s.jpg srcset='/a.jpg 2x, /b.jpg 300w'>", ["/b.jpg /a.jpg /s.jpg"]),
            ("<img src=/x,y.jpg srcset='/x,y.jpg 1x,/z,w.jpg 2x,'>", ["/z,w.jpg /x,y.jpg"]),
            ("<img src=/p.gif data-src=/l.jpg>", ["/l.jpg"]),
            ("<img src=/p.gif data-lazy-src=/l.jpg data-lazy-srcset='/a.jpg 9w'>", ["/a.jpg /l.jpg"]),
            ("<img src=/p.gif data-original=/l.jpg>", ["/l.jpg"]),
            ("<img src=/p.gif data-srcset='/a.jpg 9w'>", ["/a.jpg"]),
            ("<img data-src=/l.jpg>", ["/l.jpg"]),
            ("<img src=data:image/gif;base64,R0lG data-src=/l.jpg>", ["/l.jpg"]),
            ("<img src=/p.gif data-src=/l.jpg><noscript><img src=/n.jpg></noscript>", ["/l.jpg /n.jpg"]),
            ("<img src=/s.jpg><noscript><img src=/n.jpg></noscript>", ["/s.jpg", "/n.jpg"]),
            (
                "<img src=/p.gif data-src=/l.jpg><p>words<noscript><img src=/n.jpg></noscript>", ["/l.jpg", "/n.jpg"]
            ),
            (
                "<picture><source srcset='/w.webp 900w'><img src=/s.jpg></picture><img src=/t.jpg>",
                ["/w.webp /s.jpg", "/t.jpg"]
            ),
            (
                "<picture><source srcset='/w.webp 9w'><img src=/s.jpg srcset='/j.jpg 9w'></picture>",
                ["/j.jpg /w.webp /s.jpg"]
            ),
            ("<img src=/s.jpg srcset='  '>", ["/s.jpg"]),
            ("<img src='http://[' srcset='/a.jpg 2x'>", ["/a.jpg"]),
        ])
    func best(html: String, expected: [String]) throws {
        #expect(try Self.addresses(html) == expected)
    }

    @Test("an image keeps eight alternatives")
    func most() throws {
        let set = (1...5000).map { "/\($0).jpg \($0)w" }.joined(separator: ", ")
        let expected = (4992...5000).reversed().map { "/\($0).jpg" }.joined(separator: " ")
        #expect(try Self.addresses("<img src=/s.jpg srcset='\(set)'>") == [expected])
    }

    @Test("a Media RSS group is ordered by size, then bytes, then default, then position")
    func groups() throws {
        func order(_ contents: [String]) throws -> String {
            let group = contents.enumerated().map { #"<media:content url="/\#($0).jpg" \#($1)/>"# }.joined()
            let text = """
                <rss xmlns:media="http://search.yahoo.com/mrss/"><channel><item><media:group>\(group)</media:group></item>
                </channel></rss>
                """
            let image = try FeedDecoder().decode(Array(text.utf8), from: .known("https://b.example/")).images[0]
            return ([image.url] + image.alternatives).map { String($0.text.dropFirst(18).prefix(1)) }.joined()
        }
        #expect(try order([#"width="10" height="10""#, #"width="20" height="20""#]) == "10")
        #expect(try order([#"fileSize="10""#, #"fileSize="30""#, #"fileSize="20""#]) == "120")
        #expect(try order(["", #"isDefault="true""#, ""]) == "102")
        #expect(try order(["", ""]) == "01")
    }
}
