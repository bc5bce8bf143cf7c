import FeedCore

/// Prints one feed: from its server, or else the saved feed if it is fresh.
struct ShowCommand {
    private let session: Session
    private var settings: Settings { session.settings }

    init(_ session: Session) { self.session = session }

    func run(_ url: ResourceURL) async throws(FeedError) -> ExitCode {
        let url = session.asConfigured(url)
        let (shown, trouble) = settings.offline ? (try await offline(url), nil) : try await online(url)
        try shown.write(now: session.now(), session.world.output.write)
        guard let trouble else { return .ok }
        session.report("\(url): \(trouble.what)\(trouble.cause.message)", trouble.event)
        return trouble.code
    }

    /// An error despite which the feed is shown.
    private struct Trouble {
        let what: String
        let cause: FeedError
        var event = "not_saved"
        let code: ExitCode
    }

    private func offline(_ url: ResourceURL) async throws(FeedError) -> PrintedFeed {
        try await session.withExistingCache { cache throws(FeedError) in
            let loaded = try await load(url) { () async throws(FeedError) in
                try await session.localFeeds(in: cache.feeds).loadOffline(url, maxAge: settings.of(url).maxAge)
            }
            return PrintedFeed(url: url, loaded: loaded, found: try await images(of: loaded, url, in: cache))
        }
    }

    private func online(_ url: ResourceURL) async throws(FeedError) -> (shown: PrintedFeed, Trouble?) {
        try await session.requireReadableCache()
        let loaded = try await load(url) { () async throws(FeedError) in try await latest(url) }
        var trouble: Trouble?
        // Only a feed from its server needs saving.
        if case .remote(let failure) = loaded.source, let cause = failure?.notSaved {
            trouble = Trouble(what: "not saved: ", cause: cause, code: ExitCode.of(cause))
        } else if let cause = loaded.pageFailure {
            trouble = Trouble(what: "", cause: cause, event: "feed_failed", code: .incomplete)
        }
        var found: [StoredImage?]? = settings.json ? loaded.images.map { _ in nil } : nil
        do throws(FeedError) {
            if settings.json {
                found = try await session.withCache(.readOrEmpty) { cache throws(FeedError) in
                    try await images(of: loaded, url, in: cache)
                }
            }
        } catch {
            guard case .remote = loaded.source, !error.isCancellation else { throw error }
            trouble =
                trouble ?? Trouble(what: "its images can't be looked up: ", cause: error, code: ExitCode.of(error))
        }
        return (PrintedFeed(url: url, loaded: loaded, found: found), trouble)
    }

    /// Returns the stored data of each image; nil for text output.
    private func images(
        of loaded: FeedLoaderWithFallback.Loaded, _ url: ResourceURL, in cache: Cache
    ) async throws(FeedError) -> [StoredImage?]? {
        guard settings.json else { return nil }
        return try await cache.images.find(loaded.images, of: url)
    }

    private static func source(of loaded: FeedLoaderWithFallback.Loaded) -> String {
        let images = Phrases.count(loaded.feed.images.count, "image")
        guard case .remote(let failure) = loaded.source else { return "\(images), from the cache" }
        return "\(images), \(Session.source(isSaved: failure == nil))"
    }

    /// Loads the feed, and reports what the user should know about it.
    private func load(
        _ url: ResourceURL, from source: () async throws(FeedError) -> FeedLoaderWithFallback.Loaded
    ) async throws(FeedError) -> FeedLoaderWithFallback.Loaded {
        do {
            let loaded = try await source()
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
            session.detail(LogLine(step: "feed_loaded", of: url, Self.source(of: loaded)))
            return loaded
        } catch {
            throw error.about(url)
        }
    }

    private func latest(_ url: ResourceURL) async throws(FeedError) -> FeedLoaderWithFallback.Loaded {
        let own = settings.of(url)
        let local = session.localFeeds(in: BrieflyOpenedFeeds(session: session))
        try session.requireTrust(for: [own])
        return try await session.fetching(through: try session.makeTransport()) { client throws(FeedError) in
            let refresh = session.refresh(local, with: client, own, saves: true)
            return try await FeedLoaderWithFallback(refresh: refresh, local: local, maxAge: own.maxAge).load(url)
        }
    }
}
