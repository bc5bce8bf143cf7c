import FeedCore
import FeedFormats
import TestDoubles
import TestSupport
import Testing

/// HTML in feeds that would take excessive time.
@Suite struct HostileHTMLTests {
    private static let slowPieces: [String] = [
        HostileFeed.times(500_000, "<b>") + HostileFeed.times(500_000, "</i>"), HostileFeed.times(300_000, "<p><b>"),
        HostileFeed.times(1_000_000, "<"),
        HostileFeed.times(500_000, "<!--"), HostileFeed.times(500_000, "<script>"),
        "<img \(HostileFeed.numbered(100_000) { "a\($0)=1 " }) src=b.png>",
        "<img \(HostileFeed.numbered(100_000) { "a\($0)='>'/" }) src=b.png>",
        "<a \(HostileFeed.numbered(100_000) { "b\($0)\n" })",
        "<a \(HostileFeed.numbered(100_000) { "b\($0)&#1;" })>", HostileFeed.times(500_000, "&#xD83D;"),
        "<p title='\(HostileFeed.times(500_000, "&#"))&#\(HostileFeed.times(1_000_000, "9"))'>",
        "<p title=\"\(HostileFeed.times(500_000, "&amp"))\">", HostileFeed.numbered(300_000) { "<x\($0)></x\($0)>" },
    ]

    @Test("reading HTML stops at a malicious tag and keeps the images before it", arguments: slowPieces.indices)
    func slowHTML(index: Int) throws {
        let html = Self.slowPieces[index]
        let text = HostileFeed.rss("<description><![CDATA[<img src=a.png>\(html)]]></description>")
        #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
    }

