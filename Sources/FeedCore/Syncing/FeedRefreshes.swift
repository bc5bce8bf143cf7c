/// Brings every feed of a run up to date, some at a time, each with what holds for it.
struct FeedRefreshes: Sendable {
    struct SyncedFeed: Sendable {
        let report: FeedReport
        let images: [FeedImage]
        /// On which the images may be asked for; nil while the feed's server is out of reach or not asked.
        var imageTerms: RequestTerms?
        /// As in `FeedRefresh.Refreshed`.
        var predecessors: [ResourceURL.Key: ResourceURL] = [:]
        /// Why the feed could not be loaded from its server.
        var trouble: FeedTrouble?
        /// The pause that the server asked for in its response to the feed's own request.
        var wait: FeedWait?
    }

    struct Outcome: Sendable {
        var reports: [FeedReport]
        /// The pauses that later runs have to respect.
        var waits: [FeedWait]
        /// Why the troubles of feeds could not be saved.
        var failure: FeedError?
    }

    let general: FeedPolicy
    let particulars: [ResourceURL.Key: FeedPolicy]
    let local: LocalFeedLoader
    let feedsAtOnce: Int
    /// What went wrong with a feed is kept with its saved copy.
    let notes: Bool
    /// The pauses that servers asked for in earlier runs.
    let waits: [FeedWait]

    func particulars(of feed: ResourceURL) -> FeedPolicy { particulars[feed.key] ?? general }

    /// Returns the reports in the order of `feeds`, without the feeds that were cancelled. Each feed is handed on as soon as
    /// it is up to date.
    func run(
        _ feeds: [ResourceURL], _ events: SyncEvents?, _ next: AsyncStream<SyncedFeed>.Continuation
    ) async -> Outcome {
        defer { next.finish() }
        let start = local.now()
        let earlier = Dictionary(waits.filter { $0.holds(at: start) }.map { ($0.feed.key, $0) }) { $1 }
        var waits = earlier
        var reports = [FeedReport?](repeating: nil, count: feeds.count)
        var troubles: [(url: ResourceURL, trouble: FeedTrouble)] = []
        // No host whose feeds have to wait holds up those of others.
        var queue = SchedulerState(jobs: feedsAtOnce, share: HostConcurrency(asked: feedsAtOnce))
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
                queue.leave(start.place, .nothing)
                startAll(in: &group)
                guard let feed else { continue }
                reports[start.number] = feed.report
                if let trouble = feed.trouble { troubles.append((feed.report.url, trouble)) }
                if feed.report.outcome != .waiting { waits[feed.report.url.key] = feed.wait }
                events?.yield(.feed(feed.report))
                next.yield(feed)
            }
        }
        let failure = await note(troubles)
        return Outcome(
            reports: reports.compactMap { $0 }, waits: waits.values.sorted { $0.feed.text < $1.feed.text },
            failure: failure)
    }

    /// All at once: when the network is down, there is one of each feed.
    private func note(_ troubles: [(url: ResourceURL, trouble: FeedTrouble)]) async -> FeedError? {
        guard notes, !troubles.isEmpty else { return nil }
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
            let refresh = particulars(of: url).refresh
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
                error: latest.saveFailure, movedTo: latest.movedTo, notes: latest.notes,
                hasEmptied: latest.hasEmptied)
            return SyncedFeed(
                report: report, images: images + latest.keptWithoutData, imageTerms: latest.imageTerms,
                predecessors: latest.predecessors)
        } catch let error where error.isCancellation {
            return nil
        } catch {
            var feed = await standIn(for: url, error)
            let now = local.now()
            feed?.trouble = FeedTrouble(error, at: now)
            feed?.wait = error.retryAfter.map { FeedWait(feed: url, until: now + min($0, FeedWait.longest)) }
            return feed
        }
    }

    /// A feed that can't be reached is no failure while its saved copy is fresh. One that answers with invalid data is.
    private func standIn(for url: ResourceURL, _ cause: FeedError) async -> SyncedFeed? {
        guard cause.kind == .connectivity else { return failed(url, cause) }
        let found: LocalFeedLoader.Loaded
        do {
            found = try await local.load(url, maxAge: particulars(of: url).maxAge)
        } catch let error where error.isCancellation {
            return nil
        } catch {
            return failed(url, error.adding(", and from the server: \(cause.message)"))
        }
        do {
            let saved = try found.freshFeed(ifStale: cause.addingStale, ifNeverSaved: cause)
            var report = FeedReport(
                url: url, outcome: cause.isWait ? .waiting : .offline, images: saved.feed.images.count,
                kept: saved.keptCount, savedAt: saved.savedAt, error: cause)
            report.asksForName = cause.needsName && saved.trouble?.message != cause.message.withoutPasswords
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
