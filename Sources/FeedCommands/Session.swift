import FeedCore
import Synchronization

/// One run of one command: its settings, and the ways it speaks and reaches the cache and the network.
struct Session: Sendable {
    let toolbox: Toolbox
    let settings: Settings
    let cachePath: String
    let surroundings: Surroundings
    private let opened = OpenCaches()

    init(toolbox: Toolbox, settings: Settings, cachePath: String, surroundings: Surroundings) {
        self.toolbox = toolbox
        self.settings = settings
        self.cachePath = cachePath
        self.surroundings = surroundings
    }

    var now: @Sendable () -> Timestamp { toolbox.now }

    // MARK: Speaking

    private var log: Log { Log(output: toolbox.output, format: settings.logFormat, now: now) }

    /// Told whatever the verbosity: something went wrong.
    func report(_ problem: String, _ event: String = "problem") {
        report(LogLine(level: .error, event: event, text: problem))
    }

    func report(_ line: LogLine) { log.tell(line) }

    /// Told unless `--quiet`: nothing went wrong, yet a person should know.
    func notice(_ line: String, _ event: String = "notice") {
        notice(LogLine(level: .warning, event: event, text: line))
    }

    func notice(_ line: LogLine) {
        if settings.verbosity != .quiet { log.tell(line) }
    }

    /// Told to those who watch, or who asked to be told everything.
    func remark(_ line: String, _ event: String = "remark") {
        remark(LogLine(level: .info, event: event, text: line))
    }

    func remark(_ line: LogLine) {
        if settings.verbosity == .verbose || (settings.verbosity == .normal && toolbox.output.isWatched) {
            log.tell(line)
        }
    }

    /// Told to those who asked to be told everything.
    func detail(_ line: LogLine) {
        if settings.verbosity == .verbose { log.tell(line) }
    }

    /// What a dry run would do: its data, unless a program wants that as JSON and nothing besides.
    func plan(_ line: String) throws(FeedError) {
        guard settings.json else { return try write(TerminalText.escape(line) + "\n") }
        notice(LogLine(level: .info, event: "plan", text: line))
    }

    func write(_ text: String) throws(FeedError) {
        try toolbox.output.write(Array(text.utf8))
    }

    // MARK: The cache

    func openCache(_ access: CacheAccess) async throws(FeedError) -> Cache {
        let cache = try await toolbox.openCache(cachePath, access)
        opened.add(cache)
        for line in cache.notices {
            if access == .rehearseRepair { try plan(line) } else { report(line, "cache_mended") }
        }
        return cache
    }

    func closeCaches() async {
        for cache in opened.takeAll() { await cache.close() }
    }

    // MARK: The network

    /// For all feeds of a run; `own` are their settings.
    func makeClient(
        for own: [Settings], of feeds: [ResourceURL] = [], meter: ByteMeter? = nil
    ) throws(FeedError) -> any HTTPClient {
        var network = Self.network(settings)
        network.isPlain = !feeds.isEmpty && feeds.allSatisfy { $0.scheme == .http }
        for feed in own { try requireFiles(of: feed) }
        if own.contains(where: \.insecure) {
            notice("--insecure: certificates are not checked, so whoever answers is believed")
        }
        // A request that waits for its next try holds no place, and each hop of a redirect is tried again by itself.
        let bare = try toolbox.makeClient(network)
        let metered: any HTTPClient = meter.map { MeteredHTTPClient(bare, meter: $0) } ?? bare
        let limited = HostLimiter(metered, perHost: settings.maxPerHost)
        let retrying = RetryingClient(
            limited, policy: RetryPolicy(retries: settings.retries), clockwork: .real(now: now), route: network.route)
        return RedirectFollower(retrying, limit: settings.maxRedirects, allowsPrivate: settings.allowPrivate)
    }

    /// Hands out a client that asks nobody after `--max-time`. Waiting for another run is not counted: that has a limit
    /// of its own.
    func limited<Outcome, Failure: Error>(
        _ client: any HTTPClient, _ run: (any HTTPClient) async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        guard let limit = settings.maxTime, let seconds = ValueSyntax<Duration>.seconds.write(limit) else {
            return try await run(client)
        }
        let deadline = Deadline(reason: .connectivity("not done within --max-time \(seconds)"))
        return try await deadline.passing(after: limit) { () async throws(Failure) in
            try await run(PunctualHTTPClient(client, until: deadline))
        }
    }

    /// Without them a request would fail as if the server were out of reach, or go without its credentials. Each request
    /// reads them: a pipe would give them to the first, or keep it waiting for somebody who writes.
    private func requireFiles(of own: Settings) throws(FeedError) {
        var files = [("--cacert", own.caFile), ("--netrc-file", own.netrcFile)]
        // There needn't be one at the usual place.
        if own.netrc, own.netrcFile == nil, let home = surroundings.home, surroundings.fileExists("\(home)/.netrc") {
            files.append(("--netrc", "\(home)/.netrc"))
        }
        for case (let option, let path?) in files where !surroundings.canRead(path) {
            let reason = surroundings.fileExists(path) ? "can't be read as a file" : "there is no such file"
            throw .notFound("\(option): \(reason): \(path)")
        }
    }

