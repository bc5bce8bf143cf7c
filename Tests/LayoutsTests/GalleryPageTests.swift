import FeedCore
import Layouts
import TestDoubles
import TestSupport
import Testing

@Suite("A page of the gallery")
struct GalleryPageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func page(of urls: String...) async throws -> String { try await page(of: urls) }

    private func page(of urls: [String]) async throws -> String {
        try await write([try feed(urls)])
        return try page("index.html")
    }

    private func feed(_ urls: [String], url: ResourceURL = .first, savedAt: Int64 = 0) throws -> GalleryFeed {
        let images = try urls.map { url in
            GalleryImage(image: FeedImage(id: url, url: try Samples.url(url)), data: .missing(reason: nil))
        }
        return GalleryFeed(
            FeedHead(url: url, title: nil, format: .essential, savedAt: Timestamp(microseconds: savedAt)),
            images: images, maxAge: .forever, isFresh: true)
    }

    private func write(_ feeds: [GalleryFeed]) async throws {
        _ = try await StaticGallery().write(
            feeds, images: NoImages(), to: OutputTarget(path: directory.path("site"), cache: directory.path("cache")),
            GalleryOptions())
    }

    /// The name of the second page of the feed or of the list of feeds.
    private var second: String {
        let names = TemporaryDirectory.names(in: directory.path("site"))
        return names.first { $0 != "newest.2.html" && $0.hasSuffix(".2.html") } ?? ""
    }

    private func page(_ name: String) throws -> String {
        String(decoding: try directory.read("site/\(name)"), as: UTF8.self)
    }

    /// Returns the edition of the first two pages.
    private func edition(_ feeds: [GalleryFeed]) async throws -> String {
        try await write(feeds)
        let editions = try ["index.html", second].map { name in
            let page = try page(name)
            let start = try #require(page.firstRange(of: " data-edition=")).upperBound
            return page[start...].prefix { $0 != " " && $0 != ">" }
        }
        #expect(editions[0] == editions[1])
        return String(editions[0])
    }

    @Test("The policy of a page forbids requests to other servers and everything that a feed brings")
    func policy() async throws {
        #expect(try await page().contains("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "))
    }

    @Test("A page lets no browser prefetch the next page, which the policy would forbid")
    func nextPage() async throws {
        let page = try await page(of: (0...200).map { "https://a.example/\($0).png" })
        #expect(page.contains("<a class=button rel=next href=\"\(second)\">"))
        let head = page.prefix(upTo: try #require(page.firstRange(of: "</head>")).lowerBound)
        #expect(!head.contains("rel=next"))
    }

    @Test("The edition of a feed's pages depends on its images and not on the time")
    func editions() async throws {
        let urls = (0...201).map { "https://a.example/\($0).png" }
        let first = try await edition([try feed(urls)])
        #expect(try await edition([try feed(urls, savedAt: 9_000_000)]) == first)
        #expect(try await edition([try feed(urls.reversed())]) != first)
        #expect(try await edition([try feed(urls.dropLast())]) != first)
    }

    @Test("The data of a page and the list of feeds begin with the key that a page must know")
    func key() async throws {
        let urls = (0...201).map { "https://a.example/\($0).png" }
        try await write([try feed(urls), try feed([], url: .second)])
        let index = try page("index.html")
        let key = index[try #require(index.firstRange(of: "data-key=")).upperBound...].prefix(32)
        let names = TemporaryDirectory.names(in: directory.path("site/data"))
        #expect(names.count == 5 && names.contains("feeds.js"))
        for name in names {
            let start = "document.documentElement.dataset.key===\"\(key)\"&&receive('"
            #expect(try page("data/\(name)").hasPrefix(start), "\(name)")
        }
    }

    @Test("The data of a page stays one string of a script, whatever an item says")
    func strings() async throws {
        let text = #"'\"</script>'); hurt() //"#
        let image = FeedImage(id: "4", description: text, url: .image(4))
        try await write([feed(of: [image])])
        let name = TemporaryDirectory.names(in: directory.path("site/data"))[0]
        let data = try page("data/\(name)")
        #expect(data.contains(#""description":"\'\\\\\\"</script>\'); hurt() //""#))
        #expect(data.hasSuffix("]}')\n"))
    }

    @Test("A page has 200 images and links to the pages beside it", arguments: [(200, 1), (201, 2), (1000, 5)])
    func pages(count: Int, pages: Int) async throws {
        let first = try await page(of: (0..<count).map { "https://images.example/2026/\($0).png" })
        // The first page has two names.
        #expect(
            TemporaryDirectory.names(in: directory.path("site")).filter { $0.hasSuffix(".html") }.count == pages + 1)
        #expect(first.split(separator: "<figure").count - 1 == 200)
        #expect(first.contains("rel=next") == (pages > 1))
        #expect(try weight() < 100_000)
        if pages > 1 {
            let last = try page(second.replacing(".2.", with: ".\(pages)."))
            #expect(last.contains("rel=prev"))
            #expect(!last.contains("rel=next"))
            #expect(last.split(separator: "<figure").count - 1 == count - (pages - 1) * 200)
        }
    }

    @Test("A page has fewer images if it would be too heavy") func heavy() async throws {
        let text = String(repeating: "word ", count: 400)
        let images = try (0..<60).map { number in
            let url = try Samples.url("https://a.example/\(number)")
            return GalleryImage(
                image: FeedImage(id: "\(number)", description: text, url: url), data: .missing(reason: nil))
        }
        try await write([
            GalleryFeed(
                FeedHead(url: .first, title: nil, format: .essential, savedAt: Timestamp(microseconds: 0)),
                images: images, maxAge: .forever, isFresh: true)
        ])
        #expect(try weight() < 180_000)
        #expect(second != "")
    }

    /// Returns the number of bytes that a browser loads before it shows the first page.
    private func weight() throws -> Int {
        let files = ["index.html", "style.css", "script.js", "icon.svg"]
        return try files.map { try directory.read("site/\($0)").count }.reduce(0, +)
    }

    private func feed(of images: [FeedImage], language: String? = nil) -> GalleryFeed {
        GalleryFeed(
            FeedHead(
                url: .first, title: nil, language: language, format: .essential, savedAt: Timestamp(microseconds: 0)),
            images: images.map { GalleryImage(image: $0, data: .missing(reason: nil)) }, maxAge: .forever,
            isFresh: true)
    }

    private func caption(of image: FeedImage) async throws -> String {
        try await write([feed(of: [image])])
        let page = try page("index.html")
        let start = try #require(page.firstRange(of: "<figcaption>")).upperBound
        return String(page[start...].prefix(upTo: try #require(page[start...].firstRange(of: "</fig")).lowerBound))
    }

    @Test("A caption has the image's description or title, its date and location, and its links")
    func captions() async throws {
        let links = """
            <div class=links><a href="https://blog.example/2">Page</a>\
            <a href="https://images.example/4.png">Original</a></div>
            """
        let full = FeedImage.full(4)
        let date = "<time datetime=2026-11-18>2026-11-18</time>"
        #expect(
            try await caption(of: full) == "<p dir=auto>Number 4</p><small>\(date) · <span dir=auto>Here</span></small>"
                + links)
        let titled = FeedImage(id: "4", url: full.url, title: "Post <2>", link: full.link)
        #expect(try await caption(of: titled) == "<p dir=auto>Post &lt;2&gt;</p>" + links)
        let dated = FeedImage(
            id: "4", description: "Post 2", url: full.url, title: "Post 2", link: full.link, published: full.published)
        #expect(try await caption(of: dated) == "<p dir=auto>Post 2</p><small>\(date)</small>" + links)
    }

    @Test(
        "A page has the language of its feed and its direction",
        arguments: [
            ("ar", "lang=ar dir=rtl "), ("pt-BR", "lang=pt-BR "), ("az-Arab", "lang=az-Arab dir=rtl "),
            ("ur-Latn", "lang=ur-Latn "), (nil, "lang=en "), (" fr ", "lang=fr "), ("x onload=hurt()", "lang=en "),
        ] as [(String?, String)])
    func languages(language: String?, expected: String) async throws {
        try await write([feed(of: [], language: language)])
        #expect(try page("index.html").contains("<html \(expected)data-key="))
    }

    @Test("A page asks search engines to leave it out") func noIndex() async throws {
        #expect(try await page().contains("<meta name=robots content=noindex>"))
    }

    @Test("A caption has no link to a post outside the web") func localPost() async throws {
        let image = FeedImage(id: "4", url: .image(4), title: nil, link: .known("file:///home/me/post.html"))
        #expect(
            try await caption(of: image)
                == #"<div class=links><a href="https://images.example/4.png">Original</a></div>"#)
    }

    @Test("A page shows the URLs of images on the web, and no path of this machine")
    func localImages() async throws {
        let page = try await page(of: "https://a.example/1.png", "file:///home/me/secret/2.png")
        #expect(page.contains("https://a.example/1.png"))
        #expect(!page.contains("secret"))
        #expect(!page.contains("file:"))
    }
}

private struct NoImages: ImageFiles {
    func open(_ image: StoredImage) throws(FeedError) -> any OpenImage {
        throw .storage(.failed, "\(image.path): there is none")
    }
}
