import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Show, from outside", .timeLimit(.minutes(10)))
struct ShowTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    @Test("show prints the images in their order and saves the feed without their data")
    func text() async throws {
        let items = [
            #"{"id":"\#(FeedServer.id(1))","description":"A bridge","location":"Lisbon","image":"\#(server.imageURL(1))"}"#,
            #"{"id":"\#(FeedServer.id(0))","image":"\#(server.imageURL(0))"}"#,
        ]
        server.serve(feed: FeedServer.feed(items: items))

        let result = try await program.run("show", server.feedURL)

        #expect(result.status == .exited(0))
        #expect(result.errorText == "")
        let lines = result.outputLines.map { $0.trimmingPrefix { $0 == " " } }
        #expect(lines.first.map(String.init) == server.feedURL)
        #expect(
            lines.suffix(5).map(String.init) == [
                "A bridge", "Lisbon", server.imageURL(1), FeedServer.id(0), server.imageURL(0),
            ])
        #expect(server.paths() == ["/feed.json"])
        #expect(try await program.status()["feeds"]?[0]?["images"]?.int == 2)
        let offline = try await program.run("show", "--offline", server.feedURL)
        #expect(offline.outputLines.suffix(5) == result.outputLines.suffix(5))
        #expect(server.paths() == ["/feed.json"])
    }

    @Test("show prints thousands of images completely, as text and as JSON")
    func many() async throws {
        let urls = (0..<3000).map(server.imageURL)
        server.serve(feedOf: urls)
        let json = try await program.run("show", "--json", server.feedURL).json
        #expect(json["images"]?.array?.compactMap { $0["url"]?.string } == urls)
        let text = try await program.run("show", "--offline", server.feedURL)
        #expect(text.outputLines.filter { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) } == urls)
    }

    @Test("show --json has every member, with null for absent values")
    func json() async throws {
        let items = [
            #"{"id":"\#(FeedServer.id(0))","description":"","location":null,"image":"\#(server.imageURL(0))"}"#,
            #"{"id":"\#(FeedServer.id(1))","description":"A","location":"B","image":"\#(server.imageURL(1))"}"#,
        ]
        server.serve(feed: FeedServer.feed(items: items))
        server.serve(Reply(404), at: 1)

        func expected(source: String, digest: JSONValue, path: JSONValue) -> JSONValue {
            [
                "url": "\(server.feedURL)", "title": nil, "source": "\(source)", "saved_at": "TIME",
                "images": [
                    [
                        "id": "\(FeedServer.id(0))", "description": nil, "location": nil, "title": nil, "link": nil,
                        "published": nil, "author": nil, "rights": nil, "text": nil,
                        "url": "\(server.imageURL(0))", "digest": digest, "path": path,
                        "size": digest == .null ? nil : 19, "type": digest == .null ? nil : "image/png",
                        "fetched_at": digest == .null ? nil : "TIME", "current": true, "last_seen": nil,
                    ],
                    [
                        "id": "\(FeedServer.id(1))", "description": "A", "location": "B", "title": nil, "link": nil,
                        "published": nil, "author": nil, "rights": nil, "text": nil,
                        "url": "\(server.imageURL(1))", "digest": nil, "path": nil, "size": nil, "type": nil,
                        "fetched_at": nil, "current": true, "last_seen": nil,
                    ],
                ],
            ]
        }
        let shown = try await program.run("show", "--json", server.feedURL)
        #expect(try shown.comparableJSON == expected(source: "remote", digest: nil, path: nil))
        #expect(shown.outputLines.count == 1)

        try await program.run(server.feedURL)
        let saved = try await program.run("show", "--json", "--offline", server.feedURL)
        let path = try #require(saved.json["images"]?[0]?["path"]?.string)
        let digest = try await Files.sha256("\(program.cache)/\(path)")
        #expect(path == "images/sha256/\(digest)")
        #expect(
            try saved.comparableJSON == expected(source: "cache", digest: "sha256:\(digest)", path: "\(path)"))
    }

    @Test("show prints the post: its title if that differs, its date and its link")
    func post() async throws {
        let texts = [
            #""description":"A bridge","location":"Lisbon""#, #""description":"A day out""#, #""location":null"#,
        ]
        let items = texts.enumerated().map { number, text in
            #"{"id":"\#(FeedServer.id(number))",\#(text),"image":"\#(server.imageURL(number))"}"#
        }
        server.serve(feed: FeedServer.feed(items: items))
        try await program.run("show", server.feedURL)
        try await program.sayMore()
        try await program.sql("UPDATE items SET published = NULL WHERE position = 1")
        let shown = try await program.run("show", "--offline", server.feedURL)
        let link = "https://blog.example/2026/a-day-out"
        #expect(
            shown.outputText.split(separator: "\n\n").dropFirst().joined(separator: "\n\n") == """
                A bridge
                  A day out
                  2026-11-20 \(link)
                  Lisbon
                  \(server.imageURL(0))

                A day out
                  \(link)
                  \(server.imageURL(1))

                A day out
                  2026-11-20 \(link)
                  \(server.imageURL(2))

                """)
        let image = try JSONValue.parse(Array(try await program.saved(server.feedURL).utf8))["images"]?[0]
        #expect(
            image?.names == [
                "id", "description", "location", "title", "link", "published", "author", "rights", "text", "url",
                "digest",
                "path", "size", "type", "fetched_at", "current", "last_seen",
            ])
        #expect(image?["title"] == "A day out" && image?["link"] == .string(link))
        #expect(image?["published"] == "2026-11-20T08:15:00.000001Z")
        // Text from a feed cannot control a terminal.
        try await program.sql("UPDATE items SET title = char(27) || '[2J'")
        let escaped = try await program.run("show", "--offline", server.feedURL)
        #expect(!escaped.outputText.contains("\u{1B}") && escaped.outputText.contains("[2J"))
    }

    @Test("show --offline of a feed that was never saved gives not found")
    func neverSaved() async throws {
        try program.makeEmptyCache()
        expectOneLine(
            try await program.run("show", "--offline", server.feedURL), exit: 66, [server.feedURL, "never saved"])
        #expect(server.requestCount == 0)
        #expect(Files.names(in: program.cache) == [])
    }

    @Test("show --offline of a stale feed fails and says how old it is")
    func stale() async throws {
        try await program.run(server.feedURL)
        try await program.makeStale()
        let result = try await program.run("show", "--offline", server.feedURL)
        expectOneLine(result, exit: 69, [server.feedURL, "stale", "--max-age"])
        let patient = try await program.run("show", "--offline", "--max-age", "2w", server.feedURL)
        #expect(patient.status == .exited(0))
        #expect(patient.outputText.contains("saved 8 days ago"))
        // The request left the feed in the cache.
        #expect(try await program.status()["feeds"]?.array?.count == 1)
    }

    @Test("show --offline of a feed dated ahead of the clock says so")
    func ahead() async throws {
        try await program.run(server.feedURL)
        try await program.sql("UPDATE feeds SET saved_at = saved_at + 2 * 3600 * 1000000")
        let savedAt = try #require(try await program.status()["feeds"]?[0]?["saved_at"]?.string)
        let said = "the saved feed counts as stale: it was saved at \(savedAt), which is ahead of the clock"
        let result = try await program.run("show", "--offline", server.feedURL)
        expectOneLine(result, exit: 69, ["\(server.feedURL): \(said)\n"])
        server.server.route("/feed.json", Reply(503))
        let shown = try await program.run("show", server.feedURL)
        expectOneLine(shown, exit: 69, ["HTTP 503, and \(said)\n"])
    }

    @Test("show succeeds without saving while another run holds the lock")
    func locked() async throws {
        try await program.run(server.feedURL)
        server.serve(images: [0, 1, 2])
        let saved = try await program.saved(server.feedURL)
        let lock = try HeldLock(of: program)

        let result = try await program.run("show", "--json", server.feedURL)

        #expect(result.status == .exited(0))
        #expect(result.errorText == "")
        #expect(try result.json["images"]?.array?.count == 3)
        #expect(try result.json["source"]?.string == "remote")
        #expect(try await program.saved(server.feedURL) == saved)
        withExtendedLifetime(lock) {}
    }

    @Test("show delivers although its new cache is locked before it is filled")
    func lockedWhileEmpty() async throws {
        let lock = try HeldLock(of: program)
        let result = try await program.run("show", "--json", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(try result.json["saved_at"]?.isNull == true)
        withExtendedLifetime(lock) {}
    }
}

@Suite("A show that is read slowly")
struct SlowReaderTests {
    @Test("show holds no lock while it waits for its reader")
    func lock() async throws {
        let program = try Program()
        let server = try FeedServer(images: 2000)
        let fifo = program.directory.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        // The output is larger than a pipe's buffer: show blocks on writing until the reader, which is open but idle,
        // goes on.
        let reader = try program.startShell(
            #"exec 3<"$1"; head -c 1 <&3 >/dev/null; "$feedsync" validate; echo $?; cat <&3 >/dev/null"#, fifo)
        let shown = try await program.shell(#""$feedsync" show "$1" >"$2""#, server.feedURL, fifo)
        #expect(shown.status == .exited(0))
        #expect(await reader.wait().outputText == "0\n")
    }
}
