import FeedCore

struct ValidateCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run() async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(settings.dryRun ? .read : .repair(lockWait: settings.lockWait))
        let stale = try await deleteStaleFeeds(in: cache)
        let removal: RemovalMode = settings.dryRun ? .dryRun(withoutFeeds: stale) : .forReal
        let report = ValidateReport(
            feedsDeleted: stale,
            // Damage first: it is looked for in what a feed still refers to, and in what it doesn't.
            damaged: settings.deep ? try await cache.images.removeDamaged(removal) : .nothing,
            unreferenced: try await cache.images.removeUnreferenced(removal))
        try tell(report)
        return .ok
    }

    private func deleteStaleFeeds(in cache: Cache) async throws(FeedError) -> [ResourceURL] {
        let validation = ValidateFeedCache(store: cache.feeds, now: session.now)
        var deleted: [ResourceURL] = []
        for feed in try await cache.feeds.summaries() {
            let isDeleted = try await validation.validate(feed.url, maxAge: settings.maxAge, dryRun: settings.dryRun)
            if isDeleted { deleted.append(feed.url) }
        }
        return deleted
    }

    private func tell(_ report: ValidateReport) throws(FeedError) {
        if settings.dryRun {
            for line in report.plan { try session.plan(line) }
        } else {
            if settings.verbosity == .verbose {
                for url in report.feedsDeleted { session.report("\(url): stale, deleted") }
            }
            // Losing data is told even where all else is quiet success: the next sync has to fetch it again.
            if let line = report.damage { session.report(line) }
            session.remark(report.summary)
        }
        if settings.json { try session.write(report.json) }
    }
}
