import FeedCore

/// Prints the contents of the cache.
struct StatusCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run() async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(.read)
        if !session.world.fileExists(session.cachePath) {
            session.remark(LogLine(level: .info, event: "no_cache", text: "there is no cache at \(session.cachePath)"))
        }
        let feeds = try await cache.feeds.summaries()
        let report = StatusReport(
            cache: session.cachePath, feeds: feeds, images: try await cache.images.inventory(of: feeds.map(\.url)),
            waits: try await cache.waits.retrieve(), now: session.now(), settings: session.settings)
        // The cache is closed first, because a reader of the output may be slow.
        await session.closeCaches()
        try session.write(session.settings.json ? report.json : report.text)
        return .ok
    }
}
