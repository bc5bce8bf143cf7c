import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Gallery, from outside", .timeLimit(.minutes(10)))
struct GalleryTests {
    let program: Program
    let site: String

    init() throws {
        program = try Program()
        site = program.directory.path("site")
    }

    func page(_ name: String = "index.html") throws -> String {
        String(decoding: try Files.bytes("\(site)/\(name)"), as: UTF8.self)
    }

    private var files: [String] { Files.names(in: site) }

    /// Returns the name of the feed's page, which stays the same.
    private func feedPage(_ server: FeedServer) async throws -> String {
        let hash = try await program.shell(#"printf %s "$1" | sha256sum"#, server.feedURL).outputText.prefix(8)
        return "127-0-0-1-\(server.feedURL.split(separator: ":")[2].split(separator: "/")[0])-feed-json-\(hash).html"
    }

    private func inode(_ path: String) throws -> UInt64 {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemFailure.last("lstat \(path)") }
        return UInt64(status.st_ino)
    }

    @Test("A gallery has a page and the images under their digests, as links to the cache's files")
    func written() async throws {
        let server = try FeedServer(images: 3)
        server.serve(Reply(404), at: 2)
        try await program.run(server.feedURL)
        expectQuiet(try await program.run("gallery", site))

        let name = try await feedPage(server).replacing(".html", with: "")
        let pages = ["\(name).html", "index.html"].sorted()
        #expect(
            files.filter { !pages.contains($0) }
                == [
                    "\(name).json", "\(name).xml", "atom.xml", "data", "feed.json", "icon.svg", "images", "script.js",
                    "style.css",
                ].sorted())
        #expect(Files.names(in: "\(site)/data") == ["\(name).1.js"])
        #expect(files.filter { $0.hasSuffix(".html") } == pages)
        #expect(try page(pages[0]) == page(pages[1]))
        let digests = [
            try await program.digest(of: server.imageURL(0)), try await program.digest(of: server.imageURL(1)),
        ]
        #expect(Files.names(in: "\(site)/images") == digests.map { "\($0).png" }.sorted())
        for digest in digests {
            #expect(
                try inode("\(site)/images/\(digest).png") == inode("\(program.imageDirectory)/\(digest)"))
        }
        let html = try page()
        #expect(html.contains("Image 0</p>"))
        #expect(html.contains("Image 2</p>"))
        #expect(html.contains("404"))
        #expect(html.contains("href=\"\(server.imageURL(2))\">Original</a>"))
        #expect(Files.names(in: program.directory.path) == ["cache", "site"])
    }

    @Test("gallery --json reports what was written, and named feeds limit it to them")
    func json() async throws {
        let (first, second) = (try FeedServer(images: 3), try FeedServer(images: 2))
        second.serve(feedOf: [second.imageURL(0), second.imageURL(0), second.imageURL(1)])
        second.serve(Reply(404), at: 1)
        try await program.run(first.feedURL, second.feedURL)
        // Two of the images have the same bytes and share one file.
        let both = try await program.run("gallery", "--json", site)
        #expect(
            try both.json == ["dir": "\(site)", "feeds": 2, "pages": 4, "images": 3, "missing": 1, "thumbnails": 0])
        let one = try await program.run("gallery", site, second.feedURL, second.feedURL, "--json")
        #expect(try one.json == ["dir": "\(site)", "feeds": 1, "pages": 2, "images": 1, "missing": 1, "thumbnails": 0])
    }

    @Test("A gallery of several feeds has a list of the feeds and a page for each")
    func several() async throws {
        let (first, second) = (try FeedServer(images: 1), try FeedServer(images: 1))
        try await program.run(first.feedURL, second.feedURL)
        try await program.run("gallery", site)
        let pages = files.filter { $0.hasSuffix(".html") }
        let own = [try await feedPage(first), try await feedPage(second)]
        #expect(pages == (own + ["index.html", "newest.html"]).sorted())
        let index = try page()
        #expect(index.contains("<a class=button href=newest.html>"))
        #expect(index.contains("<a aria-current=page href=index.html>All feeds</a>"))
        for name in own {
            #expect(index.contains("<a href=\"\(name)\">"))
            #expect(try page(name).contains("<a href=index.html>All feeds</a>"))
        }
        try await program.run("gallery", site, first.feedURL)
        #expect(files.filter { $0.hasSuffix(".html") } == [own[0], "index.html"].sorted())
    }

    @Test("The page of a feed has the feed's language, also after the feed was moved in an archive")
    func language() async throws {
        let server = try FeedServer(images: 1)
        server.serve(
            feed: """
                <rss><channel><title>صور</title><language>ar-EG</language>
                <item><enclosure url="\(server.imageURL(0))" type="image/png"/></item></channel></rss>
                """)
        try await program.run(server.feedURL)
        let archive = program.directory.path("feeds.tar")
        try await program.run("export", archive)
        let other = try Program()
        try await other.run("import", archive)
        for program in [program, other] {
            let site = program.directory.path("site")
            try await program.run("gallery", site)
            let page = String(decoding: try Files.bytes("\(site)/index.html"), as: UTF8.self)
            #expect(page.contains("<html lang=ar-EG dir=rtl "))
        }
    }

    @Test("A later run deletes what is no longer there, and the directory keeps its rights")
    func renewed() async throws {
        let server = try FeedServer(images: 3)
        try await program.run(server.feedURL)
        try await program.run("gallery", site)
        chmod(site, 0o750)
        server.serve(images: [1, 3])
        try await program.run(server.feedURL)
        expectQuiet(try await program.run("gallery", site))
        #expect(Files.names(in: "\(site)/images").count == 2)
        #expect(try !page().contains(server.imageURL(0)))
        #expect(try Files.mode(site) == 0o750)
        #expect(Files.names(in: program.directory.path) == ["cache", "site"])
    }

    @Test("A gallery of an empty cache is an empty page, and the next run brings it up to date")
    func empty() async throws {
        try program.makeEmptyCache()
        let result = try await program.run("gallery", "--json", site)
        #expect(
            try result.json == ["dir": "\(site)", "feeds": 0, "pages": 1, "images": 0, "missing": 0, "thumbnails": 0])
        #expect(try page().contains("no feeds"))
        #expect(Files.names(in: program.cache) == ["outputs"])
        #expect(try Files.mode(program.cache) == 0o700)
        #expect(try await program.status()["feeds"] == [])
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        expectQuiet(try await program.run("gallery", site))
        #expect(try !page().contains("no feeds"))
    }

    @Test("A gallery of a feed that was never saved is not found and creates no directory")
    func unknown() async throws {
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        expectOneLine(
            try await program.run("gallery", site, "http://feeds.example/other"), exit: 66,
            ["http://feeds.example/other"])
        #expect(!Files.exists(site))
    }

    @Test("A gallery shows a notice on stale feeds only")
    func stale() async throws {
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        try await program.makeStale()
        expectQuiet(try await program.run("gallery", site))
        #expect(try page().contains("<header class=\"saved stale\">"))
        #expect(try page().contains("Stale: "))
        try await program.run("gallery", "--max-age", "9d", site)
        #expect(try page().contains("<header class=\"saved\">"))
        #expect(try !page().lowercased().contains("stale"))
        #expect(try page().contains("data-fresh=777600"))
        try await program.run("gallery", "--max-age", "forever", site)
        #expect(try !page().contains("data-fresh"))
    }

    @Test("A gallery says in words which of several feeds is stale, each by its own age")
    func staleAmongOthers() async throws {
        let (old, new) = (try FeedServer(images: 1), try FeedServer(images: 1))
        try await program.run(old.feedURL)
        try await program.makeStale()
        try await program.run(new.feedURL)
        func cards() throws -> [String] {
            try page().components(of: "<article ").dropFirst().map { $0.components(of: "</article>")[0] }
        }
        try await program.run("gallery", site, old.feedURL, new.feedURL)
        #expect(try cards().map { $0.contains("Stale: ") } == [false, true])
        #expect(try page().components(of: "Stale: ").count == 2)
        let config = try program.directory.write("[feed \"\(old.feedURL)\"]\nmax-age = 9d\n", to: "config")
        try await program.run("gallery", "--config", config, site, old.feedURL, new.feedURL)
        #expect(try cards().map { $0.contains("Stale: ") } == [false, false])
        // The script uses this value when time has passed.
        #expect(try cards().map { $0.contains("data-fresh=777600") } == [false, true])
    }

    @Test("Times in a gallery have three digits of a second's fraction, as HTML requires") func times() async throws {
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        try await program.sql("UPDATE feeds SET saved_at = 1774749599123999")
        try await program.run("gallery", site)
        #expect(try page().contains("<time datetime=2026-03-29T01:59:59.123Z "))
    }

    @Test("A gallery never shows credentials or directories of this machine")
    func secrets() async throws {
        let server = try FeedServer(images: 1)
        let withSecret = server.feedURL.replacing("http://", with: "http://me:secret@")
        try await program.run(withSecret + "?token=covert", "--allow-private")
        let local = try program.directory.write(FeedServer.feed([server.imageURL(0)]), to: "local.json")
        try await program.run(local)
        try await program.run("gallery", site)
        let data = Files.names(in: "\(site)/data").map { "data/\($0)" }
        for name in files.filter({ $0.hasSuffix(".html") || $0.hasPrefix(".") }) + data {
            for secret in ["secret", "covert", program.directory.path] { #expect(try !page(name).contains(secret)) }
        }
    }

    @Test("The pages and feeds of a gallery show no query of an image URL, except size and format")
    func queries() async throws {
        let server = try FeedServer(images: 0)
        let signed = "\(server.imageURL(0))?w=300&sig=secret"
        let token = "\(server.imageURL(1))?s=0123456789abcdef0123456789abcdef"
        let sized = "\(server.imageURL(2))?w=300&q=80"
        server.server.route("/3.png", Reply(302, headers: [("Location", "http://localhost:1/?sig=secret")]))
        var items: [JSONValue] = []
        for (number, url) in [signed, token, sized, server.imageURL(3)].enumerated() {
            items.append([
                "id": .string("\(number)"), "image": .string(url), "url": .string(url), "content_text": "",
                "title": .string("Image \(number)"),
            ])
        }
        let feed: JSONValue = ["version": "https://jsonfeed.org/version/1.1", "items": .array(items)]
        for path in [signed, token, sized] {
            server.server.route(String(path.dropFirst(server.server.url("").count)), .image(FeedServer.image(0)))
        }
        server.serve(feed: feed.text())
        try await program.run(server.feedURL)
        try await program.run("gallery", site)
        let pages =
            files.filter { !["images", "data"].contains($0) } + Files.names(in: "\(site)/data").map { "data/\($0)" }
        for name in pages {
            for secret in ["secret", "sig=", "0123456789abcdef0"] {
                #expect(try !page(name).contains(secret), "\(name)")
            }
        }
        let shown = sized.replacing("&", with: "&amp;")
        #expect(try page().contains(#"<a href="\#(shown)">Original</a>"#))
    }

    @Test("A gallery holds back an SVG file with a script, or one that loads a document with one")
    func script() async throws {
        let server = try FeedServer(images: 3)
        func svg(_ content: String) -> Reply {
            let text = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 30 20'>\(content)</svg>"
            return Reply(headers: [("Content-Type", "image/svg+xml")], body: Array(text.utf8))
        }
        server.serve(svg("<rect width='9' height='9'/>"), at: 0)
        server.serve(svg("<script>alert(1)</script>"), at: 1)
        server.serve(svg("<use href='data:image/svg+xml,%3Csvg id=%22x%22 onload=%22alert(1)%22/%3E#x'/>"), at: 2)
        try await program.run(server.feedURL)
        #expect(try await program.run("gallery", "--json", site).json["missing"]?.int == 2)
        #expect(Files.names(in: "\(site)/images").count == 1)
    }
}

extension String {
    fileprivate func components(of separator: String) -> [String] { split(separator: separator).map(String.init) }
}
