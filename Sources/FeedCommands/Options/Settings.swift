import FeedCore

/// The values of all options.
///
/// The initial values are the defaults, which the option table has as text.
struct Settings: Hashable, Sendable {
    enum Verbosity: Hashable, Sendable { case quiet, normal, verbose }

    enum ProgressChoice: String, CaseIterable, Sendable { case auto, always, never }
    enum LogFormat: String, CaseIterable, Sendable { case text, json }

    /// The config file; nil for the default file, if it exists.
    var config: String? { didSet { if config != nil { noConfig = false } } }
    var noConfig = false
    /// The feeds of the config file, each with its own settings.
    var feeds = ConfiguredFeeds()

    /// The value of `--cache` or `FEEDSYNC_CACHE`.
    ///
    /// `World.cachePath` has the default.
    var cache: String?
    var maxAge = MaxAge.standard
    /// The time for which a confirmed feed is not requested; nil for every run.
    var every: RequestPause?
    var lockWait = Duration.zero

    var jobs = 128
    /// The maximum per host; nil for the default of the protocol.
    var maxPerHost: Int?
    var connectTimeout = Duration.seconds(10)
    /// The time within which at least 1 KiB, or a part of the response head, must arrive.
    var timeout = Duration.seconds(30)
    var maxFileSize: Int64 = 64 << 20
    var minSize: ImageSize?
    var maxFeedSize = FeedSizeLimit.standard.bytes
    /// The number of pages of a feed to load.
    var pages = 1
    /// The items that stay after they left the feed; nil for the last value that was given for the feed.
    var keep: Keep?
    var includes: [String] = []
    var excludes: [String] = []
    var allImages = false
    /// Whether an item without an image takes its image from the page that it links to.
    var follow = false
    /// The path of an OPML subscription list.
    var opml: String?
    var maxRedirects = 10
    var userAgent = "feedsync/\(Version.current)"
    /// The number of attempts after the first.
    var retries = 3
    /// Bytes per second; nil for no limit.
    var limitRate: Int64?
    var allowPrivate = false
    var headers: [String] = []
    var netrc = false
    var netrcFile: String?
    /// The proxy; nil for the proxy variables of the environment, and "" for none.
    var proxy: String?
    var caFile: String?
    var insecure = false

    /// The time limit of the whole run; nil for no limit.
    var maxTime: Duration?
    var revalidate = false
    var retryFailed = false

    var shard = Shard.none
    var shardBy = Shard.Unit.host

    /// The FEED whose images are searched, as the user wrote it; nil for every feed.
    var feed: String?
    var since = MaxAge.forever
    /// The maximum number of images to find; nil for no limit.
    var limit: Int?

    var dryRun = false
    var offline = false
    var deep = false
    var force = false
    var restore = false
    /// The older archives whose images an export leaves out.
    var without: [String] = []
    var undo = false
    var json = false
    var printNew = false
    var verbosity = Verbosity.normal
    var progress = ProgressChoice.auto
    var logFormat = LogFormat.text
    var metricsFile: String?
    var pingURL: ResourceURL?
    /// The file for an image; nil for standard output.
    var output: String?
    /// The directory for the gallery at the end of a sync; nil for no gallery.
    var gallery: String?
    var thumbnails = ThumbnailChoice.auto
    /// The directory for the tree at the end of a sync; nil for no tree.
    var tree: String?
    var treeTemplate = TreeTemplate.standard
    /// The number of newest images of each feed in the tree; nil for all images.
    var newest: Int?
    /// Whether the tree has the metadata of each image in a file beside it.
    var xmp = false
    /// Whether the tree gets the files again that the user deleted in it.
    var again = false

    init() {}
}

/// A feed of the config file, with all settings that apply to it.
struct FeedSettings: Hashable, Sendable {
    let url: ResourceURL
    /// The URL as the file writes it.
    let given: String
    let settings: Settings
}

/// The feeds of the config file in order, each once.
struct ConfiguredFeeds: Hashable, Sendable {
    private(set) var all: [FeedSettings] = []
    private var indices: [ResourceURL.Key: Int] = [:]

    init(_ feeds: [FeedSettings] = []) {
        all = feeds
        for feed in feeds { _ = indices.number(of: feed.url.key) }
    }

    subscript(_ feed: ResourceURL) -> FeedSettings? { indices[feed.key].map { all[$0] } }
}

extension Settings {
    /// Returns the settings of a feed.
    func of(_ feed: ResourceURL) -> Settings {
        feeds[feed]?.settings ?? self
    }

    /// The settings without those of the feeds' own sections.
    var general: Settings {
        var settings = self
        settings.feeds = ConfiguredFeeds()
        return settings
    }

    // Both options set one value, so the last one given wins.

    var quiet: Bool {
        get { verbosity == .quiet }
        set { verbosity = newValue ? .quiet : verbosity == .quiet ? .normal : verbosity }
    }

    var verbose: Bool {
        get { verbosity == .verbose }
        set { verbosity = newValue ? .verbose : verbosity == .verbose ? .normal : verbosity }
    }
}

/// The settings as the network rules and the client need them.
extension Settings {
    var network: NetworkSettings {
        var network = NetworkSettings(userAgent: userAgent)
        network.connectTimeout = connectTimeout
        network.idleTimeout = timeout
        if let ownMaxPerHost { network.maxConnectionsPerHost = ownMaxPerHost }
        // The pool has room for one connection per request in flight, and as many idle ones.
        network.maxConnections = 2 * jobs
        network.caFile = caFile
        network.isInsecure = insecure
        network.proxy = proxy
        network.netrcFile = netrcFile
        network.rateLimit = limitRate.map { sharing.share(of: $0) }
        return network
    }

    /// The maximum per host, divided by the number of parts that request the same hosts; nil for the default of the
    /// protocol.
    var ownMaxPerHost: Int? {
        guard sharing.count > 1 else { return maxPerHost }
        return sharing.share(of: maxPerHost ?? NetworkSettings.connectionsPerHost)
    }

    private var sharing: Shard { shardBy == .image ? shard : .none }

    var manner: RequestManner {
        RequestManner(network: network, retries: retries, maxRedirects: maxRedirects, allowsPrivate: allowPrivate)
    }

    var identity: OwnCredentials { OwnCredentials(headers: headers, usesNetrc: netrc || netrcFile != nil) }
}
