import FeedCore

/// Deletes stale feeds, damaged images with `--deep`, and unreferenced images.
struct ValidateCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run() async throws(FeedError) -> ExitCode {
        // A missing cache is valid, and is not created.
        guard session.world.fileExists(session.cachePath) else {
            // An unreadable path also looks missing. Opening the cache reports that error.
            _ = try await session.openCache(.read)
            try session.report(ValidateReport(), failure: nil)
            return .ok
        }
        let deletion = try await Deletion(
            session, settings.dryRun ? .rehearseRepair : .repair(lockWait: settings.lockWait))
        return try await deletion.run { report throws(FeedError) in
            try await validate(deletion.cache, deletion, &report)
        }
    }

    private func validate(
        _ cache: Cache, _ deletion: Deletion, _ report: inout ValidateReport
    ) async throws(FeedError) {
        if !settings.dryRun {
            try await deletion.keepReadersOut { plan throws(FeedError) in
                try await deleteStaleFeeds(in: cache, &plan, dryRun: true)
            }
        }
        try await deleteStaleFeeds(in: cache, &report, dryRun: settings.dryRun)
        let mode = deletion.removalMode(report)
        // Damaged images are handled first: a missing file of a referenced image is damage too, and is reported.
        try session.stopIfCancelled()
        if settings.deep {
            report.damaged = try await removeDamaged(from: cache, mode)
            if let failure = report.damaged.failure { throw failure }
        }
        try session.stopIfCancelled()
        try await deletion.removeUnreferenced(mode, &report)
    }

    private func removeDamaged(from cache: Cache, _ mode: RemovalMode) async throws(FeedError) -> ImageRemoval {
        try await session.showingProgress("checking", of: "image") { progress throws(FeedError) in
            try await cache.images.removeDamaged(mode, progress: progress)
        }
    }

    private func deleteStaleFeeds(
        in cache: Cache, _ report: inout ValidateReport, dryRun: Bool
    ) async throws(FeedError) {
        let validation = ValidateFeedCache(store: cache.feeds, now: session.now)
        for feed in try await cache.feeds.summaries() {
            try session.stopIfCancelled()
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
}
