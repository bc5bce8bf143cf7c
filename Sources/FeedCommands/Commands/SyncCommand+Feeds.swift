import FeedCore

extension SyncCommand {
    /// Returns the feeds of the operands and the OPML list, each once. Without these it returns the feeds in the config
    /// file, or else the feeds in the cache. A missing cache is not created. `givers` says for each feed whether the
    /// user, the config file, the list or the cache asked for it.
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
            feeds = try await savedFeeds().map(\.url)
            note(.cache, for: feeds)
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
        let feeds = try await session.openCacheOrEmpty().feeds.summaries()
        // SQLite cannot open a cache for writing on a full disk while the cache is open for reading.
        await session.closeCaches()
        return feeds
    }
}
