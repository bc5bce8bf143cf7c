import Glibc
import JSONText
import TestSupport
import Testing

@Suite("Status, from outside", .timeLimit(.minutes(10)))
struct StatusTests {
    private let program: Program

    init() throws { program = try Program() }

    @Test("status of a missing default cache shows an empty one and creates nothing")
    func missing() async throws {
        let result = try await program.run("status", "--json", environment: ["FEEDSYNC_CACHE": ""])
        #expect(result.status == .exited(0))
        let cache = program.directory.path(".cache/feedsync")
        #expect(try result.json == ["cache": .string(cache), "feeds": [], "images": ["count": 0, "bytes": 0]])
        let text = try await program.run("status", environment: ["FEEDSYNC_CACHE": ""])
        #expect(text.outputLines.count == 1)
        #expect(text.outputText.contains("0 feeds, 0 images"))
        #expect(!Files.exists(cache))
    }

    @Test("a command that only reads reports a cache that is named and missing, and creates nothing")
    func missingNamed() async throws {
        let commands = [
            ["status"], ["find"], ["export", program.directory.path("a.tar")],
            ["gallery", program.directory.path("site")],
            ["tree", program.directory.path("tree")], ["show", "--offline", "http://h/feed"],
            ["image", "--offline", "http://h/1.png"],
        ]
        for command in commands {
            expectOneLine(try await program.run(command), exit: 66, ["\(program.cache): there is no such cache"])
        }
        expectOneLine(
            try await program.run("status", "--cache", "/nowhere", environment: ["FEEDSYNC_CACHE": ""]), exit: 66,
            ["/nowhere"])
        #expect(Files.names(in: program.directory.path) == [])
    }

    @Test("status of feeds prints what is known about them as lines, and as JSON only these feeds")
    func chosen() async throws {
        let (first, second) = (try FeedServer(images: 2), try FeedServer(images: 1))
        try await program.run(first.feedURL, second.feedURL)

        let text = try await program.run("status", second.feedURL)
        #expect(text.outputLines.first == "url: \(second.feedURL)")
        #expect(text.outputLines.contains("images_cached: 1") && text.outputLines.contains("format: essential"))
        #expect(!text.outputText.contains(first.feedURL))
        let both = try await program.run("status", second.feedURL, first.feedURL, second.feedURL)
        #expect(both.outputText.split(separator: "\n\n").count == 2)

        let json = try await program.run("status", "--json", second.feedURL).json
        #expect(json["feeds"]?.array?.compactMap { $0["url"]?.string } == [second.feedURL])
        #expect(json["feeds"]?[0]?["bytes"]?.int == FeedServer.image(0).count)
        #expect(json["images"]?["count"] == 2)
        let unknown = "http://nowhere.example/feed"
        expectOneLine(try await program.run("status", unknown), exit: 66, [unknown, "was never saved"])
    }

