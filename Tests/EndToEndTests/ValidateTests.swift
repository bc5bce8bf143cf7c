import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Validate, from outside", .timeLimit(.minutes(10)))
struct ValidateTests {
    let program: Program
    let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 3)
    }

    func report(
        feeds: [String] = [], images: Int = 0, damaged: Int = 0, damagedImages: [JSONValue] = [], bytes: Int = 0
    ) -> JSONValue {
        [
            "feeds_deleted": .array(feeds.map { .string($0) }), "images_deleted": .integer(images),
            "damaged": .integer(damaged), "damaged_images": .array(damagedImages), "bytes_freed": .integer(bytes),
        ]
    }

    @Test("validate silently leaves a fresh cache as it is")
    func fresh() async throws {
        try await program.run(server.feedURL)
        let saved = try await program.saved(server.feedURL)
        expectQuiet(try await program.run("validate"))
        expectQuiet(try await program.run("validate", "--deep"))
        #expect(try await program.run("validate", "--json").json == report())
        #expect(try await program.saved(server.feedURL) == saved)
        #expect(Files.names(in: program.imageDirectory).count == 3)
    }

    @Test("validate deletes stale feeds and the images that no other feed refers to")
    func stale() async throws {
        let other = try FeedServer(images: 1)
        other.serve(feedOf: [other.imageURL(0), server.imageURL(0)])
        other.serve(.png(7), at: 0)
        try await program.run(server.feedURL, other.feedURL)
        try await program.sql(
            "UPDATE feeds SET saved_at = saved_at - 8*24*3600*1000000 WHERE url = '\(server.feedURL)'")

        let result = try await program.run("validate", "--json")

        #expect(result.status == .exited(0))
        let bytes = FeedServer.image(1).count + FeedServer.image(2).count
        #expect(
            result.errorLines == [
                "feedsync: \(server.feedURL): stale, deleted", "feedsync: deleted 1 feed and 2 images, \(bytes) freed",
            ])
        #expect(try result.json == report(feeds: [server.feedURL], images: 2, bytes: bytes))
        let status = try await program.status()
        #expect(status["feeds"]?.array?.compactMap { $0["url"]?.string } == [other.feedURL])
        #expect(status["feeds"]?[0]?["images_cached"]?.int == 2)
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }

    @Test("validate uses the given maximum age")
    func maxAge() async throws {
        try await program.run(server.feedURL)
        try await program.makeStale()
        expectQuiet(try await program.run("validate", "--max-age", "forever"))
        expectQuiet(try await program.run("validate", "--max-age", "9d"))
        #expect(try await program.status()["feeds"]?.array?.count == 1)
        expectQuiet(try await program.run("validate", "-q", "--max-age", "0s"))
        #expect(try await program.status()["feeds"]?.array?.isEmpty == true)
        #expect(Files.names(in: program.imageDirectory) == [])
    }

    @Test("validate deletes the images that a changed feed no longer names")
    func unreferenced() async throws {
        try await program.run(server.feedURL)
        server.serve(images: [2])
        try await program.run(server.feedURL)
        #expect(Files.names(in: program.imageDirectory).count == 3)
        let bytes = FeedServer.image(0).count + FeedServer.image(1).count
        let plan = try await program.run("validate", "-n", "--json").json
        #expect(plan == report(images: 2, bytes: bytes))
        let result = try await program.run("validate")
        expectOneLine(result, exit: 0, ["feedsync: deleted 0 feeds and 2 images, \(bytes) freed"])
        let digest = try await program.digest(of: server.imageURL(2))
        #expect(Files.names(in: program.imageDirectory) == [digest])
        #expect(try await program.sql("SELECT count(*) FROM data") == "1")
    }

    @Test("validate keeps feeds dated ahead of the clock, which may be wrong, and says so in one line")
    func aheadOfClock() async throws {
        let other = try FeedServer(images: 1)
        try await program.run(server.feedURL, other.feedURL)
        try await program.sql("UPDATE feeds SET saved_at = saved_at + 2*3600*1000000")
        let first = min(server.feedURL, other.feedURL)
        for arguments in [["validate", "-n"], ["validate", "--max-age", "0s", "--json"]] {
            let result = try await program.run(arguments)
            #expect(result.status == .exited(0))
            #expect(result.errorLines.count == 1)
            #expect(result.errorText.contains("\(first): kept, though it was saved at "))
            #expect(result.errorText.contains("which is ahead of the clock; so is 1 more feed"))
            #expect(!result.outputText.contains("would"))
        }
        #expect(try await program.sql("SELECT count(*) FROM feeds") == "2")
        #expect(Files.names(in: program.imageDirectory).count == 3)
        // A kept feed is still stale.
        #expect(try await program.run("show", "--offline", server.feedURL).status == .exited(69))
    }

    @Test(
        "validate forgets an image whose file is gone, so that the next sync downloads it again",
        arguments: [[], ["--deep"]])
    func missing(_ options: [String]) async throws {
        try await program.run(server.feedURL)
        unlink("\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(1)))")
        #expect(try await program.run(["validate"] + options).status == .exited(0))
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 2)
        expectQuiet(try await program.run())
        #expect(server.paths().last == "/1.png")
        #expect(try await program.status()["feeds"]?[0]?["images_cached"]?.int == 3)
    }

    @Test("validate -n says what it would do and does nothing")
    func dryRun() async throws {
        try await program.run(server.feedURL)
        try await program.makeStale()
        let saved = try await program.saved(server.feedURL)
        let result = try await program.run("validate", "-n")
        #expect(result.status == .exited(0))
        #expect(result.outputText.contains("would delete \(server.feedURL)"))
        #expect(result.outputText.contains("would delete 3 images"))
        let json = try await program.run("validate", "-n", "--json")
        let bytes = (0..<3).map { FeedServer.image($0).count }.reduce(0, +)
        #expect(try json.json == report(feeds: [server.feedURL], images: 3, bytes: bytes))
        #expect(try await program.saved(server.feedURL) == saved)
        #expect(Files.names(in: program.imageDirectory).count == 3)
    }

    @Test(
        "validate -n counts what validate would delete",
        arguments: [[], ["--deep"]], ["missing", "replaced", "damaged", "no directory", "unnamed"])
    func dryRunAgrees(options: [String], state: String) async throws {
        try await program.run(server.feedURL)
        let image = "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(1)))"
        switch state {
        case "missing": unlink(image)
        case "replaced":
            unlink(image)
            mkdir(image, 0o700)
        case "damaged": try Files.damage(image)
        case "no directory": rename("\(program.cache)/images", program.directory.path("images"))
        default: try await program.sql("DELETE FROM items WHERE position = 1")
        }
        let plan = try await program.run(["validate", "-n", "--json"] + options).json
        #expect(try await program.run(["validate", "--json"] + options).json == plan)
        // A missing file does not count as damaged.
        #expect(plan["damaged"]?.int == (state == "damaged" && !options.isEmpty ? 1 : 0))
        let images = (plan["images_deleted"]?.int ?? 0) + (plan["damaged"]?.int ?? 0)
        let isSeen = state != "damaged" || options.contains("--deep")
        #expect(images == (state == "no directory" ? 3 : isSeen ? 1 : 0))
    }

    @Test("validate of a missing cache, whose name may be mistyped, creates none", arguments: [["-n"], [], ["--deep"]])
    func nothing(_ options: [String]) async throws {
        expectQuiet(try await program.run(["validate"] + options))
        #expect(try await program.run(["validate", "--json"] + options).json == report(feeds: []))
        #expect(!Files.exists(program.cache))
    }

    @Test("validate of an unreachable cache says so", arguments: [["-n"], [], ["--deep", "--json"]])
    func outOfReach(_ options: [String]) async throws {
        try program.directory.write("no directory", to: "file")
        let below = program.directory.path("file/cache")
        expectOneLine(try await program.run(["validate", "--cache", below] + options), exit: 73, [below])
        symlink("loop", program.directory.path("loop"))
        let loop = program.directory.path("loop")
        let looping = try await program.run(["validate", "--cache", loop] + options)
        #expect([.exited(73), .exited(74)].contains(looping.status) && looping.errorText.contains(loop))
    }

    @Test("validate that is stopped while it waits for an export has deleted nothing")
    func stopped() async throws {
        try await program.run(server.feedURL)
        try await program.makeStale()
        let lock = try HeldLock(onImagesOf: program)
        let run = try program.start("validate", "--json", "--lock-wait", "600")
        // The run waits as soon as it holds the cache's lock.
        while run.result == nil, try await program.shell(#"flock -n "$FEEDSYNC_CACHE/lock" true"#).status == .exited(0)
        {}

        run.kill(SIGTERM)
        let result = await run.wait()

        #expect(result.status == .exited(128 + SIGTERM))
        #expect(try result.json == report())
        #expect(result.errorLines == ["feedsync: stopped; deleted 0 feeds and 0 images, 0 freed"])
        #expect(Files.names(in: program.imageDirectory).count == 3)
        #expect(try await program.sql("SELECT count(*) FROM feeds") == "1")
        withExtendedLifetime(lock) {}
    }

    @Test("validate beside an export deletes nothing, or has nothing to delete")
    func besideAnExport() async throws {
        try await program.run(server.feedURL)
        let lock = try HeldLock(onImagesOf: program)
        expectQuiet(try await program.run("validate", "--deep"))
        try await program.makeStale()

        let result = try await program.run("validate", "--json")

        #expect(result.status == .exited(75))
        #expect(try result.json == report())
        #expect(result.errorLines.count == 2, "\(result.errorText)")
        #expect(result.errorLines.first?.contains("--lock-wait") == true)
        #expect(result.errorLines.last == "feedsync: deleted 0 feeds and 0 images, 0 freed")
        expectOneLine(try await program.run("validate", "-q"), exit: 75, ["--lock-wait"])
        #expect(Files.names(in: program.imageDirectory).count == 3)
        #expect(try await program.sql("SELECT count(*) FROM feeds") == "1")
        withExtendedLifetime(lock) {}
    }

    @Test("validate -v names each deleted feed")
    func verbose() async throws {
        try await program.run(server.feedURL)
        try await program.makeStale()
        let result = try await program.run("validate", "-v")
        #expect(result.outputText == "")
        #expect(result.errorLines.first?.contains(server.feedURL) == true)
        #expect(result.errorLines.last?.contains("1 feed and 3 images") == true)
    }
}
