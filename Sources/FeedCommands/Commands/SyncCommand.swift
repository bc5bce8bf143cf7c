import FeedCore

struct SyncCommand {
    let session: Session
    var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ given: [ResourceURL]) async throws -> ExitCode {
        if settings.json && settings.printNew {
            throw UsageError(
                "--json and --print-new can't go together: each has standard output for itself",
                hint: "--metrics-file has the figures of a run, too")
        }
        return try await Monitoring(session).watch { try await perform(given) }
    }

    private func perform(_ given: [ResourceURL]) async throws -> Monitoring.Run {
        let start = ContinuousClock.now
        let (feeds, givers) = try await feeds(given)
        // A list may have come from a pipe that somebody kept open.
        let spent = ContinuousClock.now - start
        let own = feeds.map(settings.of)
        try session.requireTrust(for: own)
        let meter = session.showsProgress ? ByteMeter() : nil
        // A client takes longer to set up than a cache to open.
        async let making = session.makeTransport()
        let cache =
            settings.dryRun
            ? try await session.openCacheToBe() : try await session.openCache(.write(lockWait: settings.lockWait))
        let transport = try await making
        let waits = try await cache.waits.retrieve()
        let lines = settings.printNew && !settings.dryRun ? NewImageLines(session) : nil
        async let writing: Void? = lines?.writeAsTheyCome()
        let begun = ContinuousClock.now
        let report = try await session.fetching(
            through: transport, spent: spent, meter: meter, mostJobs: ImageDownloads.mostJobs(storing: cache.images)
        ) { client in
            let sync = sync(feeds, own, givers, in: cache, with: client, waits, printing: lines)
            let report = try await watch(feeds, meter) { await sync.run(feeds, events: $0) }
            if report.waits != waits, !settings.dryRun, report.fatal == nil { await keep(report.waits, in: cache) }
            return report
        }
        let gallery = try await renew("gallery", at: settings.gallery, after: report) { directory throws(FeedError) in
            let used = spent + (ContinuousClock.now - begun)
            let report = try await session.gallery(of: cache).write([], to: directory, used: used)
            return GalleryText(directory: directory, report: report).step
        }
        let tree = try await renew("tree", at: settings.tree, after: report) { directory throws(FeedError) in
            let used = spent + (ContinuousClock.now - begun)
            let report = try await session.writeTree(of: cache, [], to: directory, used: used)
            return TreeText(directory: directory, report: report).step
        }
        let failures = [gallery, tree].compactMap(\.self)
        let figures = settings.metricsFileToWrite == nil ? nil : await figures(of: cache, after: report)
        // The reader of the output may be slow, and other runs want the lock.
        await session.closeCaches()
        lines?.end()
        await writing
        let ending = finish(report, failures, unwritten: lines?.writeRest(), took: ContinuousClock.now - start)
        return Monitoring.Run(ending: ending, report: report, cache: figures)
    }

    /// A run that was stopped keeps them, too. If they can't be saved, the run has still done its work.
    private func keep(_ waits: [FeedWait], in cache: Cache) async {
        await uncancelled {
            do {
                try await cache.waits.replace(with: waits)
            } catch {
                session.report(LogLine(error))
            }
        }
    }

    /// Nil where the cache can't tell.
    private func figures(of cache: Cache, after report: SyncReport) async -> RunMetrics.CacheFigures? {
        let feeds = Set(report.feeds.map(\.url.key))
        // A run that was cancelled has a cache of some size, too.
        return await uncancelled {
            do {
                let saved = try await cache.feeds.summaries().filter { feeds.contains($0.url.key) }
                return RunMetrics.CacheFigures(
                    images: try await cache.images.totals(), oldestFeed: saved.map(\.savedAt).min())
            } catch {
                // A run that ended early was told of such a failure already.
                if report.fatal == nil { session.report(LogLine(error)) }
                return nil
            }
        }
    }

    /// Lays out the whole cache, also when some feeds failed. Answers why it could not be done.
    private func renew(
        _ name: String, at directory: String?, after report: SyncReport,
        _ write: (_ directory: String) async throws(FeedError) -> LogLine
    ) async throws -> FeedError? {
        guard let directory, !report.wasCancelled, report.fatal == nil else { return nil }
        if settings.dryRun {
            try session.plan("would write the \(name) \(directory)")
            return nil
        }
        do {
            session.detail(try await write(directory))
            return nil
        } catch {
            return error.isCancellation ? nil : error
        }
    }

    /// `own` are the settings of each feed.
    private func sync(
        _ feeds: [ResourceURL], _ own: [Settings], _ givers: [ResourceURL.Key: FeedGiver], in cache: Cache,
        with client: Fetcher, _ waits: [FeedWait], printing lines: NewImageLines?
    ) -> FeedSync {
        func particulars(_ own: Settings, givenBy giver: FeedGiver = .person) -> FeedPolicy {
            FeedPolicy(
                refresh: session.refresh(
                    cache, with: client, own, saves: !settings.dryRun, givenBy: giver,
                    interval: own.every.map { .init(every: $0, maxAge: own.maxAge, images: cache.images) }),
                maxAge: own.maxAge,
                scope: ImageScope(revalidates: own.revalidate, retriesFailed: own.retryFailed))
        }
        let general = settings.general
        var others: [ResourceURL.Key: FeedPolicy] = [:]
        for (feed, own) in zip(feeds, own) {
            let giver = givers[feed.key] ?? .person
            if giver != .person || own.general != general { others[feed.key] = particulars(own, givenBy: giver) }
        }
        let downloads = ImageDownloads(remote: session.remoteImages(with: client), store: cache.images)
        return FeedSync(
            general: particulars(settings), particulars: others, local: session.localFeeds(in: cache),
            images: cache.images, downloads: downloads, now: session.now, dryRun: settings.dryRun,
            // More than a few, as servers that don't answer hold up those behind them.
            feedsAtOnce: max(6, client.traffic.jobs), waits: waits,
            newImages: lines.map { lines in NewImages(lines.add) },
            hasPart: settings.shardBy == .image ? settings.shard.has(image:) : nil)
    }

    /// Fails where the output can't be written, which changes nothing of what the run did.
    private func finish(
        _ report: SyncReport, _ layoutFailures: [FeedError], unwritten: FeedError?, took duration: Duration
    ) -> Result<ExitCode, FeedError> {
        for feed in report.feeds {
            if feed.hasEmptied { session.notice(LogLine(emptied: feed.url)) }
            if let place = feed.movedTo { session.notice(LogLine(moved: feed.url, to: place)) }
            if feed.asksForName, let error = feed.error { session.notice(LogLine(unnamed: feed.url, error)) }
        }
        // Every hour's mail of a server that is away for a day would tell nothing that can be acted on.
        for outcome in [FeedReport.Outcome.offline, .waiting] {
            for line in SyncText.substitutes(outcome, report, now: session.now()) { session.remark(line) }
        }
        if let failure = report.noteFailure, report.fatal == nil { session.report(LogLine(failure)) }
        let ends = SyncText.failures(report, wereTold: settings.verbosity == .verbose)
        for line in ends + layoutFailures.map({ LogLine($0) }) { session.report(line) }
        let summary = SyncText.summary(report, took: duration)
        // A run with failures, or one that was stopped, says what it did get done.
        let isWhole = exitCode(of: report, layoutFailures) == .ok && !report.wasCancelled
        if isWhole { session.remark(summary) } else { session.notice(summary) }
        do throws(FeedError) {
            if let unwritten, !unwritten.isCancellation, report.fatal == nil { throw unwritten }
            if settings.json {
                try session.write(SyncJSON.text(report, report.fatal ?? layoutFailures.first, took: duration))
            }
        } catch {
            return .failure(error)
        }
        return .success(exitCode(of: report, layoutFailures))
    }

    private func exitCode(of report: SyncReport, _ layoutFailures: [FeedError]) -> ExitCode {
        // A fault that ended the run comes first: a feed out of reach may be back at the next.
        let hardFailure = report.fatal ?? report.feeds.lazy.compactMap(\.failure).first ?? layoutFailures.first
        if let hardFailure { return ExitCode.of(hardFailure) }
        return report.images.failed > 0 ? .someImagesFailed : .ok
    }
}
