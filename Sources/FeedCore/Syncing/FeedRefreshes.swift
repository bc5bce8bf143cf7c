/// Brings every feed of a run up to date, a bounded number at a time, each by its own policy.
struct FeedRefreshes: Sendable {
    struct SyncedFeed: Sendable {
        let report: FeedReport
        let images: [FeedImage]
        /// The terms for requesting the images; nil if the feed's server is out of reach or has to wait.
        var imageTerms: RequestTerms?
        var isNamed = false
        /// The predecessors of image URLs, from `FeedRefresh.Refreshed`.
        var predecessors: [ResourceURL.Key: ResourceURL] = [:]
        /// Why the feed could not be loaded from its server.
        var trouble: FeedTrouble?
        /// The pause that the server asked for in its response to the feed's own request.
        var wait: FeedWait?
        /// The pages of items without an image.
        var linkedPages = LinkedPagesReport()
    }

    struct Outcome: Sendable {
        var reports: [FeedReport]
        /// The pauses that later runs have to respect.
        var waits: [FeedWait]
        /// Why the troubles of feeds could not be saved.
        var failure: FeedError?
    }

    /// The policy of the feeds that have none of their own.
    let general: FeedPolicy
    let policies: [ResourceURL.Key: FeedPolicy]
    let local: LocalFeedLoader
    let feedsAtOnce: Int
    /// Whether the troubles of feeds are saved.
    let savesTroubles: Bool
    /// The pauses that servers asked for in earlier runs.
    let waits: [FeedWait]

    func policy(of feed: ResourceURL) -> FeedPolicy { policies[feed.key] ?? general }

    /// Refreshes the feeds, and passes each to `next` as soon as it is up to date.
    ///
    /// Returns the reports in the order of `feeds`; cancelled feeds have none.
    func run(
        _ feeds: [ResourceURL], _ events: SyncEvents?, _ next: AsyncStream<SyncedFeed>.Continuation
    ) async -> Outcome {
        defer { next.finish() }
        let start = local.now()
        let earlier = Dictionary(waits.filter { $0.holds(at: start) }.map { ($0.feed.key, $0) }) { $1 }
        var waits = earlier
        var reports = [FeedReport?](repeating: nil, count: feeds.count)
        var troubles: [(url: ResourceURL, trouble: FeedTrouble)] = []
        // The queue lets feeds of other hosts pass those of a host that has to wait.
        var queue = SchedulerState(jobs: feedsAtOnce, concurrency: HostConcurrency(fixedLimit: feedsAtOnce))
        queue.add(feeds, from: 0)
        await withTaskGroup(of: (SchedulerState.Start, SyncedFeed?).self) { group in
            func startAll(in group: inout TaskGroup<(SchedulerState.Start, SyncedFeed?)>) {
                while !Task.isCancelled, let start = queue.nextImage() {
                    let url = feeds[start.number]
                    group.addTask { (start, await sync(url, notBefore: earlier[url.key]?.until, events)) }
                }
            }
            startAll(in: &group)
            while let (start, feed) = await group.next() {
                queue.release(start.slot, .nothing)
                startAll(in: &group)
                guard let feed else { continue }
                reports[start.number] = feed.report
                if let trouble = feed.trouble { troubles.append((feed.report.url, trouble)) }
                if feed.report.outcome != .waiting { waits[feed.report.url.key] = feed.wait }
                events?.yield(.feed(feed.report))
                next.yield(feed)
            }
        }
        let failure = await save(troubles)
        return Outcome(
            reports: reports.compactMap { $0 }, waits: waits.values.sorted { $0.feed.text < $1.feed.text },
            failure: failure)
    }

    /// Saves all troubles in one change, because every feed has one while the network is down.
    private func save(_ troubles: [(url: ResourceURL, trouble: FeedTrouble)]) async -> FeedError? {
        guard savesTroubles, !troubles.isEmpty else { return nil }
        do {
            try await local.note(troubles)
            return nil
        } catch {
            return error
        }
    }

    private func sync(
        _ url: ResourceURL, notBefore: Timestamp?, _ events: SyncEvents?
    ) async -> SyncedFeed? {
        do {
            let refresh = policy(of: url).refresh
            let latest = try await refresh.refresh(url, notBefore: notBefore) { step in
                events?.yield(.feedStep(url, step))
            }
            let outcome: FeedReport.Outcome =
                switch (latest.saveFailure, latest.outcome) {
                case (_?, _): .failed
                case (nil, .updated): .updated
                case (nil, .unchanged): .unchanged
                case (nil, .waiting): .waiting
                }
            let images = latest.feed.images
            let report = FeedReport(
                url: url, outcome: outcome, images: images.count, kept: latest.keptCount, savedAt: latest.savedAt,
                error: latest.saveFailure ?? latest.pageFailure, movedTo: latest.movedTo, notes: latest.notes,
                hasEmptied: latest.hasEmptied)
            var feed = SyncedFeed(
                report: report, images: images + latest.keptWithoutData, imageTerms: latest.imageTerms,
                isNamed: latest.isNamed, predecessors: latest.predecessors, linkedPages: latest.linkedPages)
            if let failure = latest.pageFailure { note(failure, in: &feed) }
            return feed
        } catch let error where error.isCancellation {
            return nil
        } catch {
            guard var feed = await savedCopy(of: url, after: error) else { return nil }
            note(error, in: &feed)
            return feed
        }
    }

    /// Notes why the feed, or a page of it, could not be loaded from its server.
    private func note(_ error: FeedError, in feed: inout SyncedFeed) {
        let now = local.now()
        feed.trouble = FeedTrouble(error, at: now)
        feed.wait = error.retryAfter.map { FeedWait(feed: feed.report.url, until: now + min($0, FeedWait.longest)) }
    }

    /// Returns the saved copy of a feed that is out of reach, while the copy is fresh.
    ///
    /// Invalid data is a failure in any case.
    private func savedCopy(of url: ResourceURL, after cause: FeedError) async -> SyncedFeed? {
        guard cause.kind == .connectivity else { return failed(url, cause) }
        let found: LocalFeedLoader.Loaded
        do {
            found = try await local.load(url, maxAge: policy(of: url).maxAge)
        } catch let error where error.isCancellation {
            return nil
        } catch {
            return failed(url, error.adding(", and from the server: \(cause.message)"))
        }
        do {
            let saved = try found.freshFeed(ifStale: cause.addingStale, ifNeverSaved: cause)
            let report = FeedReport(
                url: url, outcome: cause.isWait ? .waiting : .offline, images: saved.feed.images.count,
                kept: saved.keptCount, savedAt: saved.savedAt, error: cause)
            return SyncedFeed(report: report, images: saved.feed.images)
        } catch {
            return failed(url, error)
        }
    }

    private func failed(_ url: ResourceURL, _ error: FeedError) -> SyncedFeed {
        let outcome = error.isWait ? FeedReport.Outcome.waiting : .failed
        return SyncedFeed(report: FeedReport(url: url, outcome: outcome, error: error), images: [])
    }
}

/// The settings of a run that may differ between feeds.
package struct FeedPolicy: Sendable {
    package let refresh: FeedRefresh
    package let maxAge: MaxAge
    package let scope: ImageScope

    package init(refresh: FeedRefresh, maxAge: MaxAge, scope: ImageScope = ImageScope()) {
        self.refresh = refresh
        self.maxAge = maxAge
        self.scope = scope
    }
}
