import FeedCore

/// The metrics of a run in Prometheus' text format, for node_exporter's textfile collector.
///
/// While runs fail, the file keeps the time of the last success: it is copied from the previous file.
struct RunMetrics {
    struct CacheFigures {
        let images: ImageTotals
        /// The oldest time of a last confirmation among the feeds of the run.
        let oldestFeed: Timestamp?
        /// The saved feeds of the run.
        var feeds: [FeedSummary] = []
    }

    /// The most feeds with metrics of their own, because each label is a time series for Prometheus.
    static let mostFeeds = 1000

    let endedAt: Timestamp
    let duration: Duration
    let exitCode: Int32
    /// The report; nil if the run ended before it requested its feeds.
    let report: SyncReport?
    /// The contents of the cache, if they could be counted.
    let cache: CacheFigures?
    /// The last success in the file of the previous run.
    let earlierSuccess: String?
    /// The part of the work that the run did; nil for all of it.
    let shard: Shard?

    private static let lastSuccess = "feedsync_last_success_timestamp_seconds"

    static func success(in file: [UInt8]) -> String? {
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n")
        let values = lines.compactMap { line -> String? in
            let parts = line.split(separator: " ")
            // Only digits and a point are accepted: Swift reads other forms differently from Prometheus.
            guard parts.count == 2, parts[0].prefix(while: { $0 != "{" }) == lastSuccess,
                parts[1].allSatisfy("0123456789.".contains)
            else {
                return nil
            }
            return Double(parts[1]) == nil ? nil : String(parts[1])
        }
        return values.last
    }

    var text: String {
        var text = ""
        func add(_ name: String, _ help: String, _ values: [(label: String?, value: String)]) {
            guard !values.isEmpty else { return }
            text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
            for (label, value) in values {
                let labels = [label, shard.map { "shard=\"\($0)\"" }].compactMap(\.self).joined(separator: ",")
                text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
            }
        }
        // The value is 0 before the first success, so that an alert on its age is raised.
        let success = exitCode == 0 ? Self.seconds(endedAt) : earlierSuccess ?? "0"
        add("feedsync_build_info", "Version of feedsync.", [("version=\"\(Version.current)\"", "1")])
        add(
            "feedsync_last_run_timestamp_seconds", "When the last run ended, in seconds since 1970.",
            [(nil, Self.seconds(endedAt))])
        add(
            Self.lastSuccess, "When the last run with exit code 0 ended, in seconds since 1970.",
            [(nil, success)])
        add(
            "feedsync_last_run_duration_seconds", "How long the last run took.",
            [(nil, "\(duration.inSeconds)")])
        add("feedsync_last_run_exit_code", "Exit code of the last run; 0 is success.", [(nil, "\(exitCode)")])
        if let report {
            self.add(report, add)
            addFeeds(of: report, add)
        }
        if let cache {
            add("feedsync_cache_images", "Images in the cache, each file once.", [(nil, "\(cache.images.count)")])
            add("feedsync_cache_size_bytes", "Bytes of the images in the cache.", [(nil, "\(cache.images.bytes)")])
            if let oldest = cache.oldestFeed {
                add(
                    "feedsync_oldest_feed_timestamp_seconds",
                    "Oldest last confirmation of the feeds of the last run, in seconds since 1970.",
                    [(nil, Self.seconds(oldest))])
            }
        }
        return text
    }

    private func add(
        _ report: SyncReport, _ add: (String, String, [(label: String?, value: String)]) -> Void
    ) {
        let outcomes = FeedReport.Outcome.allCases.map { outcome in
            ("outcome=\"\(outcome.rawValue)\"", "\(report.feeds.count { $0.outcome == outcome })")
        }
        add("feedsync_feeds", "Feeds of the last run, by outcome.", outcomes)
        let images = report.images
        let counts = [
            ("cached", images.cached), ("downloaded", images.downloaded), ("skipped", images.skipped),
            ("failed", images.failed),
        ]
        add(
            "feedsync_images", "Images of the last run, by outcome.",
            counts.map { ("outcome=\"\($0)\"", "\($1)") })
        add(
            "feedsync_downloaded_bytes", "Bytes of the images that the last run downloaded.", [(nil, "\(images.bytes)")]
        )
    }

    private func addFeeds(
        of report: SyncReport, _ add: (String, String, [(label: String?, value: String)]) -> Void
    ) {
        guard let cache else { return }
        let saved = Dictionary(cache.feeds.map { ($0.url.key, $0) }) { first, _ in first }
        var failures: [ResourceURL.Key: Int] = [:]
        for feed in report.feeds where feed.ownFailure != nil { failures[feed.url.key, default: 0] += 1 }
        for feed in report.images.failures.lazy.flatMap(\.feeds) { failures[feed.key, default: 0] += 1 }
        var labels: Set<String> = []
        let feeds = report.feeds.prefix(Self.mostFeeds).compactMap { feed -> (label: String, key: ResourceURL.Key)? in
            let label = "feed=\"\(Self.escaped(feed.url.text.withoutPasswords))\""
            return labels.insert(label).inserted ? (label, feed.url.key) : nil
        }
        add(
            "feedsync_feed_last_success_timestamp_seconds",
            "When the server last sent or confirmed the feed, in seconds since 1970; 0 if the feed is not saved.",
            feeds.map { ($0.label, saved[$0.key].map { Self.seconds($0.head.savedAt) } ?? "0") })
        add(
            "feedsync_feed_images", "Current and kept images of the saved feed.",
            feeds.map { ($0.label, "\(saved[$0.key]?.images ?? 0)") })
        add(
            "feedsync_feed_failures", "Failures of the feed and its images in the last run.",
            feeds.map { ($0.label, "\(failures[$0.key] ?? 0)") })
    }

    /// Escapes the value of a label.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// Returns the seconds since 1970, at least 0.
    private static func seconds(_ moment: Timestamp) -> String {
        let microseconds = max(0, moment.microseconds)
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
    }
}
