import JSONText
import TestSupport
import Testing

@Suite("One feed, however its URL is spelt", .timeLimit(.minutes(10)))
struct FeedSpellingTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 2)
    }

    /// Spellings of the URL of one feed.
    private var spellings: [String] {
        let plain = server.feedURL
        return [
            plain, plain.replacing("http:", with: "HTTP:"), plain + "#top",
            plain.replacing("/feed", with: "/x/../feed"), plain.replacing("http:", with: "feed:"), "feed:" + plain,
        ]
    }

    @Test("A feed is requested once in a run, however the command line, config file and list spell its URL")
    func everywhere() async throws {
        let outlines = spellings.map { "<outline xmlUrl='\($0)'/>" }.joined()
        let list = try program.directory.write("<opml><body>\(outlines)</body></opml>", to: "list.opml")
        let config = try program.directory.write(
            spellings.map { "feed = \($0)\n" }.joined() + "[feed \"\(spellings[2])\"]\nmax-age = 1d\n", to: "config")
        let result = try await program.run(["--config", config, "--opml", list, "--json"] + spellings)
        #expect(result.status == .exited(0), "\(result.errorText)")
        #expect(try result.json["feeds"]?.array?.compactMap { $0["url"]?.string } == [server.feedURL])
        #expect(server.paths().filter { $0 == "/feed.json" }.count == 1)
    }

    @Test("A feed is shown under any spelling of its URL")
    func shown() async throws {
        expectQuiet(try await program.run(spellings[4]))
        for spelling in spellings {
            #expect(try await program.run("show", "--offline", spelling).status == .exited(0), "\(spelling)")
        }
    }

    @Test("The scheme feed: without a URL is invalid")
    func feedAlone() async throws {
        expectOneLine(try await program.run("feed:x.json"), exit: 64, ["scheme", "feed"])
    }
}
