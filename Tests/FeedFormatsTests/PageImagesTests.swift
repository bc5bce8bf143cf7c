import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import FeedFormats

/// The images of the pages that items link to.
@Suite struct PageImagesTests {
    private static let url = ResourceURL.known("https://b.example/posts/7")

    private func read(
        _ html: String, _ selection: ImageSelection = ImageSelection(), type: String? = nil
    ) throws -> [PageImage] { try read(Array(html.utf8), selection, type: type) }

    private func read(
        _ bytes: [UInt8], _ selection: ImageSelection = ImageSelection(), type: String? = nil
    ) throws -> [PageImage] {
        try FeedDecoder().readPage(FeedSource(bytes: bytes, url: Self.url, contentType: type), taking: selection)
    }

    private static let graph = #"<meta property="og:image" content="https://c.example/og.jpg">"#
    private static let secure = #"<meta property="og:image:secure_url" content="https://c.example/s.jpg">"#
    private static let card = #"<meta name="twitter:image" content="https://c.example/tw.jpg">"#
    private static let source = #"<link rel="image_src" href="https://c.example/src.jpg">"#
    private static let comic = #"<div id="comic"><img src="https://c.example/comic.png" alt="First"></div>"#

    @Test(
        "a page gives the first image of og:image, twitter:image and image_src, in any order of its tags",
        arguments: [
            (graph + card + source, ["og"]), (source + card + graph, ["og"]), (source + card, ["tw"]),
            (source, ["src"]), (secure + graph, ["s", "og"]), (graph + secure + card, ["s", "og"]), ("<p>words", []),
            (graph + #"<meta property="og:image" content="https://c.example/second.jpg">"#, ["og"]),
            (#"<meta property="og:image" content=""><meta name="og:image" content=" ">"# + card, ["tw"]),
            (#"<meta property="og:image" content="data:image/png;base64,AA">"# + card, ["tw"]),
            (#"<meta property="og:image" content="https://h:99999/">"# + source, ["src"]),
            (#"<META CONTENT="https://c.example/up.jpg" PROPERTY="OG:Image">"#, ["up"]),
            (#"<meta property="og:image:url" content="https://c.example/url.jpg">"#, ["url"]),
            (#"<meta name="twitter:image:src" content="https://c.example/old.jpg">"#, ["old"]),
            (#"<link rel="icon image_src" href="https://c.example/src.jpg">"#, ["src"]),
            (#"<link rel="icon" href="https://c.example/icon.jpg"><img src="https://c.example/a.jpg">"#, []),
        ] as [(String, [String])])
    func named(html: String, names: [String]) throws {
        let images = try read("<!DOCTYPE html><html><head>\(html)</head><body></body></html>")
        #expect(images.count == min(names.count, 1))
        let urls = images.flatMap { [$0.url] + $0.alternatives }
        #expect(urls.map(\.text) == names.map { "https://c.example/\($0).jpg" })
    }

    @Test("the images of a comic precede those that the page names, with their words")
    func comics() throws {
        let images = try read("<head>\(Self.graph)</head><body><img src=/logo.png>\(Self.comic)<img src=/next.png>")
        #expect(images == [PageImage(url: .known("https://c.example/comic.png"), description: "First")])
    }

    @Test("all images of a comic are taken, with the best rendition of each and without decoration")
    func panels() throws {
        let html = """
            <div id="comic"><div><a href="/full/1.png"><img src="/1-300x200.png"></a></div><img src="/2.png" width="1">
            <img src="/3.png"><div id="comic"><img src="/4.png"></div></div></div><img src="/5.png">
            """
        let images = try read(html)
        #expect(images.map(\.url.text) == ["full/1.png", "3.png", "4.png"].map { "https://b.example/\($0)" })
        #expect(images[0].alternatives.map(\.text) == ["https://b.example/1-300x200.png"])
        #expect(try read(html, ImageSelection(all: true)).count == 4)
    }

    @Test("a comic without a usable image leaves the image that the page names")
    func emptyComic() throws {
        let html = #"<div id="comic"><img src="/1.png" width="1"></div>"# + Self.graph
        #expect(try read(html).map(\.url.text) == ["https://c.example/og.jpg"])
    }

    @Test("each row of the table recognises its example", arguments: ComicElement.table)
    func rows(row: ComicElement) throws {
        let html = "<html><body><img src='/logo.png'>\(row.example)<img src='/next.png'></body></html>"
        #expect(try read(html).map(\.url.text) == ["https://b.example/p.png"])
    }

    @Test(
        "an element that only resembles a comic is none",
        arguments: [
            "<body class=comic><img src=/1.png>", "<div id=comics><img src=/1.png></div>",
            "<div class='comic-image-links'><img src=/1.png></div>", "<div id=comic></div><img src=/1.png>",
            "<div data-id=comic><img src=/1.png></div>", "<!-- <div id=comic><img src=/1.png></div> -->",
        ])
    func others(html: String) throws {
        #expect(try read(html + Self.graph).map(\.url.text) == ["https://c.example/og.jpg"])
    }

    @Test("the first row of the table with an image counts, whatever the order on the page")
    func order() throws {
        let html = "<div class=comic><img src=/old.png></div><img id=cc-comic src=/now.png>"
        #expect(try read(html).map(\.url.text) == ["https://b.example/now.png"])
    }

    @Test(
        "relative URLs resolve against the page or its base element, and entities are decoded",
        arguments: [
            ("<meta property=og:image content=/a.png>", "https://b.example/a.png"),
            ("<meta property=og:image content=a.png>", "https://b.example/posts/a.png"),
            ("<meta property=og:image content='//d.example/a.png?b=1&amp;c=2'>", "https://d.example/a.png?b=1&c=2"),
            ("<base href='/x/'><meta property=og:image content=a.png>", "https://b.example/x/a.png"),
            ("<base href='/x/'><base href='/y/'><div id=comic><img src=a.png></div>", "https://b.example/x/a.png"),
            ("<base href='file:///etc/'><meta property=og:image content=a.png>", "https://b.example/posts/a.png"),
            ("<meta property=og:image content='https://me:pw@d.example/a.png'>", "https://d.example/a.png"),
        ])
    func relative(html: String, url: String) throws {
        let images = try read("<head>\(html)</head>")
        #expect(images.map(\.url.text) == [url])
        #expect(images.allSatisfy { $0.url.credentials == nil })
    }

    @Test("a page can't name a local file", arguments: ["file:///etc/passwd.png", "FILE:/a.png"])
    func files(reference: String) throws {
        #expect(try read("<meta property=og:image content='\(reference)'><div id=comic><img src='\(reference)'>") == [])
    }

    @Test("--include and --exclude apply to the images of a page")
    func selection() throws {
        #expect(try read(Self.graph, ImageSelection(excludes: ["og"])) == [])
        #expect(try read(Self.graph + Self.card, ImageSelection(includes: ["tw"])).map(\.url.text).count == 1)
    }

    @Test("the words that a page gives about its image describe the image")
    func words() throws {
        let html = Self.graph + "<meta property=og:image:alt content=' A  bridge &amp; fog '>"
        #expect(try read(html).map(\.description) == ["A bridge & fog"])
        #expect(try read(Self.card + "<meta name=twitter:image:alt content=Fog>").map(\.description) == ["Fog"])
        #expect(try read(Self.graph).map(\.description) == [nil])
    }

    @Test(
        "the encoding comes from the bytes, the server or the page",
        arguments: [
            (Array("é".utf8), nil, ""), ([0xE9], "text/html; charset=ISO-8859-1", ""), ([0xE9], nil, ""),
            ([0xE9], "text/html", "<meta charset=windows-1252>"),
            ([0x8E], nil, "<meta http-equiv=Content-Type content='text/html; charset=macintosh'>"),
            (Array("é".utf8), "text/html; charset=iso-8859-1", "<meta charset='iso-8859-1'>"),
        ] as [([UInt8], String?, String)])
    func encodings(letter: [UInt8], type: String?, meta: String) throws {
        let html = Array("<head>\(meta)\(Self.graph)<meta property=og:image:alt content='x".utf8) + letter
        #expect(try read(html + Array("'>".utf8), type: type).map(\.description) == ["xé"])
    }

    @Test("a page in UTF-16 is read", arguments: [false, true])
    func wide(isMarked: Bool) throws {
        var bytes: [UInt8] = isMarked ? [0xFF, 0xFE] : []
        for byte in "<html>\(Self.graph)</html>".utf8 { bytes += [byte, 0] }
        #expect(try read(bytes).count == 1)
    }

    @Test("a page gives at most 64 images of its comic")
    func many() throws {
        let images = HostileFeed.numbered(1000) { "<img src='/\($0 + 10_000)/page.png'>" }
        #expect(try read("<div id=comic>\(images)</div>").count == 64)
    }

    private static let hostile: [String] = [
        HostileFeed.numbered(100_000) { "<meta property=og:image content=/\($0).png>" },
        HostileFeed.times(100_000, "<meta property=og:image:alt content=x>") + graph,
        HostileFeed.times(100_000, "<div id=comic class='comic comic-image'>"),
        HostileFeed.times(100_000, "<div id=comic>x</div>"), HostileFeed.times(100_000, "<base href=/a/>"),
        "<div class='\(HostileFeed.times(1_000_000, "comic "))'><img src=/a.png>",
        "<div id=comic>\(HostileFeed.times(100_000, "<figure><figcaption>x<img src=/a.png>"))",
        "<meta property=og:image content='\(HostileFeed.times(5_000_000, "a"))'>",
        "<link rel='\(HostileFeed.times(1_000_000, "image_src "))' href=/a.png>",
        HostileFeed.times(1_000_000, "charset"), HostileFeed.times(2_000_000, "\u{E9}<"),
    ]

    @Test("a hostile page is read in a moment, and gives few images", arguments: hostile.indices)
    func hostilePages(index: Int) throws {
        #expect(try read(Self.hostile[index]).count <= 64)
    }
}

/// Items without an image that link to a page.
@Suite struct LinkingItemTests {
    private static let rss = """
        <rss><channel><link>/blog/</link>
        <item><guid isPermaLink='false'>a</guid><title>One</title><link>posts/1</link></item>
        <item><title>Two</title><link>https://me:pw@c.example/2</link></item>
        <item><guid>c</guid><link>posts/3</link><enclosure url='/3.png'/></item>
        <item><guid isPermaLink='false'>d</guid></item>
        <item><guid>https://b.example/5</guid><description>&lt;img src='/e.png' width=1></description></item>
        </channel></rss>
        """

    private func decode(_ text: String, follows: Bool) throws -> DecodedFeed {
        try FeedDecoder().decode(
            FeedSource(bytes: Array(text.utf8), url: .known("https://b.example/feed")),
            taking: ImageSelection(follows: follows))
    }

    @Test("an item without an image stands for the page that it links to, if links are followed")
    func items() throws {
        let feed = try decode(Self.rss, follows: true)
        #expect(feed.feed.images.map(\.id) == ["a", "https://c.example/2", "c", "https://b.example/5"])
        let urls = ["https://b.example/blog/posts/1", "https://c.example/2", "https://b.example/3.png"]
        #expect(feed.feed.images.map(\.url.text) == urls + ["https://b.example/5"])
        #expect(
            feed.feed.images.map(\.target)
                == [.page(ofItemWithID: true), .page(ofItemWithID: false), .image, .page(ofItemWithID: true)])
        #expect(feed.feed.images.prefix(2).map(\.description) == ["One", "Two"])
        #expect(feed.feed.images.allSatisfy { $0.url.credentials == nil })
        #expect(feed.itemStarts == [0, 1, 2, 3])
        #expect(feed.notes.contains { $0.contains("\"d\"") && $0.hasSuffix("has no image") })
    }

    @Test("an item without an image is left out as before, if links are not followed")
    func unfollowed() throws {
        #expect(try decode(Self.rss, follows: false).feed.images.map(\.id) == ["c"])
    }

    @Test("an excluded image counts as no image")
    func excluded() throws {
        let document = FeedSource(bytes: Array(Self.rss.utf8), url: .known("https://b.example/feed"))
        let selection = ImageSelection(excludes: ["3.png"], follows: true)
        #expect(try FeedDecoder().decode(document, taking: selection).feed.images.count == 4)
        #expect(try FeedDecoder().decode(document, taking: selection).feed.images.allSatisfy { $0.target != .image })
    }

    @Test("entries of Atom and items of JSON Feed link to pages too, and a local feed to pages on the web")
    func otherFormats() throws {
        let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>e</id><link href='/1'/></entry></feed>"
        #expect(try decode(atom, follows: true).feed.images.map(\.url.text) == ["https://b.example/1"])
        let json = #"{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","url":"/1","content_text":"x"}]}"#
        #expect(try decode(json, follows: true).feed.images.map(\.url.text) == ["https://b.example/1"])
        let items = "<item><link>https://b.example/1</link></item><item><link>beside.html</link></item>"
        let local = FeedSource(bytes: Array("<rss><channel>\(items)</channel></rss>".utf8), url: .known("file:///f/x"))
        let decoded = try FeedDecoder().decode(local, taking: ImageSelection(follows: true))
        #expect(decoded.feed.images.map(\.url.text) == ["https://b.example/1"])
    }
}
