import FeedCore

/// Makes the loaders that several commands use.
extension Session {
    func noticeMissingScheme(of url: ResourceURL, givenAs text: String) {
        guard FeedOperand.mayLackScheme(text), let path = url.filePath, !world.fileExists(path) else { return }
        let shown = FeedOperand.shown(text)
        notice("\(shown) is read as the path of a file: did you mean https://\(shown)?", "no_scheme")
    }

    /// Returns the feed with the credentials of the config file, if it has none itself.
    func asConfigured(_ feed: ResourceURL) -> ResourceURL {
        guard feed.credentials == nil else { return feed }
        return settings.feeds[feed]?.url ?? feed
    }

    func localFeeds(in cache: Cache) -> LocalFeedLoader {
        LocalFeedLoader(store: cache.feeds, now: now)
    }

    /// Makes the use case that refreshes feeds with the settings `own`. `giver` says where the feeds were named.
    func refresh(
        _ cache: Cache, with client: any HTTPClient, _ own: Settings, saves: Bool, givenBy giver: FeedGiver = .person,
        interval: FeedRefresh.Interval? = nil
    ) -> FeedRefresh {
        let remote = RemoteFeedLoader(
            client: client, decoder: world.decoder, maxBytes: own.maxFeedSize, maxPages: own.pages,
            selection: ImageSelection(all: own.allImages, includes: own.includes, excludes: own.excludes),
            identity: own.identity, allowsPrivate: own.allowPrivate,
            manner: own.manner == settings.manner ? nil : own.manner,
            hasOwnRoute: own.proxy != settings.proxy || own.caFile != settings.caFile,
            maxImageBytes: own.maxFileSize == settings.maxFileSize ? nil : own.maxFileSize)
        return FeedRefresh(
            remote: remote, local: localFeeds(in: cache), saves: saves, givenBy: giver, interval: interval,
            keep: own.keep)
    }

    /// Returns the feeds of the OPML list at `path`.
    func subscriptions(in path: String) async throws(FeedError) -> [ResourceURL] {
        let subscriptions = try await subscriptionList(in: path)
        // These lines are printed also in a pipe, because a feed that is left out is not mirrored.
        for note in subscriptions.notes { notice("\(path): \(note)", "feed_left_out") }
        return subscriptions.feeds
    }

    func subscriptionList(in path: String) async throws(FeedError) -> SubscriptionList {
        let file = FilePath.absolute(path, in: world.currentDirectory)
        do {
            // The list is read with the time limits of a download, because a pipe may stay open.
            return try await fetching(through: world.files, files: world.files) { client throws(FeedError) in
                let loader = SubscriptionListLoader(
                    client: client, decoder: world.decoder, maxBytes: settings.maxFeedSize)
                return try await loader.load(file, calledBy: path)
            }
        } catch {
            throw error.about("--opml")
        }
    }

    func remoteImages(with fetcher: Fetcher) -> RemoteImageDataLoader {
        RemoteImageDataLoader(fetcher: fetcher, maxBytes: settings.maxFileSize, now: now)
    }
}
