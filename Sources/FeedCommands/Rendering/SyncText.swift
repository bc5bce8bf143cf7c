import FeedCore
import JSONText

/// What a sync says on standard error.
enum SyncText {
    /// One line for each distinct cause of failure.
    static func failures(_ report: SyncReport) -> [LogLine] {
        var feeds = Causes()
        for feed in report.feeds where feed.outcome == .failed {
            if let error = feed.error {
                feeds.add(feed.url, error, apartByReason: error.kind != .connectivity)
            }
        }
        var images = Causes()
        for failure in report.images.failures { images.add(failure.url, failure.error, apartByReason: false) }
        return feeds.lines(of: "feed") + images.lines(of: "image") + (fatal(report).map { [LogLine($0)] } ?? [])
    }

    /// What ended the run, unless a feed's line says so already.
    private static func fatal(_ report: SyncReport) -> FeedError? {
        guard let fatal = report.fatal, !report.feeds.contains(where: { $0.error == fatal }) else { return nil }
        return fatal
    }

    /// The feeds whose saved copies stand in for their server: one line for each server.
    static func offline(_ report: SyncReport, now: Timestamp) -> [LogLine] {
        var servers: [Causes.Key] = []
        var feeds: [Causes.Key: [(url: ResourceURL, savedAt: Timestamp, error: FeedError)]] = [:]
        for feed in report.feeds where feed.outcome == .offline {
            guard let savedAt = feed.savedAt, let error = feed.error else { continue }
            let server = Causes.Key(feed.url, error, apartByReason: false)
            if feeds[server] == nil { servers.append(server) }
            feeds[server, default: []].append((feed.url, savedAt, error))
        }
        return servers.compactMap { server in
            guard let all = feeds[server], let oldest = all.min(by: { $0.savedAt < $1.savedAt }) else { return nil }
            let (age, error) = (Phrases.span(now - oldest.savedAt), all[0].error)
            let one = "\(all[0].url): offline, the feed saved \(age) ago stands in (\(error.message))"
            let place = server.host.map { " from \($0)" } ?? ""
            let many =
                "\(Phrases.count(all.count, "feed"))\(place): offline, what was saved at most \(age) ago stands in "
                + "(\(error.message); first: \(all[0].url))"
            return LogLine(
                offline: all[0].url, savedAt: oldest.savedAt, error, text: all.count == 1 ? one : many)
        }
    }

    static func summary(_ report: SyncReport, took duration: Duration) -> LogLine {
        let failedFeeds = report.feeds.count { $0.outcome == .failed }
        let feeds = Phrases.count(report.feeds.count, "feed") + (failedFeeds > 0 ? " (\(failedFeeds) failed)" : "")
        let images = report.images
        var parts = ["\(images.cached) cached"]
        let size = images.downloaded > 0 ? " (\(Phrases.size(images.bytes)))" : ""
        parts.append("\(images.downloaded) downloaded\(size)")
        if images.skipped > 0 { parts.append("\(images.skipped) skipped") }
        if images.failed > 0 { parts.append("\(images.failed) failed") }
        let end = report.wasCancelled ? "stopped after" : "in"
        let all = "\(feeds), \(Phrases.count(images.total, "image")): \(parts.joined(separator: ", "))"
        return LogLine(
            level: .info, event: report.wasCancelled ? "stopped" : "summary",
            text: "\(all), \(end) \(Phrases.stopwatch(duration))",
            fields: [
                ("feeds", .integer(report.feeds.count)), ("feeds_failed", .integer(failedFeeds)),
                ("images", SyncJSON.images(images)), ("duration_seconds", .double(SyncJSON.seconds(duration))),
            ])
    }

    /// What a step would have done, for `--dry-run`.
    static func plan(_ event: SyncEvent) -> String? {
        switch event {
        case .feed(let feed):
            switch feed.outcome {
            case .updated: "would save \(feed.url) (\(Phrases.count(feed.images, "image")))"
            case .unchanged: "would keep \(feed.url) (unchanged, \(Phrases.count(feed.images, "image")))"
            case .offline, .failed: nil
            }
        case .imageMissing(let url): "would download \(url)"
        case .imageToRevalidate(let url): "would ask again for \(url)"
        case .feedStep, .imagesFound, .imagesSurveyed, .imagesReconsidered, .imageAnswered, .imageCached,
            .imageSkipped, .imageLeftAlone, .imageUnchanged, .imageDownloaded, .imageFailed:
            nil
        }
    }
}
