/// Use case: brings the saved copy of every feed up to date, and downloads all their images.
package struct FeedSync: Sendable {
    private let refreshes: FeedRefreshes
    private let images: any ImageStore
    private let downloads: ImageDownloads
    private let now: @Sendable () -> Timestamp
    private let dryRun: Bool
    private let newImages: NewImages?
    private let hasPart: ImagePart?

    /// Returns whether an image belongs to this run's part of the work.
    package typealias ImagePart = @Sendable (_ image: ResourceURL) throws(FeedError) -> Bool

    /// `particulars` has the feeds with a policy of their own; `general` is the policy of all other feeds.
    package init(
        general: FeedPolicy, particulars policies: [ResourceURL.Key: FeedPolicy] = [:], local: LocalFeedLoader,
        images: any ImageStore, downloads: ImageDownloads, now: @escaping @Sendable () -> Timestamp,
        dryRun: Bool = false, feedsAtOnce: Int = 6, waits: [FeedWait] = [], newImages: NewImages? = nil,
        hasPart: ImagePart? = nil
    ) {
        refreshes = FeedRefreshes(
            general: general, policies: policies, local: local, feedsAtOnce: max(1, feedsAtOnce),
            savesTroubles: !dryRun, waits: waits)
        self.images = images
        self.downloads = downloads
        self.now = now
        self.dryRun = dryRun
        self.newImages = newImages
        self.hasPart = hasPart
    }

    /// The result of one of the three tasks of a run.
    private enum TaskResult: Sendable {
        case feeds(FeedRefreshes.Outcome)
        case plan(DownloadPlanner)
        case images(DownloadOutcome)
    }

    /// Loads every feed, independently of the others, and requests its images as soon as the feed is loaded.
    ///
    /// Finishes `events` at the end.
    package func run(_ feeds: [ResourceURL], events: SyncEvents?) async -> SyncReport {
        defer { events?.finish() }
        let (synced, feedsEnd) = AsyncStream.makeStream(of: FeedRefreshes.SyncedFeed.self)
        let (inputs, inputsEnd) = AsyncStream.makeStream(of: DownloadInput.self)
        var feedOutcome = FeedRefreshes.Outcome(reports: [], waits: [])
        let newPlanner = DownloadPlanner(
            ImageChoice(store: images, now: now), dryRun: dryRun, events: events, newImages: newImages)
        var planner = newPlanner
        var imageOutcome = DownloadOutcome()
        await withTaskGroup(of: TaskResult.self) { group in
            group.addTask { [refreshes] in .feeds(await refreshes.run(feeds, events, feedsEnd)) }
            group.addTask { .plan(await plan(synced, with: newPlanner, inputsEnd)) }
            group.addTask {
                .images(
                    await downloads.run(
                        inputs, events: events, newImages: newImages, inSeveralWays: feeds.count > 1))
            }
            for await result in group {
                switch result {
                case .feeds(let outcome): feedOutcome = outcome
                case .plan(let plan): planner = plan
                case .images(let outcome):
                    imageOutcome = outcome
                    // A fatal error ends the run, including the feeds that are still loading.
                    if outcome.fatal != nil { group.cancelAll() }
                }
            }
        }
        return SyncReport(
            feeds: feedOutcome.reports, images: planner.report + imageOutcome.report, fatal: imageOutcome.fatal,
            wasCancelled: Task.isCancelled, noteFailure: feedOutcome.failure, waits: feedOutcome.waits)
    }

    /// Plans the downloads of each feed when it arrives, and passes the wanted images to `inputs`.
    private func plan(
        _ synced: AsyncStream<FeedRefreshes.SyncedFeed>, with newPlanner: DownloadPlanner,
        _ inputs: AsyncStream<DownloadInput>.Continuation
    ) async -> DownloadPlanner {
        defer { inputs.finish() }
        var planner = newPlanner
        for await feed in synced {
            do throws(FeedError) {
                try await add(feed, to: &planner) { inputs.yield(.wanted($0)) }
            } catch {
                if !error.isCancellation { inputs.yield(.failure(error)) }
                break
            }
        }
        return planner
    }

    /// Adds a feed to the planner.
    ///
    /// Throws an error that ends the run.
    private func add(
        _ feed: FeedRefreshes.SyncedFeed, to planner: inout DownloadPlanner,
        ask: ([WantedImage]) -> Void
    ) async throws(FeedError) {
        if let error = feed.report.error, error.isFatal { throw error }
        // The data of an image belongs to a saved feed.
        guard feed.report.savedAt != nil || dryRun else { return }
        let url = feed.report.url
        planner.add(feed.linkedPages, of: url)
        let request = ImageChoice.Request(
            feed: url, terms: feed.imageTerms.map(ImageTerms.init), scope: refreshes.policy(of: url).scope,
            isNamed: feed.isNamed, predecessors: feed.predecessors)
        try await planner.add(try part(of: feed.images), of: url, request, ask: ask)
    }

    private func part(of images: [FeedImage]) throws(FeedError) -> [FeedImage] {
        guard let hasPart else { return images }
        var part: [FeedImage] = []
        for image in images where try hasPart(image.url) { part.append(image) }
        return part
    }
}
