import FeedCore

struct ValidateCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run() async throws(FeedError) -> ExitCode {
        let cache = try await session.openCache(
            settings.dryRun ? .rehearseRepair : .repair(lockWait: settings.lockWait))
        let stale = try await deleteStaleFeeds(in: cache)
        let removal: RemovalMode = settings.dryRun ? .dryRun(withoutFeeds: stale.map(\.url)) : .forReal
        // Damage first: what is gone from the disk though a feed names it is damage too, and told.
        try stopIfCancelled()
        let damaged = settings.deep ? try await removeDamaged(from: cache, removal) : .nothing
        try stopIfCancelled()
        let unreferenced = try await cache.images.removeUnreferenced(removal)
        try tell(ValidateReport(feedsDeleted: stale, damaged: damaged, unreferenced: unreferenced))
        return .ok
    }

    private func removeDamaged(from cache: Cache, _ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try await session.showingProgress("checking", of: "image") { progress throws(FeedError) in
            try await cache.images.removeDamaged(mode, progress: progress)
        }
    }

    private func stopIfCancelled() throws(FeedError) {
        if Task.isCancelled { throw .cancelled }
    }

    private func deleteStaleFeeds(in cache: Cache) async throws(FeedError) -> [ValidateReport.DeletedFeed] {
        let validation = ValidateFeedCache(store: cache.feeds, now: session.now)
        var deleted: [ValidateReport.DeletedFeed] = []
        for feed in try await cache.feeds.summaries() {
            try stopIfCancelled()
            let fault = try await validation.validate(
                feed.url, maxAge: settings.of(feed.url).maxAge, dryRun: settings.dryRun)
            if let fault { deleted.append((feed.url, fault)) }
        }
        return deleted
    }

    private func tell(_ report: ValidateReport) throws(FeedError) {
        if settings.dryRun {
            for line in report.plan { try session.plan(line) }
        } else {
            if settings.verbosity == .verbose {
                for feed in report.feedsDeleted where feed.fault == .stale {
                    session.remark("\(feed.url): stale, deleted", "feed_deleted")
                }
            }
            // Losing data is told even where all else is quiet success: the next sync has to fetch it again.
            for line in report.damage { session.report(line, "damage") }
            session.remark(report.summary, "summary")
        }
        if settings.json { try session.write(report.json) }
    }
}
