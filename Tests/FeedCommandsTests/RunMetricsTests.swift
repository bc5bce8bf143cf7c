import FeedCore
import Testing

@testable import FeedCommands

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

    @Test("the metrics keep the last success during failures, and have 0 before the first")
    func success() {
        let before = metrics(endedAt: 1_000_000, exitCode: 0)
        #expect(RunMetrics.success(in: Array(before.utf8)) == "1.000000")
        let after = metrics(endedAt: 2_000_000, exitCode: 69, earlier: "1.000000")
        #expect(after.contains("\nfeedsync_last_success_timestamp_seconds 1.000000\n"))
        #expect(metrics(endedAt: 1, exitCode: 69).contains("\nfeedsync_last_success_timestamp_seconds 0\n"))
    }
}
