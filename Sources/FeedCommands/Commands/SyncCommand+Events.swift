import FeedCore

extension SyncCommand {
    /// Tells of the steps of a run while it goes on, where that is wanted.
    func watch(
        _ feeds: [ResourceURL], _ meter: ByteMeter?,
        _ run: @Sendable (SyncEvents?) async -> SyncReport
    ) async throws -> SyncReport {
        let place = feeds.count == 1 ? feeds[0].host ?? "" : ""
        guard let display = session.makeProgressDisplay(place, of: "feed", meter: meter) else {
            return try await follow(feeds, run)
        }
        var progress = SyncProgress(feeds: feeds.count)
        display.update(progress.progress, noun: progress.noun)
        return try await display.during {
            try await follow(feeds, run) { event in
                progress.take(event)
                display.update(progress.progress, noun: progress.noun)
            }
        }
    }

    private func follow(
        _ feeds: [ResourceURL], _ run: @Sendable (SyncEvents?) async -> SyncReport,
        _ show: ((SyncEvent) -> Void)? = nil
    ) async throws -> SyncReport {
        let isWanted = show != nil || settings.dryRun || settings.verbosity == .verbose
        guard isWanted else { return await run(nil) }
        let (events, continuation) = SyncEvents.makeStream()
        async let report = run(continuation)
        let steps = SyncSteps(ofSeveralFeeds: feeds.count > 1)
        for await event in events {
            show?(event)
            if settings.verbosity == .verbose { for line in steps.lines(event) { session.detail(line) } }
            if settings.dryRun, let line = SyncText.plan(event) { try session.plan(line) }
        }
        return await report
    }
}
