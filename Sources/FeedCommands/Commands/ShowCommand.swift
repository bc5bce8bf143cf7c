import FeedCore

/// Prints one feed: from its server, or else the saved feed if it is fresh.
struct ShowCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ url: ResourceURL) async throws(FeedError) -> ExitCode {
        let url = session.asConfigured(url)
        let (shown, trouble) = try await produce(url)
        // The cache is closed first: a reader of the output may be slow, and other runs wait for the lock.
        await session.closeCaches()
        try shown.write(now: session.now(), session.world.output.write)
        guard let trouble else { return .ok }
        session.report("\(url): \(trouble.what): \(trouble.cause.message)", "not_saved")
        return ExitCode.of(trouble.cause)
    }

    /// An error of the cache despite which the feed is shown.
    private typealias Trouble = (what: String, cause: FeedError)

    private func produce(_ url: ResourceURL) async throws(FeedError) -> (shown: PrintedFeed, Trouble?) {
        let delivery =
            settings.offline
            ? CacheForDelivery(cache: try await session.openCache(.read)) : try await session.openForDelivery()
        let loaded = try await load(url, from: delivery)
        var trouble: Trouble?
        // Only a feed from its server needs saving.
        if case .remote(let failure) = loaded.source, let cause = failure?.notSaved {
            trouble = ("not saved", cause)
        }
        session.detail(LogLine(step: "feed_loaded", of: url, Self.source(of: loaded)))
        var found: [StoredImage?]? = settings.json ? loaded.images.map { _ in nil } : nil
        do throws(FeedError) {
            if settings.json {
                found = try await images(in: delivery, loaded).find(
                    loaded.images, for: Viewer(url, seesOwnNetwork: loaded.seesOwnNetwork))
            }
        } catch {
            guard case .remote = loaded.source, !error.isCancellation else { throw error }
            trouble = trouble ?? ("its images can't be looked up", error)
        }
        return (PrintedFeed(url: url, loaded: loaded, found: found), trouble)
    }

    /// Returns the store in which the images are looked up. After saving, the cache is opened again for reading,
    /// without the lock.
    private func images(
        in delivery: CacheForDelivery, _ loaded: FeedLoaderWithFallback.Loaded
    ) async throws(FeedError) -> any ImageStore {
        guard case .remote = loaded.source else { return delivery.cache.images }
        await session.closeCaches()
        return try await session.openCache(.read).images
    }

    private static func source(of loaded: FeedLoaderWithFallback.Loaded) -> String {
        let images = Phrases.count(loaded.feed.images.count, "image")
        guard case .remote(let failure) = loaded.source else { return "\(images), from the cache" }
        return "\(images), \(CacheForDelivery.source(failure))"
    }

    private func load(
        _ url: ResourceURL, from delivery: CacheForDelivery
    ) async throws(FeedError) -> FeedLoaderWithFallback.Loaded {
        do {
            let loaded = try await latest(url, from: delivery)
            if case .cache(let cause?) = loaded.source, let savedAt = loaded.savedAt {
                let age = Phrases.age(of: savedAt, at: session.now())
                let line = LogLine(
                    savedCopyOf: url, savedAt: savedAt, cause,
                    text: "\(url): showing the feed saved \(age) (\(cause.message))")
                // An unreachable server is normal for a script, so it is reported only on a terminal. Any other failure
                // is always reported.
                if cause.kind == .connectivity { session.remark(line) } else { session.notice(line) }
            }
            if loaded.hasEmptied { session.notice(LogLine(emptied: url)) }
            if let newURL = loaded.movedTo { session.notice(LogLine(moved: url, to: newURL)) }
            for note in loaded.notes { session.detail(LogLine(step: "feed_note", of: url, note)) }
            return loaded
        } catch {
            throw error.about(url)
        }
    }

    private func latest(
        _ url: ResourceURL, from delivery: CacheForDelivery
    ) async throws(FeedError) -> FeedLoaderWithFallback.Loaded {
        let own = settings.of(url)
        let local = session.localFeeds(in: delivery.cache)
        // Loading offline needs no client.
        if settings.offline { return try await local.loadOffline(url, maxAge: own.maxAge) }
        try session.requireTrust(for: [own])
        return try await session.fetching(through: try session.makeTransport()) { client throws(FeedError) in
            let refresh = session.refresh(delivery.cache, with: client, own, saves: true)
            let loader = FeedLoaderWithFallback(refresh: refresh, local: local, maxAge: own.maxAge)
            return try await delivery.explaining { () async throws(FeedError) in try await loader.load(url) }
        }
    }
}
