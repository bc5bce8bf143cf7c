import FeedCore
import TestDoubles
import Testing

@testable import FeedCommands

@Suite("The progress line")
struct ProgressLineTests {
    /// Returns a state that is half done after ten seconds, at a megabyte per second.
    private func state(_ label: String = "images.example.com", failed: Int = 2) -> ProgressState {
        var state = ProgressState(label: label, noun: "image")
        state.update(Progress(done: 0, total: 10_000), at: .zero)
        for second in 1...10 {
            let progress = Progress(
                done: second * 500, total: 10_000, bytes: Int64(second) << 20, failed: failed)
            state.update(progress, at: .seconds(second))
        }
        return state
    }

    @Test(
        "the progress line shows the parts that fit, and always the count",
        arguments: [
            (20, "5000/10000"), (24, "5000/10000  2 failed"), (40, "5000/10000  1M/s  0:10 left  2 failed"),
            (60, "5000/10000 images  50%  10M  1M/s  0:10 left  2 failed"),
            (80, "images.example.com  5000/10000 images  50%  10M  1M/s  0:10 left  2 failed"),
            (
                120,
                "images.example.com  [##############..............]  5000/10000 images  50%  10M  1M/s  0:10 left  2 failed"
            ),
            (5, "50"), (1, "5"), (0, "5"),
        ])
    func widths(width: Int, expected: String) {
        #expect(ProgressLine.text(state(), at: .seconds(10), width: width) == expected)
    }

    @Test("the progress line leaves room for the ^C that a terminal shows after it", arguments: Array(4...250))
    func fits(width: Int) {
        for label in ["a.example", "a-rather-long-name.of-a-server.example", ""] {
            let line = ProgressLine.text(state(label), at: .seconds(10), width: width)
            #expect(line.count <= max(1, width - 3))
        }
    }

    @Test("the progress line leaves out what is unknown")
    func unknown() {
        var state = ProgressState(label: "", noun: "feed")
        #expect(ProgressLine.text(state, at: .zero, width: 80) == "0 feeds")
        state.update(Progress(done: 1, total: 3), at: .seconds(1))
        let line = ProgressLine.text(state, at: .seconds(1), width: 60)
        #expect(line == "[#########...................]  1/3 feeds  33%")
    }

    @Test("colours take no columns of the progress line") func colours() {
        let line = ProgressLine.text(state(), at: .seconds(10), width: 60, colours: true)
        #expect(line == "5000/10000 images  50%  10M  1M/s  0:10 left  \u{1B}[31m2 failed\u{1B}[0m")
    }

    @Test("data that was cached before counts neither for the time left nor for the rate") func baseline() {
        var state = ProgressState(label: "", noun: "image")
        state.update(Progress(done: 9000, total: 10_000), at: .seconds(1))
        #expect(state.timeLeft(at: .seconds(1)) == nil)
        state.update(Progress(done: 9500, total: 10_000, bytes: 5 << 20), at: .seconds(6))
        #expect(state.timeLeft(at: .seconds(6)) == .seconds(5))
        #expect(state.rate == 1 << 20)
    }

    @Test("the rate shows within seconds that a server has stalled") func stalled() {
        var state = state()
        for second in 11...16 { state.sample(at: .seconds(second)) }
        #expect(state.rate == 0)
    }

    @Test("bytes that are counted separately show before the first image is done") func metered() {
        var state = ProgressState(label: "", noun: "image")
        state.update(Progress(done: 0, total: 1), at: .zero)
        for second in 1...3 { state.sample(bytes: Int64(second) << 20, at: .seconds(second)) }
        #expect(ProgressLine.text(state, at: .seconds(3), width: 30) == "0/1 images  0%  3M  1M/s")
    }

    @Test("the progress line counts feeds first, then the images of the feeds that have arrived") func sync() throws {
        let url = try ResourceURL("https://a.example/")
        var progress = SyncProgress(feeds: 2)
        progress.take(.feed(FeedReport(url: url, outcome: .updated, error: nil)))
        #expect(progress.noun == "feed")
        #expect(progress.progress == Progress(done: 1, total: 2))
        progress.take(.imagesSurveyed(10, wanted: 3))
        #expect(progress.noun == "image")
        #expect(progress.progress == Progress(done: 7, given: 7, total: 10, awaitedFeeds: 1))
        progress.take(.imageAnswered)
        progress.take(.imageFailed(url, .invalidData("x")))
        progress.take(.imageAnswered)
        progress.take(.imageDownloaded(url, bytes: 10))
        #expect(progress.progress == Progress(done: 9, given: 7, total: 10, awaitedFeeds: 1, failed: 1))
        progress.take(.feed(FeedReport(url: url, outcome: .failed, error: .invalidData("x"))))
        progress.take(.imagesSurveyed(5, wanted: 5))
        #expect(progress.progress == Progress(done: 9, given: 7, total: 15, failed: 2))
    }

