import FeedCore

/// Fetches and saves feeds, and downloads their images.
struct SyncCommand {
    let session: Session
    var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ given: [ResourceURL]) async throws -> ExitCode {
        if settings.json && settings.printNew {
            throw UsageError(
                "--json and --print-new cannot be combined: both write to standard output",
                hint: "--metrics-file also reports the figures of a run")
        }
        return try await Monitoring(session).watch { try await perform(given) }
    }

    private func perform(_ given: [ResourceURL]) async throws -> Monitoring.FinishedRun {
        let start = ContinuousClock.now
        let (feeds, givers) = try await feeds(given)
        // Reading the list counts for `--max-time`, because it may come from a slow pipe.
        let spent = ContinuousClock.now - start
        let own = feeds.map(settings.of)
        try session.requireTrust(for: own)
        let meter = session.showsProgress ? ByteMeter() : nil
        // Setting up the client and opening the cache run at the same time, because the client takes longer.
        let making = Task { [session] in await Result { () async throws(FeedError) in try session.makeTransport() } }
        let lines = settings.printNew && !settings.dryRun ? NewImageLines(session) : nil
        async let writing: Void? = lines?.writeAsTheyCome()
        func results(in cache: Cache) async throws(FeedError) -> Results {
            let transport = try await making.value.get()
            let waits = try await cache.waits.retrieve()
            let reported = try await cache.reportedFailures.retrieve()
            let begun = ContinuousClock.now
            let report = try await session.fetching(
                through: transport, spent: spent, meter: meter, mostJobs: ImageDownloads.mostJobs(storing: cache.images)
            ) { client throws(FeedError) in
                let sync = sync(feeds, own, givers, in: cache, with: client, waits, printing: lines)
                let report = try await watch(feeds, meter) { await sync.run(feeds, events: $0) }
                if report.waits != waits, !settings.dryRun, report.fatal == nil { await keep(report.waits, in: cache) }
                return report
            }
            let used = spent + (ContinuousClock.now - begun)
            let layoutFailures = try await writeOutputs(of: cache, after: report, used: used)
            let figures = settings.metricsFileToWrite == nil ? nil : await self.figures(of: cache, after: report)
            let failures = await failuresToReport(of: report, after: reported, in: cache)
            return Results(report: report, failures: failures, layoutFailures: layoutFailures, figures: figures)
        }
        let access = settings.dryRun ? .readOrEmpty : session.saving
        let results = try await session.withCache(access, results)
        lines?.end()
        await writing
        let ending = finish(results, unwritten: lines?.writeRest(), took: ContinuousClock.now - start)
        return Monitoring.FinishedRun(ending: ending, report: results.report, cache: results.figures)
    }

    /// The results of a run.
    private struct Results {
        let report: SyncReport
        /// The failures of feeds and images to report.
        let failures: RepeatedFailures.NewFailures
        /// The failures of the gallery and the tree.
        let layoutFailures: [FeedError]
        /// The figures of the cache for the metrics.
        let figures: RunMetrics.CacheFigures?

        /// Whether there is a failure to report.
        var hasNews: Bool {
            !failures.isEmpty || !layoutFailures.isEmpty || report.fatal != nil || report.noteFailure != nil
        }
    }

    /// Returns the failures to report, and saves them, so that a pipe gets the same failure once a day.
    ///
    /// A terminal, `--verbose` and a dry run report each failure every time. Then only successes change what is saved.
    private func failuresToReport(
        of report: SyncReport, after reported: [ReportedFailure], in cache: Cache
    ) async -> RepeatedFailures.NewFailures {
        let all = RepeatedFailures.all(of: report)
        guard !settings.dryRun else { return all }
        var repeated = RepeatedFailures(reported, now: session.now())
        repeated.forgetSuccesses(of: report)
        let reportsEach = session.world.output.isWatched || settings.verbosity == .verbose
        let failures = reportsEach ? all : repeated.takeNew(of: report)
        let remembered = repeated.remembered
        guard remembered != reported, report.fatal == nil else { return failures }
        // A run that was stopped has reported failures as well.
        await uncancelled {
            do {
                try await cache.reportedFailures.replace(with: remembered)
            } catch {
                session.report(LogLine(error))
            }
        }
        return failures
    }

    /// Writes the gallery and the tree at the end of a run, and returns the errors.
    ///
    /// `used` is the part of `--max-time` that has already passed.
    private func writeOutputs(
        of cache: Cache, after report: SyncReport, used: Duration
    ) async throws(FeedError) -> [FeedError] {
        let begun = ContinuousClock.now
        let gallery = try await writeOutput("gallery", at: settings.gallery, after: report) {
            directory throws(FeedError) in
            let report = try await session.gallery(of: cache).write([], to: directory, used: used)
            return GalleryText(directory: directory, report: report).step
        }
        let tree = try await writeOutput("tree", at: settings.tree, after: report) { directory throws(FeedError) in
            let used = used + (ContinuousClock.now - begun)
            let report = try await session.writeTree(of: cache, [], to: directory, used: used)
            return TreeText(directory: directory, report: report).step
        }
        return [gallery, tree].compactMap(\.self)
    }

    /// Saves the waits, also of a run that was stopped.
    ///
    /// If that fails, the run still counts as done.
    private func keep(_ waits: [FeedWait], in cache: Cache) async {
        await uncancelled {
            do {
                try await cache.waits.replace(with: waits)
            } catch {
                session.report(LogLine(error))
            }
        }
    }

    /// Returns the figures of the cache for the metrics; nil if they cannot be read.
    private func figures(of cache: Cache, after report: SyncReport) async -> RunMetrics.CacheFigures? {
        let feeds = Set(report.feeds.map(\.url.key))
        // A cancelled run still reports the size of the cache.
        return await uncancelled {
            do {
                let saved = try await cache.feeds.summaries().filter { feeds.contains($0.url.key) }
                return RunMetrics.CacheFigures(
                    images: try await cache.images.totals(), oldestFeed: saved.map(\.head.savedAt).min(), feeds: saved)
            } catch {
                // If an error of the cache ended the run, that error has already been reported.
                if report.fatal == nil { session.report(LogLine(error)) }
                return nil
            }
        }
    }

    /// Writes the gallery or tree of the whole cache, even if some feeds failed.
    ///
    /// Returns the error if it could not be written.
    private func writeOutput(
        _ name: String, at directory: String?, after report: SyncReport,
        _ write: (_ directory: String) async throws(FeedError) -> LogLine
    ) async throws(FeedError) -> FeedError? {
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

    /// Builds the use case.
    ///
    /// `own` are the settings of each feed.
    private func sync(
        _ feeds: [ResourceURL], _ own: [Settings], _ givers: [ResourceURL.Key: FeedGiver], in cache: Cache,
        with client: Fetcher, _ waits: [FeedWait], printing lines: NewImageLines?
    ) -> FeedSync {
        let local = session.localFeeds(in: cache.feeds)
        func policy(_ own: Settings, givenBy giver: FeedGiver = .person) -> FeedPolicy {
            FeedPolicy(
                refresh: session.refresh(
                    local, with: client, own, saves: !settings.dryRun, givenBy: giver,
                    interval: own.every.map { .init(every: $0, maxAge: own.maxAge, images: cache.images) }),
                maxAge: own.maxAge,
                scope: ImageScope(revalidates: own.revalidate, retriesFailed: own.retryFailed))
        }
        let general = settings.general
        var others: [ResourceURL.Key: FeedPolicy] = [:]
        for (feed, own) in zip(feeds, own) {
            let giver = givers[feed.key] ?? .person
            if giver != .person || own.general != general { others[feed.key] = policy(own, givenBy: giver) }
        }
        let downloads = ImageDownloads(remote: session.remoteImages(with: client), store: cache.images)
        return FeedSync(
            general: policy(settings), particulars: others, local: local,
            images: cache.images, downloads: downloads, now: session.now, dryRun: settings.dryRun,
            // Many feeds are requested at once, so that a few unresponsive servers do not hold up the others.
            feedsAtOnce: max(6, client.scheduler.jobs), waits: waits,
            newImages: lines.map { lines in NewImages(lines.add) },
            hasPart: settings.shardBy == .image ? settings.shard.has(image:) : nil)
    }

    /// Reports the result of the run.
    ///
    /// The result is a failure if the output cannot be written.
    private func finish(
        _ results: Results, unwritten: FeedError?, took duration: Duration
    ) -> Result<ExitCode, FeedError> {
        let (report, layoutFailures) = (results.report, results.layoutFailures)
        for feed in report.feeds {
            if feed.hasEmptied { session.notice(LogLine(emptied: feed.url)) }
            if let newURL = feed.movedTo { session.notice(LogLine(moved: feed.url, to: newURL)) }
        }
        // These lines are left out in a pipe: an hourly cron job would otherwise mail them all day.
        for outcome in [FeedReport.Outcome.offline, .waiting] {
            for line in SyncText.substitutes(outcome, report, now: session.now()) { session.remark(line) }
        }
        if let failure = report.noteFailure, report.fatal == nil { session.report(LogLine(failure)) }
        // The failures of feeds and images were reported as steps if `--verbose` is given.
        if settings.verbosity != .verbose {
            for line in SyncText.lines(of: results.failures) { session.report(line) }
        }
        let ends = [SyncText.fatal(report)].compactMap(\.self) + layoutFailures
        for error in ends { session.report(LogLine(error)) }
        let summary = SyncText.summary(report, took: duration)
        // A run with failures to report, or a stopped run, always prints its summary.
        let isWhole = exitCode(of: report, layoutFailures) == .ok || !results.hasNews
        if isWhole && !report.wasCancelled { session.remark(summary) } else { session.notice(summary) }
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
        // An error that ended the run comes first. The other feeds may succeed in the next run.
        let hardFailure = report.fatal ?? report.feeds.lazy.compactMap(\.failure).first ?? layoutFailures.first
        if let hardFailure { return ExitCode.of(hardFailure) }
        let isIncomplete = report.images.failed > 0 || report.feeds.contains { $0.pageFailure != nil }
        return isIncomplete ? .incomplete : .ok
    }
}

