import FeedCore

/// Deletes feeds, and the images that no other feed references.
struct RemoveCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ given: [ResourceURL]) async throws(FeedError) -> ExitCode {
        var distinct = DistinctFeeds()
        for feed in given { _ = distinct.add(feed) }
        let feeds = distinct.urls
        try await requireSaved(feeds)
        let deletion = try await Deletion(session, settings.dryRun ? .read : .write(lockWait: settings.lockWait))
        let code = try await deletion.run { report throws(FeedError) in
            try await remove(feeds, from: deletion.cache, deletion, &report)
        }
        if code == .ok { await reportWhereNamed(feeds) }
        return code
    }

    /// Checks that all feeds are saved before any of them is removed. A missing cache is not created.
    private func requireSaved(_ feeds: [ResourceURL]) async throws(FeedError) {
        let saved = Set(try await session.openCache(.read).feeds.summaries().map(\.url.key))
        // SQLite cannot open a cache for writing on a full disk while the cache is open for reading.
        await session.closeCaches()
        for feed in feeds where !saved.contains(feed.key) {
            throw .notFound("\(feed): was never saved").hinting("feedsync status lists the saved feeds")
        }
    }

    private func remove(
        _ feeds: [ResourceURL], from cache: Cache, _ deletion: Deletion, _ report: inout ValidateReport
    ) async throws(FeedError) {
        let removed = feeds.map { (url: $0, fault: ValidateFeedCache.Fault?.none) }
        if !settings.dryRun {
            try await deletion.keepReadersOut { plan throws(FeedError) in plan.feedsDeleted = removed }
            try session.stopIfCancelled()
            try await cache.feeds.change { change throws(FeedError) in
                for feed in feeds { try change.delete(feed) }
            }
        }
        report.feedsDeleted = removed
        try session.stopIfCancelled()
        try await deletion.removeUnreferenced(deletion.removalMode(report), &report)
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
