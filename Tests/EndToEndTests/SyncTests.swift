import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Sync, from outside", .timeLimit(.minutes(10)))
struct SyncTests {
    private let program: Program

    init() throws { program = try Program() }

    @Test("A successful sync saves the feed and its images and prints nothing", arguments: [[], ["sync"], ["-q"]])
    func happy(_ command: [String]) async throws {
        let server = try FeedServer(images: 3)
        expectQuiet(try await program.run(command + [server.feedURL]))
        let status = try await program.status()
        #expect(status["feeds"]?[0]?["url"]?.string == server.feedURL)
        #expect(status["feeds"]?[0]?["images_cached"]?.int == 3)
        #expect(status["images"]?["count"]?.int == 3)
        for number in 0..<3 {
            let image = try await program.run("image", "--offline", server.imageURL(number))
            #expect(image.standardOutput == FeedServer.image(number))
        }
    }

    @Test(
        "Each image is a read-only file named by its digest, in a directory of the owner only")
    func files() async throws {
        let server = try FeedServer(images: 3)
        try await program.run(server.feedURL)
        let names = Files.names(in: program.imageDirectory)
        #expect(names.count == 3)
        for name in names {
            let file = "\(program.imageDirectory)/\(name)"
            #expect(try await Files.sha256(file) == name)
            #expect(try Files.mode(file) == 0o444)
        }
        #expect(try Files.mode(program.cache) == 0o700)
        #expect(Files.names(in: "\(program.cache)/incoming") == [])
    }