extension SyncCommand {
    /// Runs `run`, and shows its steps as a progress line, as lines of `--verbose`, or as the plan of a dry run.
    func watch(
        _ feeds: [ResourceURL], _ meter: ByteMeter?,
        _ run: @Sendable (SyncEvents?) async -> SyncReport
    ) async throws(FeedError) -> SyncReport {
        let label = feeds.count == 1 ? feeds[0].host ?? "" : ""
        guard let display = session.makeProgressDisplay(label, of: "feed", meter: meter) else {
            return try await follow(feeds, run)
        }
        var progress = SyncProgress(feeds: feeds.count)
        display.update(progress.progress, noun: progress.noun)
        return try await display.during { () async throws(FeedError) in
            try await follow(feeds, run) { event in
                progress.take(event)
                display.update(progress.progress, noun: progress.noun)
            }
        }
    }

    private func follow(
        _ feeds: [ResourceURL], _ run: @Sendable (SyncEvents?) async -> SyncReport,
        _ show: ((SyncEvent) -> Void)? = nil
    ) async throws(FeedError) -> SyncReport {
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

extension SyncCommand {
    /// Returns the feeds of the operands and the OPML list, each once.
    ///
    /// Without these it returns the feeds in the config file, or else the feeds in the cache that a command has named. A
    /// missing cache is not created. `givers` says for each feed whether the user, the config file or the list asked for
    /// it.
    func feeds(
        _ given: [ResourceURL]
    ) async throws -> (all: [ResourceURL], givers: [ResourceURL.Key: FeedGiver]) {
        var givers: [ResourceURL.Key: FeedGiver] = [:]
        func note(_ giver: FeedGiver, for feeds: [ResourceURL]) {
            for feed in feeds where givers[feed.key] == nil {
                givers[feed.key] = settings.feeds[feed] == nil ? giver : .config
            }
        }
        var feeds = given.map(session.asConfigured)
        for feed in feeds { givers[feed.key] = .person }
        if given.isEmpty {
            feeds = settings.feeds.all.map(\.url)
            note(.config, for: feeds)
            for feed in settings.feeds.all { session.noticeMissingScheme(of: feed.url, givenAs: feed.given) }
        }
        if let list = settings.opml {
            let listed = try await session.subscriptions(in: list).map(session.asConfigured)
            note(.list, for: listed)
            feeds += listed
            if feeds.isEmpty { throw UsageError("there is no feed to sync: \(TerminalText.escape(list)) names none") }
        } else if feeds.isEmpty {
            feeds = try await savedFeeds().filter { $0.naming == .byCommand }.map(\.url)
            note(.person, for: feeds)
        }
        guard !feeds.isEmpty else {
            throw UsageError(
                "there is no feed to sync: none was given, and neither the config file nor the cache has one",
                hint: "looked at \(searchedPaths); see feedsync help")
        }
        var distinct = DistinctFeeds()
        for feed in feeds where try settings.shardBy == .image || settings.shard.has(feed: feed) {
            _ = distinct.add(feed)
        }
        return (distinct.urls, givers)
    }

    /// The paths of the config file and the cache, for the message about missing feeds.
    private var searchedPaths: String {
        let config = session.world.configPath(settings)
        return TerminalText.escape([config, session.cachePath].compactMap(\.self).joined(separator: " and "))
    }

    private func savedFeeds() async throws(FeedError) -> [FeedSummary] {
        try await session.withCache(.readOrEmpty) { cache throws(FeedError) in try await cache.feeds.summaries() }
    }
}