    private static let slowRenditions: [String] = [
        "<img src=a.png srcset='\(HostileFeed.numbered(300_000) { "p\($0).jpg \($0 + 1)w, " })'>",
        "<img src=a.png srcset='\(HostileFeed.numbered(300_000) { "p\($0).jpg, " })'>",
        "<img src=a.png srcset='\(HostileFeed.times(5_000_000, ","))'>",
        "<img src=a.png srcset='b.png \(HostileFeed.times(5_000_000, "("))'>",
        HostileFeed.times(200, "<picture>") + "<img src=a.png>"
            + HostileFeed.numbered(40_000) { "<picture><source srcset='s\($0).jpg \($0 + 1)w'></picture>" },
        "<picture>" + HostileFeed.numbered(200) { "<source srcset='s\($0).jpg \($0 + 1)w'>" } + "<img src=a.png>",
        HostileFeed.numbered(200_000) { "<a href='l\($0).jpg'>" } + "<img src=a.png>",
        HostileFeed.numbered(40_000) { "<img src='https://i.example/image-\($0 + 10)x\($0 + 10).jpg'>" },
        "<img src='https://i.example/a\(HostileFeed.times(2000, "@2x")).png'>",
        "<img src='https://i.example/\(HostileFeed.times(1300, "s640/"))a.png'>",
        "<img data-src=a.png src=b.png><noscript>\(HostileFeed.numbered(200_000) { "<img src=m\($0).png>" })",
    ]

    @Test("an image with endless renditions keeps a few of them", arguments: slowRenditions.indices)
    func renditions(index: Int) throws {
        let text = HostileFeed.rss("<description><![CDATA[\(Self.slowRenditions[index])]]></description>")
        let images = try HostileFeed.decode(Array(text.utf8)).feed.images
        #expect(images.count == 1)
        #expect(images.allSatisfy { $0.alternatives.count <= FeedImage.mostAlternatives })
    }

    /// The markup of many images that share a long link or long sources.
    private static let sharedReferences: [String] = [
        "<a href='\(HostileFeed.times(400_000, "a")).jpg'>",
        "<a href='http://h/\(HostileFeed.times(2000, "%61")).jpg'>",
        "<a href='\(HostileFeed.times(400_000, "a"))=s0'>", "<a href='data:\(HostileFeed.times(400_000, "a")).jpg'>",
        "<picture><source srcset='\(HostileFeed.times(400_000, "a")).jpg'>",
        "<picture><source srcset='\(HostileFeed.numbered(9) { "\(HostileFeed.times(8000, "a"))\($0) \($0 + 1)w, " })'>",
    ]

    @Test("a link or source that many images share is examined once", arguments: sharedReferences.indices)
    func sharedReference(index: Int) {
        let html = Self.sharedReferences[index] + HostileFeed.times(30_000, "<img src='a=s1'>")
        let text = HostileFeed.rss("<description><![CDATA[\(html)]]></description>")
        do throws(FeedError) {
            let images = try HostileFeed.decode(Array(text.utf8)).feed.images
            #expect(images.map(\.url.text) == ["https://feeds.example/a=s1"])
        } catch {
            #expect(error.message.hasSuffix("far more text than the feed itself"), "\(error.message)")
        }
    }

    @Test("a figure of many images and captions is processed once")
    func captions() throws {
        let elements = HostileFeed.numbered(30_000) { "<img src=\($0)><figcaption></figcaption>" }
        let html = "<figure>\(elements)<figcaption>F</figcaption></figure>"
        let images = try HostileFeed.decode(
            Array(HostileFeed.rss("<description><![CDATA[\(html)]]></description>").utf8)
        ).feed.images
        #expect(images.count == 30_000)
        #expect(images.allSatisfy { $0.description == "F" })
    }

    /// libxml2 reports the beginning but not the end of the last element before a stop.
    @Test(
        "an HTML text that is abandoned inside a figure keeps the images before that point",
        .timeLimit(.minutes(10)), arguments: ["textarea", "iframe", "title", "template", "xmp", "div"])
    func leftInFigure(tag: String) throws {
        for depth in 250...260 {
            let divs = HostileFeed.times(depth, "<div>")
            let html = "<img src=a.png><figure><img src=b.png>\(divs)<\(tag)><img src=c.png>"
            let text = HostileFeed.rss("<description><![CDATA[\(html)]]></description>")
            let images = try HostileFeed.decode(Array(text.utf8)).feed.images
            #expect(images.count >= 2)
        }
    }

    @Test("an HTML text with very many names does not affect the next text")
    func namesInPieces() throws {
        let names = HostileFeed.numbered(20_000) { "<x\($0)></x\($0)>" }
        let items = HostileFeed.numbered(5) {
            "<item><description><![CDATA[<img src=\($0)>\(names)]]></description></item>"
        }
        #expect(try HostileFeed.decode(Array("<rss><channel>\(items)</channel></rss>".utf8)).feed.images.count == 5)
    }

    @Test("many HTML texts with few names each are read completely")
    func namesOfPieces() throws {
        let items = HostileFeed.numbered(25_000) { "{\"content_html\":\"<p w\($0)><img src=\($0)>\"}," }
        let text = "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[\(items){}]}"
        let decoded = try HostileFeed.decode(Array(text.utf8))
        #expect(decoded.feed.images.count == 25_000)
        #expect(decoded.notes == ["item 25001 has no image"])
    }

    private static let largePieces: [String] = [
        "<script>\(HostileFeed.times(10_000, "if (a <b && c) d e f g h = '1' "))</script>",
        "<img alt='\(HostileFeed.times(10_000, "a = b "))' src='data:image/png;base64,AAAA'>",
    ]

    @Test("a large script and a large data: image in HTML are accepted", arguments: largePieces.indices)
    func largeHTML(index: Int) throws {
        let html = Self.largePieces[index]
        let text = HostileFeed.rss("<description><![CDATA[\(html)<img src=a.png>]]></description>")
        #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.map(\.url.text) == ["https://feeds.example/a.png"])
    }

    @Test("thousands of quotes in a long post do not count as attributes")
    func quotes() throws {
        let post = String(repeating: "<a href=\"x\" class='y'>\"z\"</a> ", count: 20_000)
        for markup in ["<![CDATA[<img src=a.png>\(post)]]>", "<img src='a.png'/>\(post)<!-- \(post) -->"] {
            let text = HostileFeed.rss("<description>\(markup)</description>")
            #expect(try HostileFeed.decode(Array(text.utf8)).feed.images.count == 1)
        }
    }
}
