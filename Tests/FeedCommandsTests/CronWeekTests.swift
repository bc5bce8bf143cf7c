import FeedCommands
import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("A week of hourly runs in a pipe", .timeLimit(.minutes(15)))
struct CronWeekTests {
    private static let feeds = (0..<20).map { "https://feeds-\($0).example/feed" }
    private static let dead = FeedError.connectivity("connection refused", host: "dead.example")

    /// Twenty servers, of which the first stops after the first run.
    private struct Servers: Sendable {
        let hour: Hour
        let death: ScriptedHTTPClient.Answer

        /// Answers a request for a feed with the URLs of its two images.
        func answer(_ request: HTTPRequest) -> ScriptedHTTPClient.Answer {
            let url = request.url.text
            if url.contains("dead.example") { return .failure(CronWeekTests.dead) }
            if url.hasSuffix(".png") { return .ok(Samples.png(url)) }
            if url == CronWeekTests.feeds[0], hour.number > 0 { return death }
            var images = (0..<2).map { url.replacing("/feed", with: "/\($0).png") }
            if url == CronWeekTests.feeds[1], hour.number > 0 { images.append("https://dead.example/image.png") }
            return .ok(Array(images.joined(separator: "\n").utf8))
        }
    }

    private final class Hour: Sendable {
        private let value = Mutex(0)
        var number: Int {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
        var now: Timestamp { Timestamp(microseconds: 1_774_744_200_000_000) + .seconds(3600 * number) }
    }

    /// Decodes a body that has the URL of an image on each line.
    private struct LineDecoder: FeedDecoding {
        func decode(_ document: FeedSource, taking selection: ImageSelection) throws(FeedError) -> DecodedFeed {
            let lines = String(decoding: document.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            return DecodedFeed(
                feed: Feed(format: .essential, images: lines.map { FeedImage(id: $0, url: .known($0)) }))
        }

        func decodeSubscriptions(_ document: FeedSource) throws(FeedError) -> SubscriptionList {
            SubscriptionList(feeds: [])
        }
    }

    /// Returns the lines of each hourly run, after a first run in which every server is well.
    private func lines(
        ofHours count: Int, _ death: ScriptedHTTPClient.Answer, expecting code: ExitCode, _ options: String...
    ) async -> [[String]] {
        let hour = Hour()
        let servers = Servers(hour: hour, death: death)
        let contents = InMemoryCache()
        var world = FakeWorld(accountHome: "/home", existing: ["/home/.cache/feedsync"])
        world.cache = Cache(
            feeds: InMemoryFeedStore(contents), images: InMemoryImageStore(contents),
            transfer: InMemoryTransfer(contents), waits: InMemoryFeedWaitStore(),
            reportedFailures: InMemoryReportedFailureStore(contents), search: ImageSearchSpy())
        world.clock = { hour.now }
        world.decoder = LineDecoder()
        world.answer = servers.answer
        func run(_ options: [String], expecting code: ExitCode) async -> [String] {
            let output = RecordedOutput()
            world.output = output
            #expect(await Application(world).run(["--retries", "0"] + options + Self.feeds) == code)
            return output.said
        }
        #expect(await run([], expecting: .ok) == [])
        var lines: [[String]] = []
        for number in 1...count {
            hour.number = number
            lines.append(await run(options, expecting: code))
        }
        return lines
    }

    private func isSummary(_ line: String) -> Bool { line.hasPrefix("feedsync: 20 feeds") }

    @Test("a dead feed and an image on a dead host are reported seven times in a week, with seven summaries")
    func week() async {
        let lines = await lines(ofHours: 168, .status(410), expecting: .invalidData)
        #expect(lines.joined().count { $0.contains("\(Self.feeds[0]): the server answered HTTP 410") } == 7)
        #expect(lines.joined().count { $0.contains("https://dead.example/image.png: connection refused") } == 7)
        #expect(lines.joined().count(where: isSummary) == 7)
        #expect(lines.joined().count == 21)
        #expect(lines.filter { !$0.isEmpty }.count == 7)
    }

    @Test("a feed out of reach is silent while its saved copy is fresh, and --verbose reports every failure")
    func verbose() async {
        let quiet = await lines(ofHours: 26, .failure(Self.dead), expecting: .incomplete)
        #expect(quiet.joined().allSatisfy { !$0.contains(Self.feeds[0]) })
        #expect(quiet.map(\.count) == (1...26).map { $0 % 24 == 1 ? 2 : 0 })
        let verbose = await lines(ofHours: 3, .failure(Self.dead), expecting: .incomplete, "-v")
        #expect(verbose.allSatisfy { $0.contains { $0.contains("dead.example/image.png: connection refused") } })
        #expect(verbose.joined().count(where: isSummary) == 3)
    }
}
