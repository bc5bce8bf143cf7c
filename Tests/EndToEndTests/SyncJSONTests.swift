import JSONText
import TestSupport
import Testing

@Suite("The summary of a sync as JSON", .timeLimit(.minutes(10)))
struct SyncJSONTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    @Test("sync --json has every member with its type after a successful run")
    func success() async throws {
        let result = try await program.run("sync", "--json", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.errorText == "")
        #expect(result.outputLines.count == 1)
        let bytes = FeedServer.image(0).count + FeedServer.image(1).count
        #expect(
            try result.comparableJSON == [
                "feeds": [
                    [
                        "url": "\(server.feedURL)", "outcome": "updated", "images": 2, "kept": 0, "saved_at": "TIME",
                        "notes": [],
                        "error": nil,
                    ]
                ],
                "images": [
                    "total": 2, "cached": 0, "downloaded": 2, "skipped": 0, "failed": 0, "bytes": .integer(bytes),
                ],
                "failures": [],
                "duration_seconds": 0,
            ])
        #expect(try result.json["duration_seconds"]?.double.map { $0 > 0 } == true)
    }

    @Test("sync --json reports failures outside the feeds and their images")
    func ownFailure() async throws {
        let file = try program.directory.write([1], to: "file")
        let result = try await program.run("--json", "--gallery", file, server.feedURL)
        #expect(result.status == .exited(73))
        #expect(try result.json["feeds"]?[0]?["outcome"]?.string == "updated")
        #expect(try result.json["error"]?["kind"]?.string == "storage")
        #expect(try result.json["error"]?["message"]?.string?.contains(file) == true)
    }

    @Test("sync --json shows no password from a feed's text")
    func passwords() async throws {
        server.serve(feed: #"{"items":[{"id":"see http://u:s3cret@h/","image":"http://h/x"}]}"#)
        let result = try await program.run("--json", server.feedURL)
        #expect(result.status == .exited(65))
        #expect(try result.json["feeds"]?[0]?["error"]?["message"]?.string?.contains("http://***@h/") == true)
        #expect(!(result.outputText + result.errorText).contains("s3cret"))
    }

    @Test("sync --json of a failed run has the same members, with the feeds in the given order")
    func failure() async throws {
        let (bad, offline, dead) = (try FeedServer(images: 0), try FeedServer(images: 1), try DeadPort())
        bad.serve(feed: "{}")
        try await program.run(offline.feedURL)
        offline.server.route("/feed.json", Reply(503))
        server.serve(Reply(404), at: 1)

        let result = try await program.run(
            "sync", "--json", bad.feedURL, offline.feedURL, server.feedURL, dead.url("/"))

        #expect(result.status == .exited(65))
        let json = try result.comparableJSON
        let unreachable = json["feeds"]?[3]?["error"]?["message"] ?? nil
        #expect(
            json == [
                "feeds": [
                    [
                        "url": "\(bad.feedURL)", "outcome": "failed", "images": 0, "kept": 0, "saved_at": nil,
                        "notes": [],
                        "error": ["kind": "invalidData", "message": "items: missing"],
                    ],
                    [
                        "url": "\(offline.feedURL)", "outcome": "offline", "images": 1, "kept": 0, "saved_at": "TIME",
                        "notes": [],
                        "error": ["kind": "connectivity", "message": "the server answered HTTP 503"],
                    ],
                    [
                        "url": "\(server.feedURL)", "outcome": "updated", "images": 2, "kept": 0, "saved_at": "TIME",
                        "notes": [],
                        "error": nil,
                    ],
                    [
                        "url": "\(dead.url("/"))", "outcome": "failed", "images": 0, "kept": 0, "saved_at": nil,
                        "notes": [],
                        "error": ["kind": "connectivity", "message": unreachable],
                    ],
                ],
                "images": [
                    "total": 3, "cached": 1, "downloaded": 1, "skipped": 0, "failed": 1,
                    "bytes": .integer(FeedServer.image(0).count),
                ],
                "failures": [
                    [
                        "url": "\(server.imageURL(1))", "kind": "invalidData",
                        "message": "the server answered HTTP 404",
                    ]
                ],
                "duration_seconds": 0,
            ])
        #expect(unreachable.string?.contains("onnect") == true)
    }

    @Test("sync --json has the time at which an unchanged feed was confirmed")
    func confirmed() async throws {
        try await program.run(server.feedURL)
        try await program.makeStale()
        let json = try await program.run("sync", "--json", server.feedURL).json
        let status = try await program.status()
        #expect(json["feeds"]?[0]?["saved_at"]?.string == status["feeds"]?[0]?["saved_at"]?.string)
        #expect(status["feeds"]?[0]?["fresh"]?.bool == true)
    }

    @Test("sync --json reports a held lock in one line on standard error")
    func locked() async throws {
        let lock = try HeldLock(of: program)
        let result = try await program.run("sync", "--json", server.feedURL)
        expectOneLine(result, exit: 75, ["--lock-wait"])
        withExtendedLifetime(lock) {}
    }
}

@Suite("How much a sync says", .timeLimit(.minutes(10)))
struct VerbosityTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    @Test("sync --json -v reports each step and each image on standard error", arguments: ["-v", "--verbose"])
    func verbose(_ option: String) async throws {
        server.serve(feedOf: [0, 1, 2].map(server.imageURL))
        let result = try await program.run(option, server.feedURL)
        #expect(result.status == .exited(23))
        #expect(result.outputText == "")
        #expect(result.errorLines.dropFirst(3).first == "feedsync: \(server.feedURL): updated, 3 images")
        for number in 0..<2 {
            #expect(result.errorText.contains("\(server.imageURL(number)): downloaded"))
        }
        #expect(result.errorText.contains("\(server.imageURL(2)): the server answered HTTP 404"))
        #expect(result.errorLines.last?.contains("1 feed, 3 images: 0 cached, 2 downloaded") == true)
    }

    @Test("sync -v reports each failed feed once with its own reason")
    func failedFeeds() async throws {
        let feeds = ["/a.json", "/b.json"].map(server.server.url)
        server.server.route("/a.json", Reply(503))
        server.server.route("/b.json", Reply(503))
        let result = try await program.run(["-v"] + feeds)
        let lines = feeds.map { "feedsync: \($0): the server answered HTTP 503" }
        #expect(result.errorLines.dropLast().map(String.init).sorted() == lines, "\(result.errorText)")
    }

    @Test("sync -v reports how many images each of several feeds is the first to name")
    func sharedImages() async throws {
        let other = try FeedServer(images: 0)
        other.serve(feedOf: [0, 1].map(server.imageURL))
        let result = try await program.run("-v", server.feedURL, other.feedURL)
        for count in [0, 2] {
            let words = "\(count) images that no earlier feed references, 0 of them cached"
            #expect(result.errorText.contains(words), "\(result.errorText)")
        }
    }

    @Test("sync -q prints errors only", arguments: ["-q", "--quiet"])
    func quiet(_ option: String) async throws {
        expectQuiet(try await program.run(option, server.feedURL))
        server.serve(images: [0, 1, 2])
        server.serve(Reply(404), at: 2)
        let result = try await program.run(option, server.feedURL)
        #expect(result.status == .exited(23))
        #expect(result.errorText.contains("404"))
    }

    @Test("Every line on standard error begins with the program's name")
    func prefix() async throws {
        server.serve(feedOf: [0, 1, 2].map(server.imageURL))
        let result = try await program.run("-v", server.feedURL, "./missing")
        #expect(result.errorLines.count > 4)
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("feedsync: ") })
    }
}
