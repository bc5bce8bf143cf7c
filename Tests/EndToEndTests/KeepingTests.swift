import JSONText
import TestSupport
import Testing

@Suite("A mirror keeps what left the feed", .timeLimit(.minutes(10)))
struct KeepingTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 0)
        serve([0, 1, 2])
    }

    private var feed: String { server.feedURL }

    /// Serves a feed of these items.
    ///
    /// Each item keeps its id, whatever its position.
    private func serve(_ numbers: [Int], token: String = "", images: Bool = true) {
        let items = numbers.map { #"{"id":"\#(FeedServer.id($0))","image":"\#(server.imageURL($0))\#(token)"}"# }
        server.serve(feed: FeedServer.feed(items: items))
        for number in numbers where images { server.serve(.png(number), at: number) }
    }

    /// Returns the numbers of the feed's images: the current ones and the kept ones.
    private func shown(_ arguments: String...) async throws -> [[Int]] {
        let images =
            try (await program.run(["show", "--offline", "--json", feed] + arguments)).json["images"]?.array ?? []
        #expect(images.allSatisfy { $0["path"]?.string != nil })
        return [true, false].map { current in
            images.filter { $0["current"] == .bool(current) }.compactMap { image in
                image["id"]?.string.flatMap { Int($0.suffix(12)) }
            }
        }
    }

    @Test("Kept items follow the current ones until --keep changes")
    func kept() async throws {
        expectQuiet(try await program.run("--keep", "forever", feed))
        serve([3, 2])
        let report = try (await program.run("--json", feed)).json
        #expect(report["feeds"]?.array?.first?["images"] == .integer(2))
        #expect(report["feeds"]?.array?.first?["kept"] == .integer(2))
        #expect(try await shown() == [[3, 2], [0, 1]])
        let status = try (await program.run("status", "--json")).json["feeds"]?.array?.first
        #expect(status?["keep"]?.string == "forever")
        #expect(status?["images"] == .integer(4))
        #expect(status?["images_cached"] == .integer(4))
        // An item that comes back has its position in the feed.
        serve([1, 3])
        expectQuiet(try await program.run(feed))
        #expect(try await shown() == [[1, 3], [2, 0]])
        expectQuiet(try await program.run("--keep", "none", feed))
        #expect(try await shown() == [[1, 3], []])
        expectOneLine(try await program.run("validate"), exit: 0, ["deleted 0 feeds and 2 images"])
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }

    @Test("show lists kept items with the server's current ones") func shownFromServer() async throws {
        expectQuiet(try await program.run("--keep", "forever", feed))
        serve([3])
        // The first run saves the feed again, and the second one confirms it.
        for _ in 0..<2 {
            let result = try await program.run("show", "--json", feed)
            #expect(result.status == .exited(0))
            #expect(result.errorText == "")
            let images = try result.json["images"]?.array ?? []
            #expect(images.map { $0["current"] } == [.bool(true), .bool(false), .bool(false), .bool(false)])
        }
        #expect(try await program.run("show", feed).outputText.contains("1 image, and 3 kept"))
    }

    @Test("show lists kept items while another run holds the lock") func shownBesideAnother() async throws {
        expectQuiet(try await program.run("--keep", "forever", feed))
        serve([3])
        expectQuiet(try await program.run(feed))
        serve([2, 4])
        let result = try await program.shell(
            #"exec 9>>"$FEEDSYNC_CACHE/lock"; flock -n 9; "$feedsync" show --json "$1""#, feed)
        #expect(result.status == .exited(0))
        let images = try result.json["images"]?.array ?? []
        #expect(images.map { $0["current"] } == [.bool(true), .bool(true), .bool(false), .bool(false)])
    }

    @Test("--keep of the config file applies although the server is gone and the feed is stale")
    func stale() async throws {
        _ = try program.directory.write("max-age = 1s\n[feed \"\(feed)\"]\nkeep = forever\n", to: "config")
        let config = program.directory.path("config")
        expectQuiet(try await program.run("--config", config, feed))
        serve([3])
        expectQuiet(try await program.run("--config", config, feed))
        try await program.sql("UPDATE feeds SET saved_at = saved_at - 1000000000000")
        let report = try (await program.run("validate", "--json", "--max-age", "1s")).json
        #expect(report["feeds_deleted"]?.array == [])
        #expect(report["images_deleted"] == .integer(0))
        #expect(try await shown("--max-age", "forever") == [[3], [0, 1, 2]])
    }

    @Test("--keep AGE keeps items for that long, even in validate")
    func age() async throws {
        expectQuiet(try await program.run("--keep", "30d", feed))
        serve([3])
        expectQuiet(try await program.run(feed))
        #expect(try await shown() == [[3], [0, 1, 2]])
        try await program.sql("UPDATE items SET last_seen = last_seen - 3000000000000 WHERE item_id LIKE '%1'")
        let plan = try await program.run("validate", "-n")
        #expect(plan.outputLines.first == "would no longer keep 1 image that left \(feed)")
        #expect(plan.outputLines.dropFirst().first == "would delete 1 image that no feed references")
        #expect(try (await program.run("validate", "-n", "--json")).json["images_deleted"] == .integer(1))
        #expect(try (await program.run("validate", "--json")).json["images_deleted"] == .integer(1))
        #expect(try await shown() == [[3], [0, 2]])
    }

    @Test("A feed that has become empty is reported once")
    func emptied() async throws {
        expectQuiet(try await program.run("--keep", "forever", feed))
        serve([])
        expectOneLine(try await program.run(feed), exit: 0, [feed, "has become empty"])
        expectQuiet(try await program.run(feed))
        #expect(try await shown() == [[], [0, 1, 2]])
        let requests = server.requestCount
        serve([0, 1, 2])
        expectQuiet(try await program.run(feed))
        #expect(server.paths(after: requests) == ["/feed.json"])
    }

    @Test("A kept image that failed before it left the feed is requested again")
    func missing() async throws {
        server.serve(Reply(503), at: 1)
        #expect(try await program.run("--keep", "forever", feed).status == .exited(23))
        serve([3])
        server.serve(.png(1), at: 1)
        let requests = server.requestCount
        expectQuiet(try await program.run(feed))
        #expect(server.paths(after: requests).sorted() == ["/1.png", "/3.png", "/feed.json"])
        expectQuiet(try await program.run(feed))
        #expect(server.paths(after: requests + 3) == ["/feed.json"])
        #expect(try await shown() == [[3], [0, 1, 2]])
    }

    @Test("An archive and a gallery contain kept items, and two mirrors of one feed merge into one")
    func archive() async throws {
        expectQuiet(try await program.run("--keep", "forever", feed))
        serve([3, 2])
        expectQuiet(try await program.run(feed))
        let first = program.directory.path("first.tar")
        expectQuiet(try await program.run("export", first))
        let other = ["--cache", program.directory.path("other")]
        expectQuiet(try await program.run(["import", "--restore", first] + other))
        let again = program.directory.path("again.tar")
        expectQuiet(try await program.run(["export", again] + other))
        #expect(try program.directory.read("again.tar") == program.directory.read("first.tar"))
        serve([4, 3])
        expectQuiet(try await program.run(["--keep", "forever", feed] + other))
        serve([5])
        expectQuiet(try await program.run(feed))
        expectQuiet(try await program.run(["export", again] + other))
        expectQuiet(try await program.run("import", "--restore", again))
        #expect(try await shown() == [[5], [4, 3, 2, 0, 1]])
        expectQuiet(try await program.run("gallery", program.directory.path("gallery")))
        #expect(Files.names(in: program.directory.path("gallery/images")).count == 6)
    }

    @Test("An image with a new signature in its URL is revalidated and kept")
    func rotating() async throws {
        for number in 0...2 {
            server.server.route("/\(number).png") { request in
                if request.header("if-none-match") == "\"\(number)\"" { return Reply(304) }
                return Reply(headers: [("ETag", "\"\(number)\"")], body: FeedServer.image(number))
            }
        }
        func serve(_ token: String, _ numbers: [Int]) {
            let items = numbers.map { #"{"id":"\#(FeedServer.id($0))","image":"\#(server.imageURL($0))?t=\#(token)"}"# }
            server.serve(feed: FeedServer.feed(items: items))
        }
        serve("a", [0, 1, 2])
        #expect(
            try (await program.run("--json", "--keep", "forever", feed)).json["images"]?["downloaded"] == .integer(3))
        serve("b", [0, 1])
        var images = try (await program.run("--json", feed)).json["images"]
        #expect(images?["downloaded"] == .integer(0))
        #expect(images?["cached"] == .integer(2))
        serve("c", [2, 1])
        images = try (await program.run("--json", feed)).json["images"]
        #expect(images?["downloaded"] == .integer(0))
        #expect(try await shown() == [[2, 1], [0]])
        #expect(server.paths().filter { $0 == "/0.png?t=b" || $0 == "/2.png?t=c" }.count == 2)
    }

    @Test("An image with a new signature is downloaded if its only validator is a date")
    func rotatingWithDates() async throws {
        for number in 0...2 {
            server.server.route("/\(number).png") { request in
                if request.header("if-modified-since") != nil { return Reply(304) }
                return Reply(
                    headers: [("Last-Modified", "Fri, 20 Nov 2026 10:00:00 GMT")], body: FeedServer.image(number))
            }
        }
        serve([0, 1, 2], token: "?t=a", images: false)
        expectQuiet(try await program.run(feed))
        serve([0, 1, 2], token: "?t=b", images: false)
        let images = try (await program.run("--json", feed)).json["images"]
        #expect(images?["downloaded"] == .integer(3))
    }

    @Test("--keep is saved although the server then can't be reached")
    func toldWithoutServer() async throws {
        expectQuiet(try await program.run(feed))
        server.server.route("/feed.json") { _ in Reply(500) }
        expectQuiet(try await program.run("--keep", "forever", feed))
        let status = try (await program.run("status", "--json")).json["feeds"]?.array?.first
        #expect(status?["keep"]?.string == "forever")
        try await program.sql("UPDATE feeds SET saved_at = saved_at - 1000000000000")
        #expect(try (await program.run("validate", "--json", "--max-age", "1s")).json["feeds_deleted"]?.array == [])
    }

    @Test("An image of a post is listed once, although its position in the post has changed")
    func fewerImages() async throws {
        func serve(_ numbers: [Int]) {
            let attached = numbers.map { #"{"url":"\#(server.imageURL($0))","mime_type":"image/png"}"# }
            let item = #"{"id":"post","attachments":[\#(attached.joined(separator: ","))]}"#
            server.serve(feed: #"{"version":"https://jsonfeed.org/version/1.1","title":"Posts","items":[\#(item)]}"#)
            for number in numbers { server.serve(.png(number), at: number) }
        }
        serve([0, 1, 2])
        expectQuiet(try await program.run("--keep", "forever", feed))
        serve([2, 1])
        expectQuiet(try await program.run(feed))
        let images = try (await program.run("show", "--offline", "--json", feed)).json["images"]?.array ?? []
        #expect(images.compactMap { $0["url"]?.string } == [2, 1].map { server.imageURL($0) })
    }

    @Test("Kept items survive a run that is killed at any moment", arguments: ["pwrite64", "fdatasync", "renameat2"])
    func killed(call: String) async throws {
        expectQuiet(try await program.run("--keep", "forever", feed))
        serve([3])
        var time = 0
        var isKilled = true
        while isKilled, time < 60 {
            time += 1
            let result = try await program.shell(
                #"""
                rm -rf "$3"; cp -a "$FEEDSYNC_CACHE" "$3"
                strace -f -qq -o /dev/null -e "trace=$1" -e "inject=$1:signal=KILL:when=$2" \
                    "$feedsync" --cache "$3" "$4"
                """#, [call, String(time), program.directory.path("copy"), feed])
            isKilled = result.status != .exited(0)
            let copy = ["--cache", program.directory.path("copy")]
            let left =
                try (await program.run(["show", "--offline", "--json", feed] + copy)).json["images"]?.array ?? []
            #expect([3, 4].contains(left.count), "\(time)")
            expectQuiet(try await program.run([feed] + copy))
            let images =
                try (await program.run(["show", "--offline", "--json", feed] + copy)).json["images"]?.array ?? []
            #expect(images.map { $0["current"] } == [.bool(true), .bool(false), .bool(false), .bool(false)], "\(time)")
            #expect(images.allSatisfy { $0["path"]?.string != nil }, "\(time)")
        }
        #expect(time > 1)
    }

    @Test("--keep refuses a value that is neither an age nor a count", arguments: ["0", "-1", "7x", "", "all"])
    func usage(value: String) async throws {
        expectOneLine(try await program.run("--keep", value, feed), exit: 64, ["--keep", "forever"])
    }
}
