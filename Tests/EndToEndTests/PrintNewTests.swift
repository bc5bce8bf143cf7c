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
        try result.outputLines.map { try JSONValue.parse(Array($0.utf8)).afterVersion }
    }

    private func urls(_ result: ProcessResult) throws -> Set<String> {
        Set(try lines(result).compactMap { $0["url"]?.string })
    }

    @Test("--print-new writes a line with every member for each image, and none in the next run")
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

    @Test("--print-new has the text of an image's post, with a page of text on one line")
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

    @Test("--print-new reports an image of several feeds once and shows no password")
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

    @Test("--print-new reports the images that arrived, and one again whose bytes changed")
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

    @Test("--print-new writes absolute paths for a cache with a relative path")
    func relative() async throws {
        let script = #"cd "$HOME" && exec "$feedsync" --cache here --print-new "$1""#
        let paths = try lines(try await program.shell(script, server.feedURL)).compactMap { $0["path"]?.string }
        #expect(paths.count == 2)
        let start = program.directory.path("here/images/sha256/")
        #expect(paths.allSatisfy { $0.hasPrefix(start) && Files.exists($0) }, "\(paths)")
    }

    @Test("--print-new writes nothing in a dry run, whose plan leaves standard output empty")
    func dryRun() async throws {
        let result = try await program.run("-n", "--print-new", server.feedURL)
        #expect(result.status == .exited(0))
        #expect(result.outputText == "")
        #expect(result.errorText.contains("would download \(server.imageURL(0))"))
    }

    @Test("--print-new can't be combined with --json, in any order")
    func json() async throws {
        let both = try await program.run("--print-new", "--json", server.feedURL)
        expectOneLine(both, exit: 64, ["--json", "--print-new"])
        let environment = ["FEEDSYNC_PRINT_NEW": "true"]
        expectOneLine(
            try await program.run("--json", server.feedURL, environment: environment), exit: 64, ["--print-new"])
        #expect(try await program.run(server.feedURL, environment: environment).outputLines.count == 2)
    }

    @Test("The help's example of --print-new copies each new image and is valid in a shell")
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
