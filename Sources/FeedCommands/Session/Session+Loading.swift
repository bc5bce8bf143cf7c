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

    func localFeeds(in store: any FeedStore) -> LocalFeedLoader { LocalFeedLoader(store: store, now: now) }

    /// Makes the use case that refreshes feeds with the settings `own`.
    ///
    /// `giver` says where the feeds were named.
    func refresh(
        _ local: LocalFeedLoader, with client: any HTTPClient, _ own: Settings, saves: Bool,
        givenBy giver: FeedGiver = .person,
        interval: FeedRefresh.Interval? = nil
    ) -> FeedRefresh {
        let selection = ImageSelection(
            all: own.allImages, includes: own.includes, excludes: own.excludes, follows: own.follow)
        let remote = RemoteFeedLoader(
            client: client, decoder: world.decoder, maxBytes: own.maxFeedSize, maxPages: own.pages,
            selection: selection,
            identity: own.identity, allowsPrivate: own.allowPrivate,
            manner: own.manner == settings.manner ? nil : own.manner,
            imageLimits: ImageLimits(
                maxBytes: own.maxFileSize == settings.maxFileSize ? nil : own.maxFileSize, minSize: own.minSize))
        let follower = PageFollower(
            client: client, decoder: world.decoder, selection: selection,
            mostImages: FeedSizeLimit(bytes: own.maxFeedSize).images, retriesFailed: own.retryFailed,
            pagesAtOnce: settings.jobs, now: now)
        return FeedRefresh(
            remote: remote, local: local, saves: saves, givenBy: giver, interval: interval,
            keep: own.keep, following: own.follow ? follower : nil)
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

/// Makes the client of a command.
extension Session {
    /// Checks the files that a client needs before it is made.
    ///
    /// `own` are the settings of the run's feeds.
    func requireTrust(for own: [Settings]) throws(FeedError) {
        for feed in own { try requireFiles(of: feed) }
        if own.contains(where: \.insecure) {
            notice("--insecure: certificates are not verified, so any server is accepted")
        }
    }

    /// Makes the client.
    ///
    /// It prints nothing, because it runs at the same time as the opening of the cache, which may.
    func makeTransport() throws(FeedError) -> any HTTPClient { try world.makeClient(settings.network) }

    /// Runs `run` with a fetcher that ends its requests when `--max-time` has passed.
    ///
    /// The wait for another run does not count, because `--lock-wait` limits it.
    func fetching<Outcome, Failure: Error>(
        through transport: any HTTPClient, files: (any HTTPClient)? = nil, spent: Duration = .zero,
        meter: ByteMeter? = nil, mostJobs: Int = .max,
        _ run: (Fetcher) async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        let tellRetry: Fetcher.RetryTeller = { url, error, pause in
            detail(LogLine(retryOf: url, after: error, in: pause))
        }
        func fetcher(_ deadline: Deadline?) -> Fetcher {
            Fetcher(
                transport, files: files ?? world.content, rules: rules(retries: settings.retries, mostJobs: mostJobs),
                clockwork: .real(from: now()), deadline: deadline, meter: meter,
                tellingRetries: settings.verbosity == .verbose ? tellRetry : nil)
        }
        guard let limit = settings.maxTime else { return try await run(fetcher(nil)) }
        let reason = FeedError.connectivity("not finished within --max-time \(Phrases.seconds(limit))")
        let deadline = Deadline(reason: reason.asOutOfTime())
        return try await deadline.passing(after: max(.zero, limit - spent)) { () async throws(Failure) in
            try await run(fetcher(deadline))
        }
    }

    /// Runs work that `--max-time` limits, and cancels it when the time has passed.
    ///
    /// `used` is the time that has passed before.
    func withinMaxTime<Outcome: Sendable>(
        _ what: String, used: Duration, _ work: @escaping @Sendable () async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        guard let limit = settings.maxTime else { return try await work() }
        let reason = "\(what) was not finished within --max-time \(Phrases.seconds(limit)); the next run completes it"
        let deadline = Deadline(reason: .storage(.failed, reason))
        return try await deadline.passing(after: max(.zero, limit - used)) { () async throws(FeedError) in
            try await deadline.limit(work)
        }
    }

    func rules(retries: Int, mostJobs: Int = .max) -> FetchRules {
        FetchRules(
            retry: RetryPolicy(retries: retries), maxRedirects: settings.maxRedirects,
            allowsPrivate: settings.allowPrivate, jobs: min(settings.jobs, mostJobs), perHost: settings.ownMaxPerHost,
            route: settings.network.route)
    }

    /// Checks that the files can be read.
    ///
    /// Without them, a request would fail as if the server were unreachable, or would be sent without its password.
    /// Each request reads them again, which is impossible with a pipe.
    private func requireFiles(of own: Settings) throws(FeedError) {
        var files = [("--cacert", own.caFile), ("--netrc-file", own.netrcFile)]
        // The default file is optional.
        if own.netrc, own.netrcFile == nil, let home = world.home, world.fileExists("\(home)/.netrc") {
            files.append(("--netrc", "\(home)/.netrc"))
        }
        for case (let option, let path?) in files {
            guard let reason = world.unreadable(path) else { continue }
            guard world.fileExists(path) else { throw .notFound("\(option): there is no such file: \(path)") }
            throw .notFound("\(option): \(path) can't be read as a file: \(reason)")
        }
    }
}
