import Glibc
import JSONText
import TestSupport
import Testing

@Suite("The history of a feed is mirrored page by page", .timeLimit(.minutes(10)))
struct HistoryTests {
    private let program: Program
    private let server: LoopbackServer
    private static let all = ["--keep", "forever", "--pages", "all"]

    init() throws {
        program = try Program()
        server = try LoopbackServer()
        server.route("/image", .image(Samples.png))
    }

    private var feed: String { server.url("/page/1") }

    /// Returns a page of the history: an item for each number, with an image of its own.
    private func page(_ items: some Sequence<Int>, next: String?) -> Reply {
        let items = items.map { #"{"id":"\#($0)","image":"/image?\#($0)"}"# }.joined(separator: ",")
        let next = next.map { #","next_url":"\#($0)""# } ?? ""
        return .text(#"{"version":"https://jsonfeed.org/version/1.1","items":[\#(items)]\#(next)}"#)
    }

    /// Serves this many pages, each with `size` items, the newest first.
    private func serve(pages count: Int, of size: Int) {
        for number in 1...count {
            let first = (count - number) * size
            let next = number < count ? "/page/\(number + 1)" : nil
            server.route("/page/\(number)", page((first..<first + size).reversed(), next: next))
        }
    }

    /// Returns the numbers of the requested pages, after the first `count` requests.
    private func pages(after count: Int = 0) -> [Int] {
        server.requests.dropFirst(count).compactMap { request in
            request.path.hasPrefix("/page/") ? Int(request.path.dropFirst("/page/".count)) : nil
        }
    }

    /// Runs a sync, and returns its result and the pages that it requested.
    private func sync(_ arguments: String...) async throws -> (result: ProcessResult, pages: [Int]) {
        let before = server.requests.count
        let result = try await program.run(Self.all + arguments + [feed])
        return (result, pages(after: before))
    }

    private func ids() async throws -> [Int] {
        let images = try (await program.run("show", "--offline", "--json", feed)).json["images"]?.array ?? []
        #expect(images.allSatisfy { $0["path"]?.string != nil })
        return images.compactMap { $0["id"]?.string.flatMap { Int($0) } }
    }

    @Test("A page that fails leaves the pages before it saved, and the next run continues there")
    func failingPage() async throws {
        serve(pages: 4, of: 2)
        server.route("/page/3", Reply(500))
        let first = try await sync("--json")
        #expect(first.result.status == .exited(23))
        #expect(first.pages == [1, 2, 3])
        let reason = "page 3, \(server.url("/page/3")): the server answered HTTP 500"
        #expect(first.result.errorLines.first == "feedsync: \(feed): \(reason)")
        let report = try first.result.json["feeds"]?.array?.first
        #expect(report?["outcome"]?.string == "updated")
        #expect(report?["images"]?.int == 2)
        #expect(report?["kept"]?.int == 2)
        #expect(report?["error"]?["message"]?.string == reason)
        #expect(try await ids() == [7, 6, 5, 4])
        let status = try await program.status()
        #expect(status["feeds"]?.array?.first?["last_error"]?["message"]?.string == reason)
        serve(pages: 4, of: 2)
        let second = try await sync()
        expectQuiet(second.result)
        #expect(second.pages == [1, 3, 4])
        #expect(try await ids() == [7, 6, 5, 4, 3, 2, 1, 0])
        let third = try await sync()
        expectQuiet(third.result)
        #expect(third.pages == [1])
        #expect(try await program.sql("SELECT count(*) FROM walks") == "0")
    }

    @Test("A later run requests pages only until one of them contains nothing new")
    func later() async throws {
        serve(pages: 3, of: 2)
        expectQuiet(try await sync().result)
        serve(pages: 5, of: 2)
        let second = try await sync()
        expectQuiet(second.result)
        #expect(second.pages == [1, 2, 3])
        #expect(try await ids() == (0..<10).reversed())
        let fewer = try await program.run("--pages", "2", feed)
        expectQuiet(fewer)
        #expect(pages().last == 1)
    }

    @Test("show prints the pages before a failed page, and exits with 23")
    func shown() async throws {
        serve(pages: 3, of: 2)
        server.route("/page/3", Reply(404))
        let result = try await program.run(["show", "--json"] + Self.all + [feed])
        #expect(result.status == .exited(23))
        #expect(try result.json["images"]?.array?.count == 4)
        #expect(
            result.errorText
                == "feedsync: \(feed): page 3, \(server.url("/page/3")): the server answered HTTP 404\n")
    }

    @Test("Without --keep, a page that fails leaves nothing saved")
    func withoutKeep() async throws {
        serve(pages: 3, of: 2)
        server.route("/page/3", Reply(500))
        let result = try await program.run("--pages", "all", feed)
        #expect(result.status == .exited(69))
        #expect(try await program.status()["feeds"]?.array == [])
    }

    @Test("The history of a WordPress site continues after a failure, and ends where a page is missing")
    func wordPress() async throws {
        let generator = "<generator>http://wordpress.org/?v=5.1</generator>"
        func serve(_ number: Int) {
            let items = "<item><guid>\(number)</guid><enclosure url='/image?\(number)' type='image/png'/></item>"
            let text = "<rss version='2.0'><channel>\(generator)\(items)</channel></rss>"
            server.route(number == 1 ? "/feed?cat=5" : "/feed?cat=5&paged=\(number)", .text(text, type: "text/xml"))
        }
        for number in [1, 2, 4] { serve(number) }
        server.route("/feed?cat=5&paged=3", Reply(500))
        let url = server.url("/feed?cat=5")
        #expect(try await program.run(Self.all + [url]).status == .exited(23))
        serve(3)
        let before = server.requests.count
        expectQuiet(try await program.run(Self.all + [url]))
        let asked = server.requests.dropFirst(before).map(\.path).filter { $0.hasPrefix("/feed") }
        #expect(asked == ["/feed?cat=5", "/feed?cat=5&paged=3", "/feed?cat=5&paged=4", "/feed?cat=5&paged=5"])
        #expect(try await program.status()["feeds"]?.array?.first?["images_cached"]?.int == 4)
    }

    @Test("A run that is killed loses at most the page under way, at each of 20 random pages")
    func killed() async throws {
        let (count, size) = (200, 10)
        serve(pages: count, of: size)
        var generator = SeededGenerator(seed: 20)
        let kills = Array((2...count).shuffled(using: &generator).prefix(20)).sorted()
        var next = 2
        for killed in kills {
            let gate = Gate()
            var held = page([], next: nil)
            held.gate = gate
            server.route("/page/\(killed)", held)
            let before = server.requests.count
            let run = try program.start(Self.all + [feed])
            await run.comes(to: gate)
            run.kill(SIGKILL)
            #expect(await run.wait().status == .signalled(SIGKILL))
            #expect(pages(after: before) == [1] + Array(next...killed))
            next = killed
            gate.open()
            serve(pages: count, of: size)
        }
        let last = try await sync("--json")
        #expect(last.result.status == .exited(0), "\(last.result.errorText)")
        #expect(last.pages == [1] + Array(next...count))
        #expect(try last.result.json["images"]?["downloaded"]?.int == count * size)
        #expect(try await ids() == (0..<count * size).reversed())
    }
}
