import FeedCore

/// Prints the contents of the cache, or what is known about some feeds.
struct StatusCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ feeds: [ResourceURL]) async throws(FeedError) -> ExitCode {
        let report = try await session.withExistingCache { cache throws(FeedError) in
            if !session.world.fileExists(session.cachePath) {
                session.remark(
                    LogLine(level: .info, event: "no_cache", text: "there is no cache at \(session.cachePath)"))
            }
            let feeds = try Self.choose(feeds, from: try await cache.feeds.summaries())
            return StatusReport(
                cache: session.cachePath, feeds: feeds,
                images: try await cache.images.inventory(of: feeds.map(\.url)),
                waits: try await cache.waits.retrieve(), now: session.now(), settings: session.settings)
        }
        if session.settings.json {
            try session.write(report.json)
        } else {
            try session.write(feeds.isEmpty ? report.overview(width: session.world.output.columns) : report.details)
        }
        return .ok
    }

    /// Returns the given feeds, each once, or all saved feeds if none is given.
    private static func choose(
        _ feeds: [ResourceURL], from saved: [FeedSummary]
    ) throws(FeedError) -> [FeedSummary] {
        if feeds.isEmpty { return saved }
        let summaries = Dictionary(saved.map { ($0.url.key, $0) }) { first, _ in first }
        var chosen: [FeedSummary] = []
        var distinct = DistinctFeeds()
        for feed in feeds where distinct.add(feed) == chosen.count {
            guard let summary = summaries[feed.key] else {
                throw .notFound("\(feed): was never saved").hinting("feedsync status lists the saved feeds")
            }
            chosen.append(summary)
        }
        return chosen
    }
}
