import FeedCore

struct SyncCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ given: [ResourceURL]) async throws -> ExitCode {
        let start = ContinuousClock.now
        let feeds = try await feeds(given)
        let cache = try await session.openCache(settings.dryRun ? .read : .write(lockWait: settings.lockWait))
        let report = try await limited { client async throws in
            try await sync(feeds, in: cache, with: client)
        }
        let gallery = try await renewGallery(of: cache, after: report)
        return try finish(report, gallery, took: ContinuousClock.now - start)
    }

    /// Of all that is in the cache, whatever of it was synced, and also when some of that failed: the gallery says so.
    /// Answers why it could not be written.
    private func renewGallery(of cache: Cache, after report: SyncReport) async throws -> FeedError? {
        guard let folder = settings.gallery, !report.wasCancelled, report.fatal == nil else { return nil }
        if settings.dryRun {
            try session.plan("would write the gallery \(folder)")
            return nil
        }
        do {
            let written = try await session.gallery(of: cache).write([], to: folder)
            if settings.verbosity == .verbose {
                session.report(GalleryText(folder: folder, report: written).summary)
            }
            return nil
        } catch {
            return error.isCancellation ? nil : error
        }
    }

    private func sync(
        _ feeds: [ResourceURL], in cache: Cache, with client: any HTTPClient
    ) async throws -> SyncReport {
        let local = session.localFeeds(in: cache)
        let downloads = ImageDownloads(
            remote: session.remoteImages(with: client), store: cache.images,
            window: ImageDownloads.Window(jobs: settings.jobs, perHost: settings.maxPerHost), now: session.now)
        let sync = FeedSync(
            refresh: session.refresh(cache, with: client, saves: !settings.dryRun), local: local,
            images: cache.images, downloads: downloads, maxAge: settings.maxAge,
            scope: ImageScope(revalidates: settings.revalidate, retriesFailed: settings.retryFailed),
            now: session.now, dryRun: settings.dryRun)
        return try await watch { await sync.run(feeds, events: $0) }
    }

    /// Hands out a client that asks nobody after `--max-time`. Waiting for another run is not counted: that has a limit
    /// of its own.
    private func limited(_ run: (any HTTPClient) async throws -> SyncReport) async throws -> SyncReport {
        let client = try session.makeClient()
        guard let limit = settings.maxTime, let seconds = ValueSyntax<Duration>.seconds.write(limit) else {
            return try await run(client)
        }
        let deadline = Deadline(reason: .connectivity("not done within --max-time \(seconds)"))
        return try await deadline.passing(after: limit) {
            try await run(PunctualHTTPClient(client, until: deadline))
        }
    }

    /// Those given, each once; with none given, those in the cache, which is not created to find none in it.
    private func feeds(_ given: [ResourceURL]) async throws -> [ResourceURL] {
        var seen = Set<ResourceURL.Key>()
        let feeds = given.isEmpty ? try await savedFeeds() : given
        guard !feeds.isEmpty else {
            throw UsageError(
                "there is no feed to sync: none was given, and the cache holds none", hint: "see feedsync help")
        }
        return feeds.filter { seen.insert($0.key).inserted }
    }

    private func savedFeeds() async throws(FeedError) -> [ResourceURL] {
        let feeds = try await session.openCache(.read).feeds.summaries().map(\.url)
        // On a full disk a cache can't be opened for writing beside somebody who reads.
        await session.closeCaches()
        return feeds
    }

    /// Tells of the steps of a run while it goes on, where that is wanted.
    private func watch(
        _ run: @Sendable (AsyncStream<SyncEvent>.Continuation) async -> SyncReport
    ) async throws -> SyncReport {
        let isWanted = settings.dryRun || settings.verbosity == .verbose
        let (events, continuation) = AsyncStream.makeStream(
            of: SyncEvent.self, bufferingPolicy: isWanted ? .unbounded : .bufferingOldest(0))
        async let report = run(continuation)
        for await event in events {
            if settings.verbosity == .verbose, let line = SyncText.step(event) { session.report(line) }
            if settings.dryRun, let line = SyncText.plan(event) { try session.plan(line) }
        }
        return await report
    }

    private func finish(
        _ report: SyncReport, _ galleryFailure: FeedError?, took duration: Duration
    ) throws -> ExitCode {
        for line in SyncText.offline(report, now: session.now()) { session.notice(line) }
        let failures = SyncText.failures(report) + (galleryFailure.map { [$0.message] } ?? [])
        for line in failures { session.report(line) }
        let summary = SyncText.summary(report, took: duration)
        // A run with failures, or one that was stopped, says what it did get done.
        if failures.isEmpty, !report.wasCancelled { session.remark(summary) } else { session.report(summary) }
        if settings.json { try session.write(SyncJSON.text(report, took: duration)) }
        return exitCode(of: report, galleryFailure)
    }

    private func exitCode(of report: SyncReport, _ galleryFailure: FeedError?) -> ExitCode {
        let hardFailure = report.feeds.first { $0.outcome == .failed }?.error ?? report.fatal ?? galleryFailure
        if let hardFailure { return ExitCode.of(hardFailure) }
        return report.images.failed > 0 ? .someImagesFailed : .ok
    }
}
