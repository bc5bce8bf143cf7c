import FeedCore

/// Shares what `validate` and `remove` both do: delete unreferenced images, and report what was deleted.
struct Deletion {
    private let session: Session
    let cache: Cache
    private var settings: Settings { session.settings }

    /// Opens the cache. On a full disk, the error says how much space is needed.
    init(_ session: Session, _ access: CacheAccess) async throws(FeedError) {
        self.session = session
        do throws(FeedError) { cache = try await session.openCache(access) } catch { throw error.hintingAtSpace }
    }

    /// Runs `delete`, closes the cache, and reports what was deleted, even if `delete` failed halfway.
    func run(
        _ delete: (inout ValidateReport) async throws(FeedError) -> Void
    ) async throws(FeedError) -> ExitCode {
        var report = ValidateReport()
        var failure: FeedError?
        do throws(FeedError) { try await delete(&report) } catch { failure = error }
        // The cache is closed before the report: a reader of the output may be slow, and other runs wait for the lock.
        await session.closeCaches()
        if let failure, !failure.isCancellation { session.report(LogLine(failure.hintingAtSpace)) }
        try session.report(report, failure: failure)
        return failure.map(ExitCode.of) ?? .ok
    }

    /// Returns whether images are deleted or only counted. A dry run counts as if the feeds of `report` were deleted.
    func removalMode(_ report: ValidateReport) -> RemovalMode {
        settings.dryRun
            ? .dryRun(withoutFeeds: report.feedsDeleted.map(\.url), withoutDamaged: settings.deep) : .forReal
    }

    func removeUnreferenced(_ mode: RemovalMode, _ report: inout ValidateReport) async throws(FeedError) {
        report.unreferenced = try await cache.images.removeUnreferenced(mode)
        if let failure = report.unreferenced.failure { throw failure }
    }

    /// Waits for exports and galleries that read the cache, if there is anything to delete. `plan` finds the feeds that
    /// would be deleted.
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
    /// Returns the error with a hint if the disk is full, because the database has to grow before it can shrink.
    fileprivate var hintingAtSpace: FeedError {
        lacksRoom ? hinting("some space is needed first: free a few megabytes on that disk") : self
    }
}

extension Session {
    func stopIfCancelled() throws(FeedError) {
        if Task.isCancelled { throw .cancelled }
    }

    func report(_ report: ValidateReport, failure: FeedError?) throws(FeedError) {
        let wasStopped = failure?.isCancellation == true
        if let line = report.ahead { notice(line, "feed_ahead") }
        if settings.dryRun {
            for line in report.plan { try plan(line) }
            if wasStopped { notice("stopped; there may be more to do", "stopped") }
        } else {
            for line in report.steps { detail(line) }
            // A loss of data is always reported, because the next sync has to download it again.
            for line in report.damage { self.report(line, "damage") }
            let summary = report.summary(wasStopped: wasStopped)
            if failure == nil { remark(summary) } else { notice(summary) }
        }
        if settings.json { try write(report.json) }
    }
}
