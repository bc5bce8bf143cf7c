import FeedCore

struct ValidateCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run() async throws(FeedError) -> ExitCode {
        // A cache that isn't there, which may be a mistyped name, is in order, and is not created for that.
        guard session.world.fileExists(session.cachePath) else {
            // What can't be reached looks alike, and is told of here.
            _ = try await session.openCache(.read)
            try tell(ValidateReport(), failure: nil)
            return .ok
        }
        let cache = try await session.openCache(
            settings.dryRun ? .rehearseRepair : .repair(lockWait: settings.lockWait))
        var report = ValidateReport()
        var failure: FeedError?
        do throws(FeedError) { try await validate(cache, &report) } catch { failure = error }
        // Before anything is written: who reads may take their time, and others want the lock.
        await session.closeCaches()
        // What it did before it failed is told all the same.
        if let failure, !failure.isCancellation { session.report(LogLine(failure)) }
        try tell(report, failure: failure)
        return failure.map(ExitCode.of) ?? .ok
    }

    private func validate(_ cache: Cache, _ report: inout ValidateReport) async throws(FeedError) {
        if !settings.dryRun { try await keepReadersOut(of: cache) }
        try await deleteStaleFeeds(in: cache, &report)
        let removal: RemovalMode =
            settings.dryRun
            ? .dryRun(withoutFeeds: report.feedsDeleted.map(\.url), withoutDamaged: settings.deep) : .forReal
        // Damage first: what is gone from the disk though a feed names it is damage too, and told.
        try stopIfCancelled()
        if settings.deep {
            report.damaged = try await removeDamaged(from: cache, removal)
            if let failure = report.damaged.failure { throw failure }
        }
        try stopIfCancelled()
        try await removeUnreferenced(from: cache, removal, &report)
    }

    /// On a full disk no row can be deleted, as the log grows by that, and no file goes before its row. Where what no row
    /// names is enough room, the rows are tried again.
    private func removeUnreferenced(
        from cache: Cache, _ mode: RemovalMode, _ report: inout ValidateReport
    ) async throws(FeedError) {
        while true {
            let removal = try await cache.images.removeUnreferenced(mode)
            report.unreferenced = report.unreferenced.followed(by: removal)
            guard let failure = removal.failure else { return }
            guard failure.lacksRoom, removal.bytesFreed > 0 else { throw Self.hinting(failure) }
        }
    }

    private func deleteStaleFeeds(in cache: Cache, _ report: inout ValidateReport) async throws(FeedError) {
        while true {
            do throws(FeedError) {
                return try await deleteStaleFeeds(in: cache, &report, dryRun: settings.dryRun)
            } catch {
                guard error.lacksRoom, !settings.dryRun else { throw error }
                let before = report.unreferenced.bytesFreed
                try await removeUnreferenced(from: cache, .forReal, &report)
                guard report.unreferenced.bytesFreed > before else { throw Self.hinting(error) }
            }
        }
    }

    private static func hinting(_ error: FeedError) -> FeedError {
        guard error.lacksRoom else { return error }
        return error.hinting("make room of some megabytes on that disk: the database needs it to forget anything")
    }

    /// Where an export or a gallery is at work, it is waited for before anything is deleted, if there is something.
    private func keepReadersOut(of cache: Cache) async throws(FeedError) {
        guard try await !cache.images.keepReadersOut(waiting: false) else { return }
        var plan = ValidateReport()
        try await deleteStaleFeeds(in: cache, &plan, dryRun: true)
        plan.unreferenced = try await cache.images.removeUnreferenced(
            .dryRun(withoutFeeds: plan.feedsDeleted.map(\.url)))
        guard !plan.isEmpty || !plan.letGo.isEmpty else { return }
        _ = try await cache.images.keepReadersOut(waiting: true)
    }

    private func removeDamaged(from cache: Cache, _ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try await session.showingProgress("checking", of: "image") { progress throws(FeedError) in
            try await cache.images.removeDamaged(mode, progress: progress)
        }
    }

    private func stopIfCancelled() throws(FeedError) {
        if Task.isCancelled { throw .cancelled }
    }

    private func deleteStaleFeeds(
        in cache: Cache, _ report: inout ValidateReport, dryRun: Bool
    ) async throws(FeedError) {
        let validation = ValidateFeedCache(store: cache.feeds, now: session.now)
        report.feedsAhead = []
        report.letGo = []
        for feed in try await cache.feeds.summaries() {
            try stopIfCancelled()
            let fault = try await validation.validate(
                feed.url, maxAge: settings.of(feed.url).maxAge, dryRun: dryRun)
            switch fault {
            case nil: continue
            case .letGo(let count): report.letGo.append((feed.url, count))
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
            for (url, count) in report.letGo {
                session.detail(
                    LogLine(step: "images_let_go", of: url, "let go of \(Phrases.count(count, "image")) that left it"))
            }
            // Losing data is told even where all else is quiet success: the next sync has to fetch it again.
            for line in report.damage { session.report(line, "damage") }
            let summary = report.summary(wasStopped: wasStopped)
            if failure == nil { session.remark(summary) } else { session.notice(summary) }
        }
        if settings.json { try session.write(report.json) }
    }
}
