import JSONText
import TestSupport
import Testing

/// Parts of the work, each with its own cache, and their merged result.
@Suite("Parts of the work", .timeLimit(.minutes(10)))
struct ShardTests {
    private let whole: Program

    init() throws { whole = try Program() }

    private func run(_ shard: String, _ options: [String]) async throws -> Program {
        let part = try Program()
        expectQuiet(try await part.run(["--shard", shard] + options))
        return part
    }

    private func savedFeeds(of program: Program) async throws -> [String] {
        (try await program.status()["feeds"]?.array ?? []).compactMap { $0["url"]?.string }
    }

    private func shown(_ feed: String, in program: Program) async throws -> JSONValue? {
        try await program.run("show", "--offline", "--json", "--max-age", "forever", feed).comparableJSON["images"]
    }

    private func archives(_ parts: [Program]) async throws -> [String] {
        var files: [String] = []
        for part in parts {
            files.append(part.directory.path("part.tar"))
            expectQuiet(try await part.run("export", part.directory.path("part.tar")))
        }
        return files
    }

    @Test("Parts by host are disjoint and complete, follow the SHA-256 of the host, and merge in any order")
    func hosts() async throws {
        let feeds = try ClusterFeeds(hosts: 12, onEach: 2)
        let list = try whole.directory.write(feeds.list, to: "feeds.opml")
        expectQuiet(try await whole.run("--allow-private", "--opml", list))
        var parts: [Program] = []
        for part in 0..<3 { parts.append(try await run("\(part)/3", ["--allow-private", "--opml", list])) }
        var seen: [String] = []
        for (number, part) in parts.enumerated() {
            let own = try await savedFeeds(of: part)
            seen += own
            for feed in own {
                let host = feed.split(separator: "/")[1].prefix { $0 != ":" }
                let expected = try await whole.shell(
                    #"printf %s "$1" | sha256sum | { read -r h _; echo $((0x${h%"${h#????????}"} % 3)); }"#,
                    String(host))
                #expect(expected.outputText == "\(number)\n")
            }
        }
        #expect(seen.sorted() == feeds.urls.sorted())

        let files = try await archives(parts)
        let merged = try Program()
        expectQuiet(try await merged.run(["import", "--restore"] + files))
        let backwards = try Program()
        expectQuiet(try await backwards.run(["import", "--restore"] + files.reversed()))
        let bytes = try await merged.run("export", "-").standardOutput
        #expect(try await backwards.run("export", "-").standardOutput == bytes)
        #expect(Files.names(in: merged.imageDirectory) == Files.names(in: whole.imageDirectory))
        for feed in feeds.urls {
            #expect(try await shown(feed, in: merged) == shown(feed, in: whole))
        }
    }

    @Test("Parts by image each save the feed and their images, and merge into one machine's cache")
    func images() async throws {
        let server = try FeedServer(images: 40)
        try await whole.run(server.feedURL)
        var parts: [Program] = []
        for part in 0..<4 { parts.append(try await run("\(part)/4", ["--shard-by", "image", server.feedURL])) }
        #expect(server.paths().filter { $0.hasSuffix(".png") }.count == 80)
        let counts = parts.map { Files.names(in: $0.imageDirectory).count }
        #expect(counts.reduce(0, +) == 40 && counts.allSatisfy { $0 > 0 })
        let merged = try Program()
        expectQuiet(try await merged.run(["import", "--restore"] + (try await archives(parts.reversed()))))
        #expect(Files.names(in: merged.imageDirectory) == Files.names(in: whole.imageDirectory))
        #expect(try await shown(server.feedURL, in: merged) == shown(server.feedURL, in: whole))
        // The next run of a part requests nothing of the other parts.
        let asked = server.requestCount
        expectQuiet(try await parts[0].run("--shard", "0/4", "--shard-by", "image", server.feedURL))
        #expect(server.paths(after: asked) == ["/feed.json"])
    }

    @Test("A part without any work ends at once with a valid cache") func empty() async throws {
        let server = try FeedServer(images: 1)
        var empty = 0
        for part in 0..<2 {
            let result = try await whole.run("--json", "--shard", "\(part)/2", server.feedURL)
            #expect(result.status == .exited(0))
            if try result.json["feeds"] == [] { empty += 1 }
        }
        #expect(empty == 1)
    }

    @Test(
        "An impossible part is wrong usage",
        arguments: ["3/3", "-1/3", "0/0", "1", "1/", "/2", "a/b", "0/3/4", "+0/2", "0/1000001"])
    func usage(_ shard: String) async throws {
        expectOneLine(try await whole.run("--shard=\(shard)", "https://a.example/"), exit: 64, ["--shard", shard])
    }

    @Test("Parts can be set in the environment and the config file, and the metrics name them")
    func metrics() async throws {
        let server = try FeedServer(images: 1)
        let file = whole.directory.path("feedsync.prom")
        let config = try whole.directory.write("shard-by = image\nmetrics-file = \(file)\n", to: "config")
        try await whole.run(
            "--config", config, server.feedURL, environment: ["FEEDSYNC_SHARD": "1/2"])
        let text = String(decoding: try Files.bytes(file), as: UTF8.self)
        #expect(text.contains("\nfeedsync_last_run_exit_code{shard=\"1/2\"} 0\n"))
        #expect(text.contains("\nfeedsync_feeds{outcome=\"updated\",shard=\"1/2\"} 1\n"))
        #expect(try await whole.run("--no-config", server.feedURL).status == .exited(0))
    }
}