    /// Short of breath, as nobody is to wait for it.
    func makePingClient(retries: Int) throws(FeedError) -> any HTTPClient {
        var network = Self.network(settings)
        network.connectTimeout = .seconds(5)
        network.idleTimeout = .seconds(5)
        network.rateLimit = nil
        let retrying = RetryingClient(
            try toolbox.makeClient(network), policy: RetryPolicy(retries: retries), clockwork: .real(now: now))
        return RedirectFollower(retrying, limit: settings.maxRedirects, allowsPrivate: settings.allowPrivate)
    }

    private static func network(_ settings: Settings) -> NetworkSettings {
        var network = NetworkSettings(userAgent: settings.userAgent)
        network.connectTimeout = settings.connectTimeout
        network.idleTimeout = settings.timeout
        network.maxConnectionsPerHost = settings.maxPerHost
        network.requestsAtOnce = settings.jobs
        network.caFile = settings.caFile
        network.isInsecure = settings.insecure
        network.proxy = settings.proxy
        network.netrcFile = settings.netrcFile
        network.rateLimit = settings.limitRate
        return network
    }

    /// Nil where a feed has none of its own.
    private func manner(_ own: Settings) -> RequestManner? {
        let manner = Self.manner(own)
        return manner == Self.manner(settings) ? nil : manner
    }

    private static func manner(_ settings: Settings) -> RequestManner {
        RequestManner(
            network: network(settings), retries: settings.retries, maxRedirects: settings.maxRedirects,
            allowsPrivate: settings.allowPrivate)
    }

    private static func identity(_ settings: Settings) -> Identity {
        Identity(headers: settings.headers, usesNetrc: settings.netrc || settings.netrcFile != nil)
    }

    /// For an image that a person named, not a feed.
    func terms(forNamed image: ResourceURL) -> RequestTerms {
        RequestTerms(secrets: Self.identity(settings).secrets(for: image), addresses: .any)
    }

    /// With the user name and password that the config file has for the feed, if it was given without.
    func asConfigured(_ feed: ResourceURL) -> ResourceURL {
        guard feed.credentials == nil else { return feed }
        return settings.feeds[feed]?.url ?? feed
    }

    func localFeeds(in cache: Cache) -> LocalFeedLoader {
        LocalFeedLoader(store: cache.feeds, now: now)
    }

    /// `own` are the settings of the feeds it is for.
    func refresh(
        _ cache: Cache, with client: any HTTPClient, _ own: Settings, saves: Bool, imageWay: Int = 0
    ) -> FeedRefresh {
        let remote = RemoteFeedLoader(
            client: client, decoder: toolbox.decoder, maxBytes: own.maxFeedSize, maxPages: own.pages,
            identity: Self.identity(own), allowsPrivate: own.allowPrivate, manner: manner(own), imageWay: imageWay)
        return FeedRefresh(remote: remote, local: localFeeds(in: cache), saves: saves)
    }

    /// The feeds of `--opml`.
    func subscriptions(in path: String) async throws(FeedError) -> [ResourceURL] {
        let list = SubscriptionListLoader(
            client: try makeClient(for: [settings]), decoder: toolbox.decoder, maxBytes: settings.maxFeedSize)
        let subscriptions = try await list.load(
            path.hasPrefix("/") ? path : "\(surroundings.currentDirectory)/\(path)", calledBy: path)
        // Told whatever the verbosity: what is left out of a list is not mirrored.
        for note in subscriptions.notes { report("\(path): \(note)") }
        return subscriptions.feeds
    }

    /// How images are asked for, apart from what is told to their servers.
    struct ImageWay: Hashable {
        let manner: RequestManner?
        let maxBytes: Int64
    }

    func imageWay(_ own: Settings) -> ImageWay { ImageWay(manner: manner(own), maxBytes: own.maxFileSize) }

    func remoteImages(with client: any HTTPClient, _ own: Settings) -> RemoteImageDataLoader {
        let way = imageWay(own)
        return RemoteImageDataLoader(client: client, maxBytes: way.maxBytes, manner: way.manner)
    }
}

/// The caches of a run, for closing them when it ends.
private final class OpenCaches: Sendable {
    private let caches = Mutex<[Cache]>([])

    func add(_ cache: Cache) { caches.withLock { $0.append(cache) } }

    func takeAll() -> [Cache] {
        caches.withLock { caches in
            defer { caches = [] }
            return caches
        }
    }
}
