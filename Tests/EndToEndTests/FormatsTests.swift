import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Feeds of other formats", .timeLimit(.minutes(10)))
struct FormatsTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 4)
    }

    private func serve(_ text: String, type: String = "text/xml", at path: String = "/feed") -> String {
        server.server.route(path, .text(text, type: type))
        return server.server.url(path)
    }

    private static let rss = """
        <?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>
        <title>Images &amp; words</title><link>/</link>
        <item><guid>one</guid><title>One</title><enclosure url="0.png" type="image/png" length="1"/></item>
        <item><guid>two</guid><title>Two</title><description>&lt;img src="/1.png" alt="Second"&gt;</description></item>
        <item><guid>words</guid><title>Words</title></item></channel></rss>
        """

    private static let atom = """
        <feed xmlns="http://www.w3.org/2005/Atom"><title>Images &amp; words</title>
        <entry><id>one</id><title>One</title><link rel="enclosure" type="image/png" href="0.png"/></entry>
        <entry><id>two</id><title>Two</title><content type="html">&lt;img src="/1.png" alt="Second"&gt;</content></entry>
        </feed>
        """

    private static let jsonFeed = #"""
        {"version": "https://jsonfeed.org/version/1.1", "title": "Images & words", "items": [
        {"id": "one", "title": "One", "image": "/0.png"},
        {"id": "two", "title": "Two", "content_html": "<img src='/1.png' alt='Second'>"}]}
        """#

    @Test(
        "A feed of any format is synced, shown and reported, whatever media type the server gives",
        arguments: [("rss", rss), ("atom", atom), ("jsonfeed", jsonFeed)], ["text/plain", "application/octet-stream"])
    func formats(format: (name: String, text: String), type: String) async throws {
        let feed = serve(format.text, type: type)
        expectQuiet(try await program.run(feed))
        let shown = try JSONValue.parse(try await program.run("show", "--offline", "--json", feed).standardOutput)
        #expect(shown["title"]?.string == "Images & words")
        #expect(shown["images"]?.array?.map { $0["id"]?.string } == ["one", "two"])
        #expect(shown["images"]?.array?.map { $0["description"]?.string } == ["One", "Second"])
        #expect(shown["images"]?.array?.map { $0["url"]?.string } == [server.imageURL(0), server.imageURL(1)])
        let status = try await program.status()["feeds"]?[0]
        #expect(status?["format"]?.string == format.name)
        #expect(status?["title"]?.string == "Images & words")
        #expect(status?["images_cached"]?.int == 2)
        let again = try JSONValue.parse(try await program.run("--json", feed).standardOutput)
        #expect(again["feeds"]?[0]?["outcome"]?.string == "unchanged")
    }

    @Test("An unusable image is left out; -v reports it without its password")
    func leftOut() async throws {
        let feed = serve(
            """
            <rss><channel><item><guid>g</guid><enclosure type="image/png" url="https://u:secret@h:99999/a.png"/>
            <enclosure type="image/png" url="/0.png"/></item></channel></rss>
            """)
        expectQuiet(try await program.run(feed))
        let note = "left out an image of item 1 (\"g\"): \"***@h:99999/a.png\": has no valid port"
        for command in ["sync", "show"] {
            let result = try await program.run(command, "-v", feed)
            #expect(result.exitCode == 0)
            // The feed is decoded even if the server found it unchanged.
            #expect(result.errorText.contains("\(feed): \(note)\n"), "\(result.errorText)")
            #expect(!result.errorText.contains("secret"))
        }
    }

    @Test("The encoding that the server declares takes precedence")
    func encoding() async throws {
        let text = Array("<rss><channel><title>".utf8) + [0xE9] + Array("</title></channel></rss>".utf8)
        server.server.route("/latin", Reply(headers: [("Content-Type", "text/xml; charset=ISO-8859-1")], body: text))
        let shown = try await program.run("show", "--json", server.server.url("/latin"))
        #expect(try JSONValue.parse(shown.standardOutput)["title"]?.string == "é")
    }

    @Test("An HTML page is not a feed, but the feed that it names is loaded")
    func page() async throws {
        let page = serve(
            "<!DOCTYPE html><title>Home</title><link rel=alternate type='application/rss+xml' href='/feed.xml'>",
            type: "text/html", at: "/")
        let reason = "is an HTML page, which names the feed \(server.server.url("/feed.xml"))"
        expectFailure(try await program.run(page), exit: 65, reason)
    }

    private func expectFailure(
        _ result: ProcessResult, exit code: Int32, _ reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == .exited(code), "\(result.errorText)", sourceLocation: sourceLocation)
        #expect(
            result.errorLines.first?.hasSuffix(reason) == true, "\(result.errorText)", sourceLocation: sourceLocation)
    }

    // MARK: Pages

    private func servePages() -> String {
        for page in 1...3 {
            let next = #","next_url":"/page/\#(page % 3 + 1)""#
            let item = { (number: Int) in #"{"id":"\#(number)","image":"/\#(number).png"}"# }
            let text =
                #"{"version":"https://jsonfeed.org/version/1","items":[\#(item(page - 1)),\#(item(page))]\#(next)}"#
            server.server.route("/page/\(page)", .text(text))
        }
        return server.server.url("/page/1")
    }

    @Test("Further pages are requested after --pages has grown, although the first page is unchanged")
    func morePages() async throws {
        let feed = servePages()
        let first = Array(FeedServer.feed([server.imageURL(0)]).utf8)
        server.server.route("/page/1") { request in
            var reply = Reply.validated(first, etag: "\"1\"", for: request)
            reply.headers.append(("Link", "</page/2>; rel=\"next\""))
            return reply
        }
        for (pages, requests) in [("1", 1), ("1", 1), ("2", 2), ("2", 1), ("1", 1)] {
            let before = server.requestCount
            #expect(try await program.run("show", "--pages", pages, feed).status == .exited(0))
            #expect(server.requestCount - before == requests)
        }
        #expect(try await program.status()["feeds"]?[0]?["images"]?.int == 3)
    }

    @Test("Further pages are followed as far as --pages allows, and never in a circle")
    func pages() async throws {
        let feed = servePages()
        for (arguments, count, requests) in [([], 2, 1), (["--pages", "2"], 3, 2), (["--pages=99"], 4, 3)] {
            let before = server.requestCount
            let result = try await program.run(["sync", "--json", "-n"] + arguments + [feed])
            #expect(try JSONValue.parse(result.standardOutput)["feeds"]?[0]?["images"]?.int == count)
            #expect(server.requestCount - before == requests)
        }
        expectQuiet(try await program.run("--pages", "3", feed))
        let shown = try await program.run("show", "--json", "--pages", "3", feed)
        let images = try JSONValue.parse(shown.standardOutput)["images"]?.array
        #expect(images?.map { $0["id"]?.string } == ["0", "1", "2", "3"])
    }

    @Test("A missing further page fails the load, and the saved feed stays")
    func missingPage() async throws {
        let feed = servePages()
        expectQuiet(try await program.run("--pages", "3", feed))
        let before = try await program.saved(feed)
        server.server.route("/page/3", Reply(404))
        let result = try await program.run("--pages", "3", feed)
        expectFailure(result, exit: 65, "page 3, \(server.server.url("/page/3")): the server answered HTTP 404")
        #expect(try await program.saved(feed) == before)
    }

    // MARK: Subscription lists

    @Test("The feeds of a list are synced in addition to the named ones, each once")
    func list() async throws {
        let feed = serve(Self.rss)
        let list = try program.directory.write(
            """
            <opml version="2.0"><body><outline text="All"><outline text="F" xmlUrl="\(feed)"/>
            <outline text="E" xmlUrl="\(server.feedURL)"/><outline text="Local" xmlUrl="file:///etc/passwd"/>
            </outline></body></opml>
            """, to: "list.opml")
        let result = try await program.run("--json", "--allow-private", "--opml", list, server.feedURL)
        let feeds = try JSONValue.parse(result.standardOutput)["feeds"]?.array
        #expect(feeds?.map { $0["url"]?.string } == [server.feedURL, feed])
        #expect(result.exitCode == 0)
        #expect(
            result.errorText
                == "feedsync: \(list): line 2: left out the feed \"Local\": xmlUrl: not an http(s) URL\n")
        let relative = #"cd "$1" && "$feedsync" --allow-private --opml list.opml"#
        #expect(try await program.shell(relative, program.directory.path).exitCode == 0)
    }

    @Test("A list can come from a pipe, which is awaited as long as --max-time allows")
    func listFromPipe() async throws {
        let list = "<opml><body><outline xmlUrl='\(server.feedURL)'/></body></opml>"
        let piped = #"printf %s "$1" | "$feedsync" --allow-private --opml /dev/stdin"#
        expectQuiet(try await program.shell(piped, list))
        #expect(try await program.status()["feeds"]?[0]?["url"]?.string == server.feedURL)
        let pipe = program.directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let result = try await program.run("--max-time", "0.1", "--opml", pipe)
        expectOneLine(result, exit: 69, ["--opml: ", "--max-time"])
    }

    @Test("A list has to be a file: a URL or a directory is refused", arguments: ["https://h/list.opml", "/"])
    func noFile(list: String) async throws {
        let (code, hint): (Int32, String) = list == "/" ? (66, "a directory") : (64, "download the list first")
        expectOneLine(try await program.run("--opml", list), exit: code, ["--opml: ", list, hint])
    }

    @Test(
        "A malformed, missing or empty list is reported, and nothing is synced",
        arguments: [
            ("<opml><body>", 65, "line 1, column "), ("<rss/>", 65, "not OPML"), (nil, 66, "no such file"),
            ("<opml><body/></opml>", 64, "names none"),
        ] as [(String?, Int32, String)])
    func badList(text: String?, code: Int32, reason: String) async throws {
        expectQuiet(try await program.run(server.feedURL))
        let before = server.requestCount
        let list = program.directory.path("list.opml")
        if let text { try program.directory.write(text, to: "list.opml") }
        expectOneLine(try await program.run("--opml", list), exit: code, [list, reason])
        #expect(server.requestCount == before)
    }
}
