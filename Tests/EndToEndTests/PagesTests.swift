import JSONText
import TestSupport
import Testing

@Suite("The pages of a feed", .timeLimit(.minutes(10)))
struct PagesTests {
    private let program: Program
    private let server: FeedServer

    init() throws {
        program = try Program()
        server = try FeedServer(images: 8)
    }

    /// Serves a feed in RSS of these items.
    private func serve(_ path: String, _ items: ClosedRange<Int>?, _ channel: String = "") {
        let items = (items.map(Array.init) ?? []).map { number in
            "<item><guid>\(number)</guid><enclosure url='\(server.imageURL(number))' type='image/png'/></item>"
        }
        let text = """
            <rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel>\(channel)\(items.joined())</channel></rss>
            """
        server.server.route(path, .text(text, type: "text/xml"))
    }

    private static func link(_ relation: String, _ target: String) -> String {
        "<atom:link rel='\(relation)' href='\(target)'/>"
    }

    private static let wordPress = "<generator>https://wordpress.org/?v=6.4.2</generator>"

    /// Loads the feed, and returns the ids of its images and the requested paths of pages.
    private func show(
        _ path: String, _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> (ids: [String], asked: [String]) {
        let before = server.requestCount
        let result = try await program.run(
            ["show", "--json", server.server.url(path)] + arguments, environment: environment)
        #expect(result.status == .exited(0), "\(result.errorText)")
        let images = try result.json["images"]?.array ?? []
        return (images.compactMap { $0["id"]?.string }, server.paths(after: before))
    }

    @Test("--pages all loads the whole archive of a feed, also by its variable and the config file")
    func archive() async throws {
        serve("/feed", 0...1, Self.link("prev-archive", "/2") + Self.link("next-archive", "/0"))
        serve("/2", 2...3, Self.link("next", "/3") + Self.link("prev-archive", "/x"))
        serve("/3", 4...5, Self.link("prev-archive", "/4"))
        serve("/4", 5...6)
        let (ids, asked) = try await show("/feed", "--pages", "all")
        #expect(ids == (0...6).map { "\($0)" })
        #expect(asked == ["/feed", "/2", "/3", "/4"])
        #expect(try await show("/feed", "--pages=2").ids.count == 4)
        #expect(try await show("/feed", environment: ["FEEDSYNC_PAGES": "all"]).ids == ids)
        let feed = server.server.url("/feed")
        let config = try program.directory.write("[feed \"\(feed)\"]\npages = all\n", to: "config")
        #expect(try await show("/feed", "--config", config).ids == ids)
    }

    @Test("The feed of a WordPress site goes on with ?paged=2 until a page is missing")
    func wordPress() async throws {
        serve("/feed/?cat=5&paged=1&x=y", 0...1, Self.wordPress)
        serve("/feed/?cat=5&paged=2&x=y", 1...3, Self.wordPress)
        serve("/feed/?cat=5&paged=3&x=y", 4...5, Self.wordPress)
        let (ids, asked) = try await show("/feed/?cat=5&paged=1&x=y", "--pages", "all")
        #expect(ids == (0...5).map { "\($0)" })
        #expect(asked == (1...4).map { "/feed/?cat=5&paged=\($0)&x=y" })
    }

    @Test("A page without items, or with nothing new, ends the feed of a WordPress site")
    func wordPressEnds() async throws {
        serve("/feed", 0...1, Self.wordPress)
        // A path without a query covers every query.
        #expect(try await show("/feed", "--pages", "all").asked == ["/feed", "/feed?paged=2"])
        serve("/feed?paged=2", 2...3, Self.wordPress)
        serve("/feed?paged=3", nil, Self.wordPress)
        #expect(try await show("/feed", "--pages", "all").ids.count == 4)
        #expect(server.paths().last == "/feed?paged=3")
        #expect(try await show("/feed").asked == ["/feed"])
    }

    @Test("A WordPress feed that names its next page is read as it says")
    func wordPressLinks() async throws {
        serve("/feed", 0...1, Self.wordPress + Self.link("next", "/older"))
        serve("/older", 2...3)
        #expect(try await show("/feed", "--pages", "all").asked == ["/feed", "/older"])
        serve("/feed", 0...1, Self.wordPress + Self.link("next", "http://localhost:1/older"))
        #expect(try await show("/feed", "--pages", "all").asked == ["/feed"])
    }

    @Test("A page that fails fails the load")
    func failing() async throws {
        serve("/feed", 0...1, Self.wordPress)
        server.server.route("/feed?paged=2", Reply(500))
        let guessed = server.server.url("/feed")
        expectOneLine(
            try await program.run("show", "--pages", "all", guessed), exit: 69,
            ["page 2, \(guessed)?paged=2: the server answered HTTP 500"])
        serve("/named", 0...1, Self.link("prev-archive", "/missing"))
        let named = server.server.url("/named")
        expectOneLine(
            try await program.run("show", "--pages", "all", named), exit: 65,
            ["page 2, \(server.server.url("/missing")): the server answered HTTP 404"])
    }
}
