import FeedCore

extension SyncCommand {
    /// The feeds given as operands and by a list, each once; else those in the config file; else those in the cache, which
    /// is not created for that. `unnamed` are feeds of the cache that came with an archive and that no person has named.
    func feeds(_ given: [ResourceURL]) async throws -> (all: [ResourceURL], unnamed: Set<ResourceURL.Key>) {
        var unnamed: Set<ResourceURL.Key> = []
        var feeds = given.map(session.asConfigured)
        if given.isEmpty {
            feeds = settings.feeds.all.map(\.url)
            for feed in settings.feeds.all { session.noticeMissingScheme(of: feed.url, givenAs: feed.given) }
        }
        if let list = settings.opml {
            feeds += try await session.subscriptions(in: list).map(session.asConfigured)
            if feeds.isEmpty { throw UsageError("there is no feed to sync: \(TerminalText.escape(list)) names none") }
        } else if feeds.isEmpty {
            let saved = try await savedFeeds()
            feeds = saved.map(\.url)
            unnamed = Set(saved.filter { !$0.isNamed }.map(\.url.key))
        }
        guard !feeds.isEmpty else {
            throw UsageError(
                "there is no feed to sync: none was given, and neither the config file nor the cache has one",
                hint: "looked at \(places); see feedsync help")
        }
        var distinct = DistinctFeeds()
        for feed in feeds where try settings.shardBy == .image || settings.shard.has(feed: feed) {
            _ = distinct.add(feed)
        }
        return (distinct.urls, unnamed)
    }

    /// Where feeds were looked for when none was given.
    private var places: String {
        let config = session.world.configPath(settings)
        return TerminalText.escape([config, session.cachePath].compactMap(\.self).joined(separator: " and "))
    }

    private func savedFeeds() async throws(FeedError) -> [FeedSummary] {
        let feeds = try await session.openCacheToBe().feeds.summaries()
        // On a full disk a cache can't be opened for writing beside somebody who reads.
        await session.closeCaches()
        return feeds
    }
}
