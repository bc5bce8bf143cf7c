import FeedCore

/// What `validate` and `remove` have in common: a report of what was deleted, and the images that nothing names.
struct Deletion {
    private let session: Session
    let cache: Cache
    private var settings: Settings { session.settings }

    /// Opens the cache that is to become smaller.
    init(_ session: Session, _ access: CacheAccess) async throws(FeedError) {
        self.session = session
        do throws(FeedError) { cache = try await session.openCache(access) } catch { throw error.hintingAtSpace }
    }

    /// Closes the cache, and tells what `delete` did, also before it failed.
    func run(
        _ delete: (inout ValidateReport) async throws(FeedError) -> Void
    ) async throws(FeedError) -> ExitCode {
        var report = ValidateReport()
        var failure: FeedError?
        do throws(FeedError) { try await delete(&report) } catch { failure = error }
        // Before anything is written: who reads may take their time, and others want the lock.
        await session.closeCaches()
        if let failure, !failure.isCancellation { session.report(LogLine(failure.hintingAtSpace)) }
        try session.tell(report, failure: failure)
        return failure.map(ExitCode.of) ?? .ok
    }

    /// The images that no feed names, but for those that were deleted by now.
    func removalMode(_ report: ValidateReport) -> RemovalMode {
        settings.dryRun
            ? .dryRun(withoutFeeds: report.feedsDeleted.map(\.url), withoutDamaged: settings.deep) : .forReal
    }

    func removeUnreferenced(_ mode: RemovalMode, _ report: inout ValidateReport) async throws(FeedError) {
        report.unreferenced = try await cache.images.removeUnreferenced(mode)
        if let failure = report.unreferenced.failure { throw failure }
    }

    /// Where an export or a gallery is at work, it is waited for before anything is deleted, if there is something.
    /// `plan` finds the feeds that would be.
    func keepReadersOut(
        _ plan: (inout ValidateReport) async throws(FeedError) -> Void
    ) async throws(FeedError) {
        guard try await !cache.images.keepReadersOut(waiting: false) else { return }
        var report = ValidateReport()
        try await plan(&report)
        report.unreferenced = try await cache.images.removeUnreferenced(
            .dryRun(withoutFeeds: report.feedsDeleted.map(\.url)))
        guard !report.isEmpty else { return }
        _ = try await cache.images.keepReadersOut(waiting: true)
    }
}

extension FeedError {
    /// The same error; on a full disk it says what to do, because the database has to grow before it can shrink.
    fileprivate var hintingAtSpace: FeedError {
        lacksRoom ? hinting("some space is needed first: free a few megabytes on that disk") : self
    }
}

extension Session {
    func stopIfCancelled() throws(FeedError) {
        if Task.isCancelled { throw .cancelled }
    }

    func tell(_ report: ValidateReport, failure: FeedError?) throws(FeedError) {
        let wasStopped = failure?.isCancellation == true
        if let line = report.ahead { notice(line, "feed_ahead") }
        if settings.dryRun {
            for line in report.plan { try plan(line) }
            if wasStopped { notice("stopped; there may be more to do", "stopped") }
        } else {
            for line in report.steps { detail(line) }
            // Losing data is told even where all else is quiet success: the next sync has to fetch it again.
            for line in report.damage { self.report(line, "damage") }
            let summary = report.summary(wasStopped: wasStopped)
            if failure == nil { remark(summary) } else { notice(summary) }
        }
        if settings.json { try write(report.json) }
    }
}
