import JSONText
import TestSupport
import Testing

@Suite("A sync with --print-new", .timeLimit(.minutes(10)))
struct PrintNewTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    private func line(of number: Int) async throws -> JSONValue {
        let (url, digest) = (server.imageURL(number), try await program.digest(of: server.imageURL(number)))
        return [
            "feed": "\(server.feedURL)", "id": .string(FeedServer.id(number)), "title": nil,
            "description": "Image \(number)", "link": nil, "published": nil, "url": .string(url),
            "digest": "sha256:\(digest)", "path": "\(program.imageDirectory)/\(digest)", "type": "image/png",
            "size": .integer(FeedServer.image(number).count),
        ]
    }

    private func lines(_ result: ProcessResult) throws -> [JSONValue] {
        try result.outputLines.map { try JSONValue.parse(Array($0.utf8)) }
    }

    private func urls(_ result: ProcessResult) throws -> Set<String> {
        Set(try lines(result).compactMap { $0["url"]?.string })
    }

    @Test("writes a line for each image, with every member, and none in the next run")
    func members() async throws {
        let result = try await program.run("--print-new", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.errorText == "")
        let lines = try lines(result)
        #expect(lines.count == 2)
        for number in 0..<2 { #expect(lines.contains(try await line(of: number)), "\(result.outputText)") }
        expectQuiet(try await program.run("--print-new", server.feedURL))
        expectQuiet(try await program.run("--print-new", "--revalidate", server.feedURL))
    }

    @Test("has what a feed says of a image's post, and one line for what is a page of text in it")
    func post() async throws {
        let text = String(repeating: #"line\n\"quoted\" "#, count: 300)
        server.serve(
            feed: #"""
                {"version":"https://jsonfeed.org/version/1.1","title":"Blog","items":[{"id":"post","title":"A day out",
                "url":"https://u:s3cret@blog.example/1","date_published":"2026-11-20T08:15:00.000001Z",
                "content_html":"<img src='0.png' alt='\#(text)'>"}]}
                """#)
        let result = try await program.run("--print-new", server.feedURL)
        #expect(result.outputLines.count == 1, "\(result.outputText)")
        let line = try result.json
        #expect(line["title"] == "A day out")
        #expect(line["link"] == "https://blog.example/1")
        #expect(line["published"] == "2026-11-20T08:15:00.000001Z")
        #expect(try #require(line["description"]?.string).utf8.count > 4096)
    }

    @Test("tells an image of several feeds once, and names no password")
    func severalFeeds() async throws {
        let other = try FeedServer(images: 1)
        other.serve(feedOf: [server.imageURL(0), server.imageURL(1), other.imageURL(0)])
        let feed = other.feedURL.replacing("http://", with: "http://ann:s3cret@")
        let result = try await program.run("--print-new", server.feedURL, feed)
        #expect(try lines(result).count == 3)
        #expect(try urls(result) == [server.imageURL(0), server.imageURL(1), other.imageURL(0)])
        #expect(try lines(result).contains { $0["feed"]?.string == other.feedURL })
        #expect(!result.outputText.contains("s3cret"))
    }

    @Test("tells of the images that could be had, and of one again whose bytes have changed")
    func some() async throws {
        server.serve(Reply(404), at: 1)
        let first = try await program.run("--print-new", server.feedURL)
        #expect(first.status == .exited(23))
        #expect(try urls(first) == [server.imageURL(0)])
        server.serve(.png(7), at: 0)
        server.serve(.png(1), at: 1)
        let second = try await program.run("--print-new", "--revalidate", "--retry-failed", server.feedURL)
        #expect(try urls(second) == [server.imageURL(0), server.imageURL(1)])
    }

    @Test("writes the paths of a cache that is given by a relative one as absolute ones")
    func relative() async throws {
        let script = #"cd "$HOME" && exec "$feedsync" --cache here --print-new "$1""#
        let paths = try lines(try await program.shell(script, server.feedURL)).compactMap { $0["path"]?.string }
        #expect(paths.count == 2)
        let start = program.directory.path("here/images/sha256/")
        #expect(paths.allSatisfy { $0.hasPrefix(start) && Files.exists($0) }, "\(paths)")
    }

    @Test("writes no such line in a dry run, whose plan leaves standard output alone")
    func dryRun() async throws {
        let result = try await program.run("-n", "--print-new", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.outputText == "")
        #expect(result.errorText.contains("would download \(server.imageURL(0))"))
    }

    @Test("doesn't go with --json, wherever the two stand")
    func json() async throws {
        let both = try await program.run("--print-new", "--json", server.feedURL)
        expectOneLine(both, exit: 64, ["--json", "--print-new"])
        let environment = ["FEEDSYNC_PRINT_NEW": "true"]
        expectOneLine(
            try await program.run("--json", server.feedURL, environment: environment), exit: 64, ["--print-new"])
        #expect(try await program.run(server.feedURL, environment: environment).outputLines.count == 2)
    }

    @Test("the example of the help copies each new image, and is one that a shell takes")
    func example() async throws {
        let help = try await program.run("help", "feeds").outputText
        let start = try #require(help.firstRange(of: "    feedsync --print-new |")).lowerBound
        let example = help[start...].split(separator: "\n").prefix(2).joined(separator: "\n")
        try program.directory.write("feed = \(server.feedURL)\n", to: "config")
        let script = #"cd "$HOME"; mkdir -p new; feedsync() { "$feedsync" --config config "$@"; }; "#
        for _ in 0..<2 { expectQuiet(try await program.shell(script + example)) }
        #expect(Files.names(in: program.directory.path("new")) == Files.names(in: program.imageDirectory))
        #expect(Files.names(in: program.imageDirectory).count == 2)
    }
}