    @Test("the table of status is as wide as the terminal, and a pipe gets everything")
    func terminal() async throws {
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        let title = String(repeating: "A long title ", count: 20) + "with an end"
        try await program.sql("UPDATE feeds SET title = '\(title)'")
        #expect(try await program.run("status").outputText.contains("\n\(title)  fresh  1 of 1     0"))

        let terminal = try PseudoTerminal(columns: 80)
        let run = try program.start(["status"], on: terminal)
        let result = await run.wait()
        let lines = result.outputText.split(whereSeparator: \.isNewline)
        #expect(
            lines.contains { $0.hasPrefix("A long title") && $0.contains("…  fresh  1 of 1") }, "\(result.outputText)")
        #expect(lines.dropFirst().allSatisfy { $0.count <= 80 }, "\(result.outputText)")
    }

    @Test("status shows each feed, its age, and the number of its cached images")
    func filled() async throws {
        let (first, second) = (try FeedServer(images: 2), try FeedServer(images: 1))
        first.serve(Reply(404), at: 1)
        second.serve(feedOf: [second.imageURL(0), first.imageURL(0)])
        try await program.run(first.feedURL, second.feedURL)
        try await program.sql(
            "UPDATE feeds SET saved_at = saved_at - 8*24*3600*1000000 WHERE url = '\(second.feedURL)'")

        let result = try await program.run("status", "--json")

        func feed(_ server: FeedServer, _ age: JSONValue, fresh: Bool, cached: Int, failed: Int) -> JSONValue {
            [
                "url": "\(server.feedURL)", "title": nil, "format": "essential", "saved_at": "TIME",
                "age_seconds": age, "fresh": .bool(fresh), "images": 2, "images_cached": .integer(cached),
                "images_failed": .integer(failed), "kept": 0,
                "bytes": .integer(cached == 0 ? 0 : FeedServer.image(0).count), "keep": "none", "moved_to": nil,
                "last_error": nil,
            ]
        }
        let json = try result.comparableJSON
        let feeds = try #require(json["feeds"]?.array)
        func age(_ server: FeedServer) throws -> JSONValue {
            try #require(feeds.first { $0["url"]?.string == server.feedURL }?["age_seconds"] ?? nil)
        }
        let (new, old) = (try age(first), try age(second))
        #expect(try #require(new.int) / 3600 == 0)
        #expect(try #require(old.int) / 86_400 == 8)
        let expected = [
            feed(first, new, fresh: true, cached: 1, failed: 1), feed(second, old, fresh: false, cached: 2, failed: 0),
        ]
        #expect(feeds.count == 2)
        #expect(expected.allSatisfy(feeds.contains))
        let bytes = FeedServer.image(0).count
        // Both servers' first images have the same bytes and share one file.
        #expect(json["images"] == ["count": 1, "bytes": .integer(bytes)])

        let text = try await program.run("status")
        #expect(text.outputLines.count == 5)
        #expect(
            text.outputLines.contains { $0.hasPrefix("\(first.feedURL): 1 image failed (next try in 5") },
            "\(text.outputText)"
        )
        #expect(text.outputLines.count { $0.contains("  stale  ") && $0.contains(second.feedURL) } == 1)
        #expect(text.outputLines.count { $0.contains("  fresh  ") && $0.contains(first.feedURL) } == 1)
        let patient = try await program.run("status", "--max-age", "9d", "--json").json
        #expect(patient["feeds"]?.array?.allSatisfy { $0["fresh"]?.bool == true } == true)
    }

    @Test("status counts only images whose file exists with the right size")
    func lost() async throws {
        let server = try FeedServer(images: 4)
        server.serve(.png(0), at: 4)
        server.serve(feedOf: (0..<5).map(server.imageURL))
        try await program.run(server.feedURL)
        func file(_ number: Int) async throws -> String {
            "\(program.imageDirectory)/\(try await program.digest(of: server.imageURL(number)))"
        }
        unlink(try await file(1))
        truncate(try await file(2), 5)
        let directory = try await file(3)
        unlink(directory)
        mkdir(directory, 0o700)

        let status = try await program.status()

        // The first and the last image have the same bytes.
        #expect(status["feeds"]?[0]?["images"]?.int == 5)
        #expect(status["feeds"]?[0]?["images_cached"]?.int == 2)
        #expect(status["images"] == ["count": 1, "bytes": .integer(FeedServer.image(0).count)])
        #expect(try await program.run("status").outputText.contains("  2 of 5  "))
    }

    @Test("status counts the space of a replaced image until it is deleted")
    func replaced() async throws {
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        server.serve(.image(FeedServer.image(7)), at: 0)
        try await program.run("--revalidate", server.feedURL)
        #expect(try await program.status()["images"]?["count"]?.int == 2)
        try await program.run("validate")
        #expect(try await program.status()["images"]?["count"]?.int == 1)
    }

    @Test("status needs no lock and leaves the database as it is")
    func untouched() async throws {
        let server = try FeedServer(images: 1)
        try await program.run(server.feedURL)
        let before = try Files.bytes(program.database)
        let lock = try HeldLock(of: program)
        #expect(try await program.run("status").status == .exited(0))
        #expect(try Files.bytes(program.database) == before)
        withExtendedLifetime(lock) {}
    }
}

@Suite("Where the cache is", .timeLimit(.minutes(10)))
struct CachePlaceTests {
    private let program: Program

    init() throws { program = try Program() }

    private func cache(_ script: String) async throws -> String? {
        try await program.shell(script).json["cache"]?.string
    }