    @Test("The mode of the database follows the umask", arguments: [("002", UInt32(0o664)), ("077", 0o600)])
    func databaseMode(_ umask: String, _ mode: UInt32) async throws {
        let server = try FeedServer(images: 1)
        expectQuiet(try await program.shell(#"umask "$1"; exec "$feedsync" "$2""#, umask, server.feedURL))
        #expect(try Files.mode("\(program.cache)/feedsync.sqlite") == mode)
    }

    @Test("A user can continue a cache of their own in which root worked")
    func anothersCache() async throws {
        let server = try FeedServer(images: 1)
        let asNobody = #"setpriv --reuid=65534 --regid=65534 --clear-groups "$feedsync" --no-config"#
        for (arguments, next) in [(["sync", server.feedURL], "sync"), (["validate"], "sync '\(server.feedURL)'")] {
            let cache = program.directory.path(arguments[0])
            // The script makes the path accessible to the user.
            let script = #"chmod 755 "$HOME"; mkdir "$1"; chown 65534:65534 "$1"; shift; "$feedsync" "$@""#
            expectQuiet(try await program.shell(script, [cache] + arguments + ["--cache", cache]))
            expectQuiet(try await program.shell("\(asNobody) --cache \"$1\" \(next)", cache))
        }
    }

    private static let nothingGivenAway =
        ["setpriv --bounding-set=-chown --inh-caps=-chown"]
        + ["EPERM", "EINVAL", "EOPNOTSUPP", "ENOSYS"].map {
            "strace -f -qq -o /dev/null -e inject=fchown:error=\($0)"
        }

    @Test(
        "root stores files although it can't give them to the owner of the cache", .enabled(if: geteuid() == 0),
        arguments: nothingGivenAway)
    func keptByRoot(by wrapper: String) async throws {
        let server = try FeedServer(images: 1)
        let script = #"cd "$HOME"; chown -R 4711:4711 cache; exec \#(wrapper) "$feedsync" "$1""#
        try program.directory.makeDirectory("cache")
        for image in [0, 1] {
            server.serve(images: [image])
            expectQuiet(try await program.shell(script, server.feedURL))
        }
        #expect(Files.names(in: program.imageDirectory).count == 2)
        let kept = #"stat -c "%U %a" "$FEEDSYNC_CACHE"/images/sha256/* | grep -Fx "root 444""#
        #expect(try await program.shell(kept).outputLines.count == 1)
        expectOneLine(try await program.run("validate", "--deep"), exit: 0, ["deleted 0 feeds and 1 image,"])
    }

    @Test("Images are readable for everybody, whatever the umask, because galleries link to them")
    func umask() async throws {
        let server = try FeedServer(images: 2)
        expectQuiet(try await program.shell(#"umask 027; exec "$feedsync" "$@""#, server.feedURL))
        let archive = program.directory.path("cache.tar")
        expectQuiet(try await program.run("export", archive))
        let imported = try await program.shell(
            #"umask 077; exec "$feedsync" --cache "$HOME/copy" import "$1""#, archive)
        #expect(imported.status == .exited(0), "\(imported.errorText)")
        let modes = try await program.shell(
            #"stat -c %a "$FEEDSYNC_CACHE"/images/sha256/* "$HOME"/copy/images/sha256/*"#)
        #expect(modes.outputLines == ["444", "444", "444", "444"])
    }

    @Test("sync without FEED syncs every feed in the cache")
    func bare() async throws {
        let (first, second) = (try FeedServer(images: 1), try FeedServer(images: 1))
        try await program.run(first.feedURL, second.feedURL)
        first.serve(images: [0, 1])
        second.serve(images: [0, 1, 2])

        expectQuiet(try await program.run())

        #expect(first.paths().suffix(2) == ["/feed.json", "/1.png"])
        let status = try await program.status()
        #expect(status["feeds"]?.array?.compactMap { $0["images_cached"]?.int }.sorted() == [2, 3])
    }

    @Test("sync without FEED and with an empty cache is wrong usage")
    func nothing() async throws {
        expectOneLine(try await program.run(), exit: 64, ["no feed to sync", "feedsync help"])
    }

    @Test("Every feed is tried, and the exit code is that of the first hard failure in their order")
    func mixed() async throws {
        let (good, bad, dead) = (try FeedServer(images: 2), try FeedServer(images: 0), try DeadPort())
        bad.serve(feed: "{}")
        good.serve(Reply(404), at: 1)
        let deadFeed = dead.url("/feed.json")
        for (feeds, code) in [
            ([good.feedURL, bad.feedURL, deadFeed], 65 as Int32), ([deadFeed, good.feedURL, bad.feedURL], 69),
            ([good.feedURL, good.feedURL], 23), (["./missing.json", bad.feedURL, good.feedURL], 66),
        ] {
            let program = try Program()
            let result = try await program.run(feeds)
            #expect(result.status == .exited(code))
            #expect(try await program.digest(of: good.imageURL(0)) != "")
            #expect(result.errorLines.count == Set(feeds).count + 1, "\(result.errorText)")
        }
    }

    @Test("An unchanged feed costs one conditional request, and its images cost none")
    func unchanged() async throws {
        let server = try FeedServer(images: 3)
        let body = Array(FeedServer.feed((0..<3).map(server.imageURL)).utf8)
        server.server.route("/feed.json") { .validated(body, etag: "\"1\"", for: $0) }
        try await program.run(server.feedURL)
        try await program.makeStale()
        let before = server.requestCount

        let result = try await program.run("sync", "--json", server.feedURL)

        #expect(result.status == .exited(0))
        #expect(server.paths(after: before) == ["/feed.json"])
        #expect(server.server.requests.last?.header("if-none-match") == "\"1\"")
        #expect(try result.json["feeds"]?[0]?["outcome"]?.string == "unchanged")
        #expect(try result.json["images"]?["cached"]?.int == 3)
        // The server has confirmed the saved feed, so it is fresh again.
        #expect(try await program.status()["feeds"]?[0]?["fresh"]?.bool == true)
    }

    @Test("A feed can have a query, a byte order mark and unknown members")
    func liberal() async throws {
        let server = try FeedServer(images: 1)
        let item = #"{"id":"\#(FeedServer.id(0).uppercased())","x":[{}],"image":"\#(server.imageURL(0))"}"#
        server.server.route("/f?a=b&c", .text("\u{FEFF} {\"version\":2,\"items\":[\(item)]}\n"))
        expectQuiet(try await program.run(server.server.url("/f?a=b&c")))
        #expect(try await program.status()["images"]?["count"]?.int == 1)
    }

    @Test(
        "Images arrive with any framing and any media type",
        arguments: [
            Reply(headers: [("Content-Type", "text/html")], body: FeedServer.image(1)),
            Reply(body: FeedServer.image(1)),
            Reply(body: FeedServer.image(1), framing: .chunked(size: 1)),
            Reply(body: FeedServer.image(1), framing: .untilClosed, ending: .close),
            Reply(body: FeedServer.image(1), ending: .close),
        ])
    func framing(_ reply: Reply) async throws {
        let server = try FeedServer(images: 2)
        server.serve(reply, at: 1)
        expectQuiet(try await program.run(server.feedURL))
        let image = try await program.run("image", "--offline", server.imageURL(1))
        #expect(image.standardOutput == FeedServer.image(1))
    }
}
