/// Which images a run asks for besides those that are not in the cache.
package struct ImageScope: Hashable, Sendable {
    /// Those in the cache, whether they have changed.
    package var revalidates: Bool
    /// Those whose last answer tends to stay, whatever time has passed.
    package var retriesFailed: Bool

    package init(revalidates: Bool = false, retriesFailed: Bool = false) {
        self.revalidates = revalidates
        self.retriesFailed = retriesFailed
    }
}

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
    private let general: FeedParticulars
    private let particulars: [ResourceURL.Key: FeedParticulars]
    private let local: LocalFeedLoader
    let images: any ImageStore
    private let downloads: ImageDownloads
    let now: @Sendable () -> Timestamp
    let dryRun: Bool
    private let feedsAtOnce: Int

    package init(
        refresh: FeedRefresh, local: LocalFeedLoader, images: any ImageStore, downloads: ImageDownloads,
        maxAge: MaxAge, scope: ImageScope = ImageScope(), now: @escaping @Sendable () -> Timestamp,
        dryRun: Bool = false, feedsAtOnce: Int = 6, particulars: [ResourceURL.Key: FeedParticulars] = [:]
    ) {
        general = FeedParticulars(refresh: refresh, maxAge: maxAge, scope: scope)
        self.particulars = particulars
        self.local = local
        self.images = images
        self.downloads = downloads
        self.now = now
        self.dryRun = dryRun
        self.feedsAtOnce = max(1, feedsAtOnce)
    }

    struct SyncedFeed: Sendable {
        let report: FeedReport
        let images: [FeedImage]
        var imageTerms = RequestTerms()
    }

    /// Each feed is tried, whatever happens to the others. Ends `events` when it is done.
    package func run(_ feeds: [ResourceURL], events: SyncEvents?) async -> SyncReport {
        defer { events?.finish() }
        let synced = await refreshAll(feeds, events)
        let reports = synced.compactMap(\.?.report)
        let broken = reports.compactMap(\.error).first { $0.isFatal }
        guard broken == nil, !Task.isCancelled else { return report(reports, ImagesReport(), fatal: broken) }
        do {
            let (wanted, images) = try await survey(synced.compactMap { $0 }, events)
            if dryRun { return report(reports, images) }
            let outcome = await downloads.run(wanted, adding: images, events: events)
            return report(reports, outcome.report, fatal: outcome.fatal)
        } catch {
            return report(reports, ImagesReport(), fatal: error.isCancellation ? nil : error)
        }
    }

    func particulars(of feed: ResourceURL) -> FeedParticulars { particulars[feed.key] ?? general }

    private func report(_ feeds: [FeedReport], _ images: ImagesReport, fatal: FeedError? = nil) -> SyncReport {
        SyncReport(feeds: feeds, images: images, fatal: fatal, wasCancelled: Task.isCancelled)
    }

    /// In the order of `feeds`; nil for one that was cancelled.
    private func refreshAll(
        _ feeds: [ResourceURL], _ events: SyncEvents?
    ) async -> [SyncedFeed?] {
        var synced = [SyncedFeed?](repeating: nil, count: feeds.count)
        await withTaskGroup(of: (Int, SyncedFeed?).self) { group in
            var waiting = feeds.indices.makeIterator()
            func startNext(in group: inout TaskGroup<(Int, SyncedFeed?)>) {
                guard !Task.isCancelled, let index = waiting.next() else { return }
                group.addTask { (index, await sync(feeds[index], events)) }
            }
            for _ in 0..<feedsAtOnce { startNext(in: &group) }
            while let (index, feed) = await group.next() {
                synced[index] = feed
                if let feed { events?.yield(.feed(feed.report)) }
                startNext(in: &group)
            }
        }
        return synced
    }

    private func sync(_ url: ResourceURL, _ events: SyncEvents?) async -> SyncedFeed? {
        do {
            let latest = try await particulars(of: url).refresh.refresh(url) { step in
                events?.yield(.feedStep(url, step))
            }
            let outcome: FeedReport.Outcome =
                switch (latest.saveFailure, latest.outcome) {
                case (_?, _): .failed
                case (nil, .updated): .updated
                case (nil, .unchanged): .unchanged
                }
            let images = latest.feed.images
            let report = FeedReport(
                url: url, outcome: outcome, images: images.count, savedAt: latest.savedAt, error: latest.saveFailure,
                notes: latest.notes)
            return SyncedFeed(report: report, images: images, imageTerms: latest.imageTerms)
        } catch let error where error.isCancellation {
            return nil
        } catch {
            return await standIn(for: url, error)
        }
    }

    /// A feed that can't be reached is no failure while its saved copy is fresh. One that answers with invalid data is.
    private func standIn(for url: ResourceURL, _ cause: FeedError) async -> SyncedFeed? {
        do {
            guard cause.kind == .connectivity else { return failed(url, cause) }
            switch try await local.load(url, maxAge: particulars(of: url).maxAge) {
            case .fresh(let saved):
                let report = FeedReport(
                    url: url, outcome: .offline, images: saved.feed.images.count, savedAt: saved.savedAt, error: cause)
                return SyncedFeed(report: report, images: saved.feed.images)
            case .stale(let savedAt): return failed(url, cause.addingStale(savedAt))
            case .neverSaved: return failed(url, cause)
            }
        } catch let error where error.isCancellation {
            return nil
        } catch {
            return failed(url, error)
        }
    }

    private func failed(_ url: ResourceURL, _ error: FeedError) -> SyncedFeed {
        SyncedFeed(report: FeedReport(url: url, outcome: .failed, error: error), images: [])
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
