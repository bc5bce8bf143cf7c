import JSONText
import TestSupport
import Testing

/// A gallery as a feed, which combines several feeds.
@Suite("The gallery as a feed", .timeLimit(.minutes(10)))
struct SubscriptionTests {
    let program: Program
    let site: String

    init() throws {
        program = try Program()
        site = program.directory.path("site")
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try Files.bytes("\(site)/\(name)"), as: UTF8.self)
    }

    private func feed() throws -> JSONValue { try JSONValue.parse(Files.bytes("\(site)/feed.json")) }

    /// Returns the text of each item below its image.
    private func words(_ items: [JSONValue]) -> [String] {
        items.map { item in
            let html = item["content_html"]?.string ?? ""
            return (html.split(separator: "<p>").last ?? "").replacing("</p>", with: "").description
        }
    }

    /// Serves a feed of these images, each with its number in all its texts.
    private func serve(_ numbers: some Collection<Int>, on server: FeedServer) {
        let items = numbers.map { number in
            #"{"id":"\#(FeedServer.id(number))","description":"Image \#(number)","image":"\#(server.imageURL(number))"}"#
        }
        server.serve(feed: FeedServer.feed(items: items))
        for number in numbers { server.serve(.png(number), at: number) }
    }

    @Test("Another feedsync mirrors a gallery's feed to the same images", arguments: ["feed.json", "atom.xml"])
    func mirrored(_ name: String) async throws {
        let server = try FeedServer(images: 3)
        server.serve(Reply(404), at: 2)
        try await program.run(server.feedURL)
        try await program.sayMore()
        try await program.sql("UPDATE items SET description = 'View ' || position")
        try await program.run("gallery", site)
        let nginx = try await Nginx(serving: site)
        let other = try Program()
        expectQuiet(try await other.run(nginx.url("/\(name)")))
        #expect(
            Files.names(in: other.imageDirectory).filter { !$0.hasPrefix(".") }
                == Files.names(in: program.imageDirectory).filter { !$0.hasPrefix(".") })
        let shown = try await other.run("show", "--json", nginx.url("/\(name)")).json
        let images = shown["images"]?.array ?? []
        #expect(images.count == 2)
        #expect(images.allSatisfy { $0["title"] == "A day out" && $0["published"] != nil })
        #expect(Set(images.compactMap { $0["description"]?.string }) == ["View 0", "View 1"])
        // The link leads to the page of the gallery and opens the image there.
        let pages = images.compactMap { $0["link"]?.string?.split(separator: "#").first }
        #expect(Set(pages).count == 1)
        #expect(pages.first?.hasPrefix(nginx.url("/127-0-0-1-")) == true)
        withExtendedLifetime(nginx) {}
    }

    @Test("A gallery's feed names the newest hundred images by relative URLs and repeats them next time")
    func newest() async throws {
        let server = try FeedServer(images: 0)
        server.serve(images: Array(0..<120))
        try await program.run(server.feedURL)
        try await program.sql("UPDATE items SET published = (position + 1) * 1000000")
        try await program.run("gallery", site)
        let items = try feed()["items"]?.array ?? []
        #expect(words(items) == (20..<120).reversed().map { "Image \($0)" })
        #expect(items[0]["date_published"] == "1970-01-01T00:02:00.000000Z")
        #expect(!(try text("feed.json") + text("atom.xml")).contains("file:"))
        let names = items.compactMap { $0["image"]?.string }
        #expect(names.allSatisfy { Files.exists("\(site)/\($0)") })
        #expect(try text("atom.xml").ranges(of: "<entry>").count == 100)
        let first = try [text("feed.json"), text("atom.xml")]
        try await program.run("gallery", site)
        #expect(try [text("feed.json"), text("atom.xml")] == first)
    }

    @Test("A gallery's feed has the images of a feed without dates in the feed's order") func undated() async throws {
        let server = try FeedServer(images: 0)
        server.serve(images: Array(0..<120))
        try await program.run("-j", "1", server.feedURL)
        server.serve(images: [120] + Array(0..<120))
        try await program.run(server.feedURL)
        try await program.run("gallery", site)
        var wanted: [String] = []
        for number in [120] + Array(0..<99) { wanted.append(try await program.digest(of: server.imageURL(number))) }
        let feed = try JSONValue.parse(Files.bytes("\(site)/feed.json"))
        let named = (feed["items"]?.array ?? []).compactMap { $0["image"]?.string }
        #expect(named == wanted.map { "images/\($0).png" })
    }

    @Test("A gallery's feed covers all feeds as newest.html does, the newest first, each image once")
    func severalFeeds() async throws {
        let (first, second) = (try FeedServer(images: 2), try FeedServer(images: 0))
        serve([1, 2], on: second)
        try await program.run(first.feedURL, second.feedURL)
        try await program.sql(
            """
            UPDATE items SET published = 1795162500000000 + 1000000 * CAST(substr(description, 7) AS INTEGER)
              + (feed = (SELECT id FROM feeds WHERE url = '\(second.feedURL)'))
            """)
        try await program.run("gallery", site)
        #expect(words(try feed()["items"]?.array ?? []) == ["Image 2", "Image 1", "Image 0"])
        let newest = try text("newest.html")
        let places = (0..<3).reversed().compactMap { newest.firstRange(of: "<p dir=auto>Image \($0)</p>")?.lowerBound }
        #expect(places.count == 3 && places == places.sorted())
        #expect(newest.ranges(of: "<figure").count == 3)
        #expect(newest.contains("<a class=source dir=auto href=\"127-0-0-1-"))
    }

    @Test("Each feed has a subscription of its own beside its page, which another feedsync mirrors")
    func ownSubscriptions() async throws {
        let (first, second) = (try FeedServer(images: 2), try FeedServer(images: 0))
        serve([1, 2], on: second)
        try await program.run(first.feedURL, second.feedURL)
        try await program.run("gallery", site)
        let pages = Files.names(in: site).filter { $0.hasPrefix("127-0-0-1-") && $0.hasSuffix(".html") }
        #expect(pages.count == 2)
        let nginx = try await Nginx(serving: site)
        for page in pages {
            let name = page.replacing(".html", with: "")
            let head = try text(page)
            for (format, type) in [("json", "application/feed+json"), ("xml", "application/atom+xml")] {
                #expect(head.contains("<link rel=alternate type=\(type) href=\"\(name).\(format)\">"))
                let other = try Program()
                expectQuiet(try await other.run(nginx.url("/\(name).\(format)")))
                let shown = try await other.run("show", "--json", nginx.url("/\(name).\(format)")).json
                #expect(shown["images"]?.array?.count == 2)
                #expect(shown["images"]?[0]?["link"]?.string?.hasPrefix(nginx.url("/\(page)#")) == true)
            }
            #expect(try JSONValue.parse(Files.bytes("\(site)/\(name).json"))["home_page_url"] == .string(page))
        }
        withExtendedLifetime(nginx) {}
    }

    @Test("A gallery shows kept images below a heading, and undated ones in their feed's order")
    func order() async throws {
        let server = try FeedServer(images: 4)
        try await program.run("--keep", "forever", server.feedURL)
        serve(2..<5, on: server)
        try await program.run(server.feedURL)
        try await program.sql("UPDATE items SET published = 1795162500000000 WHERE description = 'Image 4'")
        try await program.run("gallery", site)
        let page = try text("index.html")
        let marks = [
            "Image 4</p>", "Image 2</p>", "Image 3</p>", "No longer in the feed", "Image 0</p>",
            "Image 1</p>",
        ]
        let places = marks.compactMap { page.firstRange(of: $0)?.lowerBound }
        #expect(places.count == marks.count)
        // The first two have no date, so they may be as new as those that have one.
        #expect(page.ranges(of: "<figure").count == 5)
        #expect(places[3] < places[4] && places[4] < places[5] && places[..<3].allSatisfy { $0 < places[3] })
        #expect(places[1] < places[2])
    }
}
