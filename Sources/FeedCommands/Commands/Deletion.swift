import FeedCore

/// What `validate` and `remove` have in common: a report of what was deleted, room on a full disk, and the images that
/// nothing names.
struct Deletion {
    private let session: Session
    private let cache: Cache
    private var settings: Settings { session.settings }

    init(_ session: Session, from cache: Cache) {
        self.session = session
        self.cache = cache
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
        if let failure, !failure.isCancellation { session.report(LogLine(failure)) }
        try session.tell(report, failure: failure)
        return failure.map(ExitCode.of) ?? .ok
    }

    /// The images that no feed names, but for those that were deleted by now.
    func removalMode(_ report: ValidateReport) -> RemovalMode {
        settings.dryRun
            ? .dryRun(withoutFeeds: report.feedsDeleted.map(\.url), withoutDamaged: settings.deep) : .forReal
    }

    /// Deletes rows of the database. On a full disk none can be, as the log grows by that, and no file goes before its row.
    /// Where what no row names is enough room, it is tried again.
    func makingRoom(
        _ report: inout ValidateReport, _ delete: (inout ValidateReport) async throws(FeedError) -> Void
    ) async throws(FeedError) {
        while true {
            do throws(FeedError) {
                return try await delete(&report)
            } catch {
                guard error.lacksRoom, !settings.dryRun else { throw error }
                let before = report.unreferenced.bytesFreed
                try await removeUnreferenced(.forReal, &report)
                guard report.unreferenced.bytesFreed > before else { throw Self.hinting(error) }
            }
        }
    }

    func removeUnreferenced(_ mode: RemovalMode, _ report: inout ValidateReport) async throws(FeedError) {
        while true {
            let removal = try await cache.images.removeUnreferenced(mode)
            report.unreferenced = report.unreferenced.followed(by: removal)
            guard let failure = removal.failure else { return }
            guard failure.lacksRoom, removal.bytesFreed > 0 else { throw Self.hinting(failure) }
        }
    }

    private static func hinting(_ error: FeedError) -> FeedError {
        guard error.lacksRoom else { return error }
        return error.hinting("make room of some megabytes on that disk: the database needs it to forget anything")
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
