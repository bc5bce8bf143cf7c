import FeedCore
import Synchronization

/// One run of one command: its settings, and the ways it speaks and reaches the cache and the network.
struct Session: Sendable {
    let toolbox: Toolbox
    let settings: Settings
    let cachePath: String
    let currentDirectory: String
    private let opened = OpenCaches()

    init(toolbox: Toolbox, settings: Settings, cachePath: String, currentDirectory: String) {
        self.toolbox = toolbox
        self.settings = settings
        self.cachePath = cachePath
        self.currentDirectory = currentDirectory
    }

    var now: @Sendable () -> Timestamp { toolbox.now }

    // MARK: Speaking

    /// Told whatever the verbosity: something went wrong.
    func report(_ problem: String) {
        toolbox.output.say("feedsync: \(TerminalText.escape(problem))")
    }

    /// Told unless `--quiet`: nothing went wrong, yet a person should know.
    func notice(_ line: String) {
        if settings.verbosity != .quiet { report(line) }
    }

    /// Told to those who watch, or who asked to be told everything.
    func remark(_ line: String) {
        if settings.verbosity == .verbose || (settings.verbosity == .normal && toolbox.output.isWatched) {
            report(line)
        }
    }

    /// What a dry run would do: its data, unless a program wants that as JSON and nothing besides.
    func plan(_ line: String) throws(FeedError) {
        if settings.json { notice(line) } else { try write(TerminalText.escape(line) + "\n") }
    }

    func write(_ text: String) throws(FeedError) {
        try toolbox.output.write(Array(text.utf8))
    }

    // MARK: The cache

    func openCache(_ access: CacheAccess) async throws(FeedError) -> Cache {
        let cache = try await toolbox.openCache(cachePath, access)
        opened.add(cache)
        for line in cache.notices { report(line) }
        return cache
    }

    func closeCaches() async {
        for cache in opened.takeAll() { await cache.close() }
    }

    /// A cache for a command whose first duty is to deliver: where it can't be written it is only read.
    struct Delivery {
        let cache: Cache
        let saves: Bool
        /// Why nothing can be saved, if somebody has to do something about it.
        let problem: FeedError?
    }

    func openForDelivery() async throws(FeedError) -> Delivery {
        do {
            let cache = try await openCache(.write(lockWait: settings.lockWait))
            return Delivery(cache: cache, saves: true, problem: nil)
        } catch let error where error.kind == .storage(.locked) {
            return Delivery(cache: try await openCache(.read), saves: false, problem: nil)
        } catch let error where error.kind == .storage(.cannotCreate) || error.kind == .storage(.failed) {
            return Delivery(cache: try await openCache(.read), saves: false, problem: error)
        }
    }

    // MARK: The network

    func makeClient() throws(FeedError) -> any HTTPClient {
        var network = NetworkSettings(userAgent: settings.userAgent)
        network.connectTimeout = settings.connectTimeout
        network.idleTimeout = settings.timeout
        network.maxConnectionsPerHost = settings.maxPerHost
        network.caFile = settings.caFile
        network.isInsecure = settings.insecure
        network.proxy = settings.proxy
        network.netrcFile = settings.netrcFile
        network.rateLimit = settings.limitRate
        if settings.insecure, !settings.offline {
            notice("--insecure: certificates are not checked, so whoever answers is believed")
        }
        // A request that waits for its next try holds no place, and each hop of a redirect is tried again by itself.
        let limited = HostLimiter(try toolbox.makeClient(network), perHost: settings.maxPerHost)
        let retrying = RetryingClient(
            limited, policy: RetryPolicy(retries: settings.retries), clockwork: .real(now: now))
        return RedirectFollower(retrying, limit: settings.maxRedirects, allowsPrivate: settings.allowPrivate)
    }

    private var identity: Identity {
        Identity(headers: settings.headers, usesNetrc: settings.netrc || settings.netrcFile != nil)
    }

    /// For an image that a person named, not a feed.
    func terms(forNamed image: ResourceURL) -> RequestTerms {
        RequestTerms(secrets: identity.secrets(for: image), addresses: .any)
    }

    func localFeeds(in cache: Cache) -> LocalFeedLoader {
        LocalFeedLoader(store: cache.feeds, now: now)
    }

    func refresh(_ cache: Cache, with client: any HTTPClient, saves: Bool) -> FeedRefresh {
        let remote = RemoteFeedLoader(
            client: client, decoder: toolbox.decoder, maxBytes: settings.maxFeedSize,
            maxPages: settings.pages, identity: identity, allowsPrivate: settings.allowPrivate)
        return FeedRefresh(remote: remote, local: localFeeds(in: cache), saves: saves)
    }

    /// The feeds of `--opml`.
    func subscriptions(in path: String) async throws(FeedError) -> [ResourceURL] {
        let list = SubscriptionListLoader(
            client: try makeClient(), decoder: toolbox.decoder, maxBytes: settings.maxFeedSize)
        let subscriptions = try await list.load(
            path.hasPrefix("/") ? path : "\(currentDirectory)/\(path)", calledBy: path)
        // Told whatever the verbosity: what is left out of a list is not mirrored.
        for note in subscriptions.notes { report("\(path): \(note)") }
        return subscriptions.feeds
    }

    func remoteImages(with client: any HTTPClient) -> RemoteImageDataLoader {
        RemoteImageDataLoader(client: client, maxBytes: settings.maxFileSize)
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
