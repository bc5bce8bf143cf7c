/// Use case: one run. Bring every feed's saved copy up to date, then have the data of all their images.
package struct FeedSync: Sendable {
    private let round: FeedRefreshes
    private let images: any ImageStore
    private let downloads: ImageDownloads
    private let now: @Sendable () -> Timestamp
    private let dryRun: Bool
    private let newImages: NewImages?
    private let hasPart: ImagePart?

    /// Says whether an image falls into the part that this run has to do.
    package typealias ImagePart = @Sendable (_ image: ResourceURL) throws(FeedError) -> Bool

    /// `particulars` are those of the feeds that have their own, `general` is what holds for the others.
    package init(
        general: FeedPolicy, particulars: [ResourceURL.Key: FeedPolicy] = [:], local: LocalFeedLoader,
        images: any ImageStore, downloads: ImageDownloads, now: @escaping @Sendable () -> Timestamp,
        dryRun: Bool = false, feedsAtOnce: Int = 6, waits: [FeedWait] = [], newImages: NewImages? = nil,
        hasPart: ImagePart? = nil
    ) {
        round = FeedRefreshes(
            general: general, particulars: particulars, local: local, feedsAtOnce: max(1, feedsAtOnce),
            notes: !dryRun, waits: waits)
        self.images = images
        self.downloads = downloads
        self.now = now
        self.dryRun = dryRun
        self.newImages = newImages
        self.hasPart = hasPart
    }

    private enum Part: Sendable {
        case feeds(FeedRefreshes.Outcome)
        case survey(DownloadPlanner)
        case images(DownloadOutcome)
    }

    /// Each feed is tried, whatever happens to the others; its images are asked for as soon as it is there. Ends `events`
    /// when it is done.
    package func run(_ feeds: [ResourceURL], events: SyncEvents?) async -> SyncReport {
        defer { events?.finish() }
        let (synced, feedsEnd) = AsyncStream.makeStream(of: FeedRefreshes.SyncedFeed.self)
        let (news, newsEnd) = AsyncStream.makeStream(of: ImageDownloads.News.self)
        var round = FeedRefreshes.Outcome(reports: [], waits: [])
        let beginning = DownloadPlanner(
            ImageChoice(store: images, now: now), dryRun: dryRun, events: events, newImages: newImages)
        var survey = beginning
        var outcome = DownloadOutcome()
        await withTaskGroup(of: Part.self) { group in
            group.addTask { [feedRound = self.round] in .feeds(await feedRound.run(feeds, events, feedsEnd)) }
            group.addTask { .survey(await take(synced, in: beginning, newsEnd)) }
            group.addTask {
                .images(
                    await downloads.run(
                        news, events: events, newImages: newImages, inSeveralWays: feeds.count > 1))
            }
            for await part in group {
                switch part {
                case .feeds(let all): round = all
                case .survey(let all): survey = all
                case .images(let all):
                    outcome = all
                    // Feeds that are still to come are no longer wanted.
                    if all.fatal != nil { group.cancelAll() }
                }
            }
        }
        return SyncReport(
            feeds: round.reports, images: survey.report + outcome.report, fatal: outcome.fatal,
            wasCancelled: Task.isCancelled, noteFailure: round.failure, waits: round.waits)
    }

    /// Surveys the feeds as they come, and tells what is to be asked for.
    private func take(
        _ synced: AsyncStream<FeedRefreshes.SyncedFeed>, in survey: DownloadPlanner,
        _ news: AsyncStream<ImageDownloads.News>.Continuation
    ) async -> DownloadPlanner {
        defer { news.finish() }
        var survey = survey
        for await feed in synced {
            do throws(FeedError) {
                try await add(feed, to: &survey) { news.yield(.wanted($0)) }
            } catch {
                if !error.isCancellation { news.yield(.failure(error)) }
                break
            }
        }
        return survey
    }

    /// Throws what ends the run.
    private func add(
        _ feed: FeedRefreshes.SyncedFeed, to survey: inout DownloadPlanner,
        ask: ([WantedImage]) -> Void
    ) async throws(FeedError) {
        if let error = feed.report.error, error.isFatal { throw error }
        guard feed.report.failure == nil || !feed.images.isEmpty else { return }
        let url = feed.report.url
        let request = ImageChoice.Request(
            feed: url, terms: feed.imageTerms, scope: round.particulars(of: url).scope, predecessors: feed.predecessors)
        try await survey.add(try part(of: feed.images), of: url, request, ask: ask)
    }

    private func part(of images: [FeedImage]) throws(FeedError) -> [FeedImage] {
        guard let hasPart else { return images }
        var part: [FeedImage] = []
        for image in images where try hasPart(image.url) { part.append(image) }
        return part
    }
}

extension FeedError {
    /// The cache itself is in trouble: going on would fail in the same way. Rows of one feed that can't be read are that
    /// feed's failure alone; if more is damaged, what comes next meets it. A limit that an image meets is that image's.
    var isFatal: Bool {
        switch kind {
        case .storage(.unreadable), .storage(.limited): false
        case .storage: true
        default: false
        }
    }
}
