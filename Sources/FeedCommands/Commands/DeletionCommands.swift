import FeedCore

/// Shares what `validate` and `remove` both do: delete unreferenced images, and report what was deleted.
struct Deletion {
    let session: Session
    let cache: Cache
    private var settings: Settings { session.settings }

    /// Opens the cache, runs `delete`, and reports what was deleted, even if `delete` failed halfway.
    ///
    /// On a full disk, the error says how much space is needed.
    static func run(
        in session: Session, _ access: CacheAccess,
        _ delete: (Deletion, inout ValidateReport) async throws(FeedError) -> Void
    ) async throws(FeedError) -> ExitCode {
        var report = ValidateReport()
        var failure: FeedError?
        do throws(FeedError) {
            try await session.withCache(access) { cache throws(FeedError) in
                do throws(FeedError) {
                    try await delete(Deletion(session: session, cache: cache), &report)
                } catch {
                    failure = error
                }
            }
        } catch {
            throw error.hintingAtSpace
        }
        if let failure, !failure.isCancellation { session.report(LogLine(failure.hintingAtSpace)) }
        try session.report(report, failure: failure)
        return failure.map(ExitCode.of) ?? (report.damaged.files > 0 ? .invalidData : .ok)
    }

    /// Returns whether images are deleted or only counted.
    ///
    /// A dry run counts as if the feeds and images of `report` were deleted.
    func removalMode(_ report: ValidateReport) -> RemovalMode { settings.dryRun ? report.rehearsal : .forReal }

    func removeUnreferenced(_ mode: RemovalMode, _ report: inout ValidateReport) async throws(FeedError) {
        report.unreferenced = try await cache.images.removeUnreferenced(mode)
        if let failure = report.unreferenced.failure { throw failure }
    }

    /// Waits for exports and galleries that read the cache, if there is anything to delete.
    ///
    /// `plan` finds the feeds and images that would be deleted.
    func keepReadersOut(
        _ plan: (inout ValidateReport) async throws(FeedError) -> Void
    ) async throws(FeedError) {
        guard try await !cache.images.keepReadersOut(waiting: false) else { return }
        var report = ValidateReport()
        try await plan(&report)
        report.unreferenced = try await cache.images.removeUnreferenced(report.rehearsal)
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
            for line in report.damage { self.report(line) }
            // A loss of data is always reported, because the next sync has to download it again.
            for line in report.losses { self.report(line, "damage") }
            for line in report.letGoSteps { detail(line) }
            for line in report.deletions { notice(line) }
            let summary = report.summary(wasStopped: wasStopped)
            if failure != nil || report.hasDeleted { notice(summary) } else { detail(summary) }
        }
        if settings.json { try write(report.json) }
    }
}

/// Deletes stale feeds and unreferenced images, and sets damaged images aside with `--deep`.
struct ValidateCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run() async throws(FeedError) -> ExitCode {
        // A missing cache is valid, and is not created.
        guard session.world.fileExists(session.cachePath) else {
            // An unreadable path also looks missing. Opening the cache reports that error.
            try await session.withCache(.read) { _ in }
            try session.report(ValidateReport(), failure: nil)
            return .ok
        }
        let access = settings.dryRun ? CacheAccess.rehearseRepair : .repair(lockWait: settings.lockWait)
        return try await Deletion.run(in: session, access) { deletion, report throws(FeedError) in
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
        try session.stopIfCancelled()
        if settings.deep {
            report.damaged = try await removeDamaged(from: cache, mode)
            if let failure = report.damaged.failure { throw failure }
        }
        try session.stopIfCancelled()
        try await deletion.removeUnreferenced(mode, &report)
    }

    private func removeDamaged(from cache: Cache, _ mode: RemovalMode) async throws(FeedError) -> DamageRemoval {
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
            case .letGo(let count, let items): report.letGo.append((items, count))
            case .ahead(let staleness): report.feedsAhead.append((feed.url, staleness))
            case let fault?: report.feedsDeleted.append((feed.url, fault))
            }
        }
    }
}

/// Deletes feeds with the images that no other feed references, and removes single images from their feeds.
struct RemoveCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ operands: [RemovalOperand]) async throws(FeedError) -> ExitCode {
        // Everything is checked before anything is removed. A missing cache is not created.
        let feeds = try await session.withCache(.read) { cache throws(FeedError) in
            try await plan(operands, cache).feedsDeleted.map(\.url)
        }
        let access = settings.dryRun ? .read : session.saving
        let code = try await Deletion.run(in: session, access) { deletion, report throws(FeedError) in
            try await remove(operands, from: deletion.cache, deletion, &report)
        }
        if code == .ok { await reportWhereNamed(feeds) }
        return code
    }

    /// Returns the report of what these operands remove or bring back.
    ///
    /// An operand is a feed if one is saved under its URL, and otherwise an image.
    private func plan(_ operands: [RemovalOperand], _ cache: Cache) async throws(FeedError) -> ValidateReport {
        let saved = Set(try await cache.feeds.summaries().map(\.url.key))
        var report = ValidateReport()
        var feeds = DistinctFeeds()
        var images = DistinctFeeds()
        for operand in operands {
            if saved.contains(operand.feed.key), !settings.undo {
                _ = feeds.add(operand.feed)
            } else {
                _ = images.add(operand.image)
            }
        }
        report.feedsDeleted = feeds.urls.map { ($0, nil) }
        let removing = RemoveImages(store: cache.feeds)
        if settings.undo {
            report.restorations = try await removing.restoration(of: images.urls)
        } else {
            report.removals = try await removing.removal(of: images.urls)
        }
        return report
    }

    private func remove(
        _ operands: [RemovalOperand], from cache: Cache, _ deletion: Deletion, _ report: inout ValidateReport
    ) async throws(FeedError) {
        let planned = try await plan(operands, cache)
        if !settings.dryRun {
            if !settings.undo {
                try await deletion.keepReadersOut { plan throws(FeedError) in plan = planned }
            }
            try session.stopIfCancelled()
            let (feeds, removals, restorations) = (
                planned.feedsDeleted.map(\.url), planned.removals, planned.restorations
            )
            try await cache.feeds.change { change throws(FeedError) in
                for feed in feeds { try change.delete(feed) }
                for removal in removals { try change.setRemoved(removal.removed, from: removal.feed) }
                for restoration in restorations {
                    try change.setRemoved(restoration.removed, from: restoration.feed)
                    try change.forgetRules(of: restoration.feed)
                }
            }
        }
        report = planned
        try session.stopIfCancelled()
        if !settings.undo { try await deletion.removeUnreferenced(deletion.removalMode(report), &report) }
    }

    /// Reports where the removed feeds are still named, because the next sync would save them again.
    private func reportWhereNamed(_ feeds: [ResourceURL]) async {
        if let path = session.world.configPath(settings) {
            reportStillNamed(feeds.filter { settings.feeds[$0] != nil }, namedIn: path)
        }
        guard let list = settings.opml else { return }
        do throws(FeedError) {
            let named = Set(try await session.subscriptionList(in: list).feeds.map(\.key))
            reportStillNamed(feeds.filter { named.contains($0.key) }, namedIn: list)
        } catch {
            if !error.isCancellation { session.notice(error.message, "still_named") }
        }
    }

    private func reportStillNamed(_ feeds: [ResourceURL], namedIn path: String) {
        guard let first = feeds.first else { return }
        let others = feeds.count == 1 ? "" : " and \(Phrases.count(feeds.count - 1, "more feed"))"
        let them = feeds.count == 1 ? "it" : "them"
        session.notice("\(path) still names \(first)\(others): the next sync saves \(them) again", "still_named")
    }
}