    @Test("the progress line shows the number of awaited feeds while the total is unknown") func awaited() {
        var state = ProgressState(label: "", noun: "image")
        state.update(Progress(done: 0, total: 3, awaitedFeeds: 2), at: .zero)
        state.update(Progress(done: 2, total: 3, awaitedFeeds: 2), at: .seconds(2))
        #expect(ProgressLine.text(state, at: .seconds(2), width: 80) == "2/3 images  2 feeds awaited")
        state.update(Progress(done: 2, total: 3, awaitedFeeds: 0), at: .seconds(2))
        #expect(ProgressLine.text(state, at: .seconds(2), width: 30) == "2/3 images  66%  0:01 left")
    }

    @Test("the time left is that of the images, whatever came before") func syncTime() {
        var state = ProgressState(label: "", noun: "feed")
        state.update(Progress(done: 0, total: 1), at: .zero)
        state.noun = "image"
        state.update(Progress(done: 90, given: 90, total: 100), at: .seconds(100))
        #expect(state.timeLeft(at: .seconds(101)) == nil)
        state.update(Progress(done: 92, given: 90, total: 100), at: .seconds(102))
        #expect(state.timeLeft(at: .seconds(102)) == .seconds(8))
    }
}

@Suite("Metrics as text")
struct RunMetricsTests {
    private func metrics(endedAt microseconds: Int64, exitCode: Int32, earlier: String? = nil, shard: Shard? = nil)
        -> String
    {
        RunMetrics(
            endedAt: Timestamp(microseconds: microseconds), duration: .milliseconds(1500), exitCode: exitCode,
            report: nil, cache: nil, earlierSuccess: earlier, shard: shard
        ).text
    }

    @Test("a time in the metrics has six digits after the point")
    func fraction() {
        let text = metrics(endedAt: 1_700_000_000_000_123, exitCode: 0)
        #expect(text.contains("\nfeedsync_last_run_timestamp_seconds 1700000000.000123\n"))
        #expect(text.contains("\nfeedsync_last_success_timestamp_seconds 1700000000.000123\n"))
    }

    @Test("a time before 1970 is written as 0")
    func early() {
        for microseconds in [-1, -1_500_000, Int64.min] {
            let text = metrics(endedAt: microseconds, exitCode: 0)
            #expect(text.contains("\nfeedsync_last_run_timestamp_seconds 0.000000\n"))
        }
    }

    @Test("each feed has metrics with its escaped URL, without passwords, up to 1,000 feeds")
    func feeds() throws {
        let odd = try ResourceURL("http://ann:s3cret@a.example/x?q=\u{22}a\u{22}").asFeed
        let others = (0..<1000).map { ResourceURL.known("https://feeds.example/\($0)") }
        var images = ImagesReport()
        images.failures = [.init(url: odd, error: .invalidData("x"), feeds: [odd, others[0]])]
        let saved = SavedFeed(
            url: odd, feed: Feed(format: .rss, images: []), savedAt: Timestamp(microseconds: 5_000_000))
        let text = RunMetrics(
            endedAt: Timestamp(microseconds: 0), duration: .zero, exitCode: 0,
            report: SyncReport(
                feeds: [FeedReport(url: odd, outcome: .failed, error: .invalidData("x"))]
                    + others.map { FeedReport(url: $0, outcome: .updated, savedAt: saved.savedAt, error: nil) },
                images: images),
            cache: .init(
                images: ImageTotals(count: 0, bytes: 0), oldestFeed: nil, feeds: [FeedSummary(saved.head, images: 7)]),
            earlierSuccess: nil, shard: nil
        ).text
        let lines = text.split(separator: "\n").filter { $0.contains("{feed=") }
        #expect(lines.count == 3000)
        #expect(!text.contains("s3cret"))
        let label = "{feed=\"\(odd.text.replacing("\"", with: "\\\""))\"}"
        #expect(lines.contains("feedsync_feed_last_success_timestamp_seconds\(label) 5.000000"))
        #expect(lines.contains("feedsync_feed_images\(label) 7"))
        #expect(lines.contains("feedsync_feed_failures\(label) 2"))
        #expect(lines.contains("feedsync_feed_failures{feed=\"https://feeds.example/0\"} 1"))
        #expect(lines.contains("feedsync_feed_last_success_timestamp_seconds{feed=\"https://feeds.example/0\"} 0"))
    }

    @Test("the metrics keep the last success during failures, and have 0 before the first")
    func success() {
        let before = metrics(endedAt: 1_000_000, exitCode: 0)
        #expect(RunMetrics.success(in: Array(before.utf8)) == "1.000000")
        let after = metrics(endedAt: 2_000_000, exitCode: 69, earlier: "1.000000")
        #expect(after.contains("\nfeedsync_last_success_timestamp_seconds 1.000000\n"))
        #expect(metrics(endedAt: 1, exitCode: 69).contains("\nfeedsync_last_success_timestamp_seconds 0\n"))
    }
}
