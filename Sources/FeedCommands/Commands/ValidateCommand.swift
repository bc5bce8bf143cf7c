import FeedCore

struct ValidateCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run() async throws(FeedError) -> ExitCode {
        // A cache that isn't there is in order. It is not created: its name may be mistyped.
        guard session.world.fileExists(session.cachePath) else {
            // A cache that can't be reached looks like one that isn't there; opening it tells them apart.
            _ = try await session.openCache(.read)
            try tell(ValidateReport(), failure: nil)
            return .ok
        }
        let cache = try await session.openCache(
            settings.dryRun ? .rehearseRepair : .repair(lockWait: settings.lockWait))
        var report = ValidateReport()
        var failure: FeedError?
        do throws(FeedError) { try await validate(cache, &report) } catch { failure = Self.hinting(error) }
        // The reader of the output may be slow, and other runs want the lock.
        await session.closeCaches()
        // It tells what it did also when it failed.
        if let failure, !failure.isCancellation { session.report(LogLine(failure)) }
        try tell(report, failure: failure)
        return failure.map(ExitCode.of) ?? .ok
    }

    private func validate(_ cache: Cache, _ report: inout ValidateReport) async throws(FeedError) {
        if !settings.dryRun { try await keepReadersOut(of: cache) }
        try await deleteStaleFeeds(in: cache, &report, dryRun: settings.dryRun)
        let removal: RemovalMode =
            settings.dryRun
            ? .dryRun(withoutFeeds: report.feedsDeleted.map(\.url), withoutDamaged: settings.deep) : .forReal
        // Damage comes first: an image that a feed names and whose file is gone counts as damaged.
        try stopIfCancelled()
        if settings.deep {
            report.damaged = try await session.showingProgress("checking", of: "image") { progress throws(FeedError) in
                try await cache.images.removeDamaged(removal, progress: progress)
            }
            if let failure = report.damaged.failure { throw failure }
        }
        try stopIfCancelled()
        report.unreferenced = try await cache.images.removeUnreferenced(removal)
        if let failure = report.unreferenced.failure { throw failure }
    }

    private static func hinting(_ error: FeedError) -> FeedError {
        guard error.lacksRoom else { return error }
        return error.hinting("make room of some megabytes on that disk: the database needs it to forget anything")
    }

    /// Waits for an export or a gallery that is being written, if there is something to delete.
    private func keepReadersOut(of cache: Cache) async throws(FeedError) {
        guard try await !cache.images.keepReadersOut(waiting: false) else { return }
        var plan = ValidateReport()
        try await deleteStaleFeeds(in: cache, &plan, dryRun: true)
        plan.unreferenced = try await cache.images.removeUnreferenced(
            .dryRun(withoutFeeds: plan.feedsDeleted.map(\.url)))
        guard !plan.isEmpty else { return }
        _ = try await cache.images.keepReadersOut(waiting: true)
    }

    private func stopIfCancelled() throws(FeedError) {
        if Task.isCancelled { throw .cancelled }
    }

    private func deleteStaleFeeds(
        in cache: Cache, _ report: inout ValidateReport, dryRun: Bool
    ) async throws(FeedError) {
        let validation = ValidateFeedCache(store: cache.feeds, now: session.now)
        for feed in try await cache.feeds.summaries() {
            try stopIfCancelled()
            let fault = try await validation.validate(
                feed.url, maxAge: settings.of(feed.url).maxAge, dryRun: dryRun)
            switch fault {
            case nil: continue
            case .ahead(let staleness): report.feedsAhead.append((feed.url, staleness))
            case let fault?: report.feedsDeleted.append((feed.url, fault))
            }
        }
    }

    private func tell(_ report: ValidateReport, failure: FeedError?) throws(FeedError) {
        let wasStopped = failure?.isCancellation == true
        if let line = report.ahead { session.notice(line, "feed_ahead") }
        if settings.dryRun {
            for line in report.plan { try session.plan(line) }
            if wasStopped { session.notice("stopped; there may be more to do", "stopped") }
        } else {
            for case (let url, .stale) in report.feedsDeleted {
                session.detail(LogLine(step: "feed_deleted", of: url, "stale, deleted"))
            }
            // Lost data is told whatever the verbosity: the next sync has to fetch it again.
            for line in report.damage { session.report(line, "damage") }
            let summary = report.summary(wasStopped: wasStopped)
            if failure == nil { session.remark(summary) } else { session.notice(summary) }
        }
        if settings.json { try session.write(report.json) }
    }
}
