/// What holds for one feed of a run and not for the others.
package struct FeedParticulars: Sendable {
    package let refresh: FeedRefresh
    package let maxAge: MaxAge
    package let scope: ImageScope

    package init(refresh: FeedRefresh, maxAge: MaxAge, scope: ImageScope) {
        self.refresh = refresh
        self.maxAge = maxAge
        self.scope = scope
    }
}

/// Use case: one run. Bring every feed's saved copy up to date, then have the data of all their images.
package struct FeedSync: Sendable {
    private let round: FeedRound
    private let images: any ImageStore
    private let downloads: ImageDownloads
    private let now: @Sendable () -> Timestamp
    private let dryRun: Bool

    package init(
        refresh: FeedRefresh, local: LocalFeedLoader, images: any ImageStore, downloads: ImageDownloads,
        maxAge: MaxAge, scope: ImageScope = ImageScope(), now: @escaping @Sendable () -> Timestamp,
        dryRun: Bool = false, feedsAtOnce: Int = 6, particulars: [ResourceURL.Key: FeedParticulars] = [:]
    ) {
        round = FeedRound(
            general: FeedParticulars(refresh: refresh, maxAge: maxAge, scope: scope), particulars: particulars,
            local: local, feedsAtOnce: max(1, feedsAtOnce))
        self.images = images
        self.downloads = downloads
        self.now = now
        self.dryRun = dryRun
    }

    /// Each feed is tried, whatever happens to the others; its images are asked for as soon as it is there. Ends `events`
    /// when it is done.
    package func run(_ feeds: [ResourceURL], events: SyncEvents?) async -> SyncReport {
        defer { events?.finish() }
        let (synced, feedsEnd) = AsyncStream.makeStream(of: FeedRound.SyncedFeed.self)
        let (wanted, imagesEnd) = AsyncStream.makeStream(of: Result<[ImageDownloads.Wanted], FeedError>.self)
        async let reports = round.run(feeds, events, feedsEnd)
        async let outcome = downloads.run(wanted, events: events)

        var survey = ImageSurvey(ImageChoice(store: images, now: now), dryRun: dryRun, events: events)
        for await feed in synced {
            do throws(FeedError) {
                try await add(feed, to: &survey) { imagesEnd.yield(.success($0)) }
            } catch {
                if !error.isCancellation { imagesEnd.yield(.failure(error)) }
                feedsEnd.finish()
            }
        }
        imagesEnd.finish()
        survey.allFeedsCame()
        let last = await reconsider(&survey, after: outcome, events)
        return SyncReport(
            feeds: await reports, images: survey.report + last.report, fatal: last.fatal,
            wasCancelled: Task.isCancelled)
    }

    /// Throws what ends the run.
    private func add(
        _ feed: FeedRound.SyncedFeed, to survey: inout ImageSurvey, ask: ([ImageDownloads.Wanted]) -> Void
    ) async throws(FeedError) {
        if let error = feed.report.error, error.isFatal { throw error }
        guard feed.report.outcome != .failed || !feed.images.isEmpty else { return }
        let url = feed.report.url
        let manner = ImageChoice.Manner(terms: feed.imageTerms, scope: round.particulars(of: url).scope)
        try await survey.add(feed.images, of: url, manner, ask: ask)
    }

    /// Has those images of which more was said after they were asked for in vain, or not at all.
    private func reconsider(
        _ survey: inout ImageSurvey, after first: ImageDownloads.Outcome, _ events: SyncEvents?
    ) async -> ImageDownloads.Outcome {
        guard first.fatal == nil, !Task.isCancelled else { return first }
        var outcome = first
        do throws(FeedError) {
            let again = try await survey.reconsidered(failed: Set(first.report.failures.map(\.url.key)))
            guard !again.isEmpty else { return first }
            let urls = Set(again.map(\.url.key))
            outcome.report.failures.removeAll { urls.contains($0.url.key) }
            let second = await downloads.run(again, events: events)
            outcome.report = outcome.report + second.report
            outcome.fatal = second.fatal
        } catch {
            if !error.isCancellation { outcome.fatal = error }
        }
        return outcome
    }
}

extension FeedError {
    /// The cache itself is in trouble: going on would fail in the same way. Rows of one feed that can't be read are that
    /// feed's failure alone; if more is damaged, what comes next meets it.
    var isFatal: Bool {
        switch kind {
        case .storage(.unreadable): false
        case .storage: true
        default: false
        }
    }
}