    @Test("The cache is named by --cache, else FEEDSYNC_CACHE, else XDG_CACHE_HOME, else HOME")
    func order() async throws {
        let status = #""$feedsync" status --json"#
        for name in ["a", "d"] { _ = try program.directory.makeDirectory(name) }
        let (a, d) = (program.directory.path("a"), program.directory.path("d"))
        #expect(try await cache("FEEDSYNC_CACHE=\(a) XDG_CACHE_HOME=/b HOME=/c \(status) --cache \(d)") == d)
        #expect(try await cache("FEEDSYNC_CACHE=\(a) XDG_CACHE_HOME=/b HOME=/c \(status)") == a)
        #expect(try await cache("FEEDSYNC_CACHE= XDG_CACHE_HOME=/b HOME=/c \(status)") == "/b/feedsync")
        #expect(try await cache("FEEDSYNC_CACHE= XDG_CACHE_HOME= HOME=/c \(status)") == "/c/.cache/feedsync")
    }

    @Test("The cache is in the account's home if the environment names none, as under cron")
    func bare() async throws {
        let home = try await program.shell("getent passwd $(id -u) | cut -d: -f6").outputLines.first ?? ""
        #expect(try await cache(#"env -i "$feedsync" status --json"#) == "\(home)/.cache/feedsync")
    }

    @Test("The cache can be anywhere, with spaces and quotes in its name and an empty environment")
    func anywhere() async throws {
        let server = try FeedServer(images: 1)
        let place = program.directory.path("a/b c/d'e?#%20")
        expectQuiet(
            try await program.shell(#"env -i "$feedsync" --cache "$1" "$2" "#, place, server.feedURL))
        #expect(Files.names(in: "\(place)/images/sha256").count == 1)
        #expect(try Files.mode(place) == 0o700)
    }

    @Test("A directory with other files is no cache for commands that read or prune, and stays as it is")
    func otherDirectory() async throws {
        let server = try FeedServer(images: 1)
        let place = try program.directory.makeDirectory("images")
        try program.directory.write("mine", to: "images/notes.txt")
        let commands = [
            ["status"], ["status", "--json"], ["show", "--offline", server.feedURL],
            ["image", "--offline", server.imageURL(0)], ["export", program.directory.path("all.tar")],
            ["gallery", program.directory.path("site")], ["remove", server.feedURL], ["validate"], ["validate", "-n"],
        ]
        for command in commands {
            let result = try await program.run(command + ["--cache", place])
            expectOneLine(result, exit: 66, ["\(place): is no feedsync cache", "--cache"])
        }
        expectOneLine(try await program.run("sync", "--cache", place), exit: 64, ["no feed to sync"])
        #expect(Files.names(in: place) == ["notes.txt"])
        #expect(!Files.exists(program.directory.path("site")))
    }

    @Test("A directory with other files becomes a cache when a command saves something in it")
    func sharedDirectory() async throws {
        let server = try FeedServer(images: 1)
        let place = try program.directory.makeDirectory("images")
        try program.directory.write("mine", to: "images/notes.txt")
        let planned = try await program.run("sync", "-n", "--cache", place, server.feedURL)
        #expect(planned.status == .exited(0) && planned.outputText.hasPrefix("would save "), "\(planned.errorText)")
        #expect(Files.names(in: place) == ["notes.txt"])
        for command in [["show", server.feedURL], ["image", server.imageURL(0)], ["sync", server.feedURL]] {
            let result = try await program.run(command + ["--cache", place])
            #expect(result.status == .exited(0) && result.errorText == "", "\(result.errorText)")
        }
        #expect(try await program.run("status", "--cache", place, "--json").json["images"]?["count"]?.int == 1)
        #expect(Files.names(in: place).contains("notes.txt"))
    }

    @Test("The cache can be an unused empty directory or the root of a file system")
    func emptyDirectory() async throws {
        let place = try program.directory.makeDirectory("empty")
        #expect(try await program.run("status", "--cache", place).outputText.contains("0 feeds"))
        _ = try program.directory.makeDirectory("empty/lost+found")
        #expect(try await program.run("status", "--cache", place).status == .exited(0))
        expectQuiet(try await program.run("validate", "--cache", place))
    }

    @Test("The cache can't be a file or lie below one")
    func unusable() async throws {
        let server = try FeedServer(images: 1)
        let file = try program.directory.write("", to: "file")
        for place in [file, "\(file)/cache", "/proc/feedsync"] {
            expectOneLine(try await program.run("--cache", place, server.feedURL), exit: 73, [place])
        }
        #expect(server.requestCount == 0)
    }
}
