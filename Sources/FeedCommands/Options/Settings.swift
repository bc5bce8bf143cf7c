import FeedCore

/// The meaning of the options. The values here are the defaults, which the option table has as text.
struct Settings: Hashable, Sendable {
    enum Verbosity: Hashable, Sendable { case quiet, normal, verbose }

    enum ProgressChoice: String, CaseIterable, Sendable { case auto, always, never }
    enum LogFormat: String, CaseIterable, Sendable { case text, json }

    /// The config file; nil: the one at the usual place, if there is one.
    var config: String? { didSet { if config != nil { noConfig = false } } }
    var noConfig = false
    /// The feeds that the config file names, each with what holds for it.
    var feeds = ConfiguredFeeds()

    /// As given by `--cache` or `FEEDSYNC_CACHE`; see `World.cachePath` for what holds without.
    var cache: String?
    var maxAge = MaxAge.standard
    /// Nil: a feed is asked in every run.
    var every: MaxAge?
    var lockWait = Duration.zero

    var jobs = 128
    /// Nil: as its protocol has it.
    var maxPerHost: Int?
    var connectTimeout = Duration.seconds(10)
    /// A transfer fails when less than 1 KiB has come in this time, or nothing of an answer.
    var timeout = Duration.seconds(30)
    var maxFileSize: Int64 = 64 << 20
    var maxFeedSize = FeedSizeLimit.standard.bytes
    /// The pages to load of one feed.
    var pages = 1
    /// What stays of items that left the feed; nil: what was told the last time.
    var keep: Keep?
    var includes: [String] = []
    var excludes: [String] = []
    var allImages = false
    /// The path of a subscription list.
    var opml: String?
    var maxRedirects = 10
    var userAgent = "feedsync/\(Version.current)"
    /// Further tries after the first.
    var retries = 3
    /// Bytes a second; nil: as many as come.
    var limitRate: Int64?
    var allowPrivate = false
    var headers: [String] = []
    var netrc = false
    var netrcFile: String?
    /// Nil: as the environment's proxy variables say; "": none.
    var proxy: String?
    var caFile: String?
    var insecure = false

    /// For the whole run; nil: as long as it takes.
    var maxTime: Duration?
    var revalidate = false
    var retryFailed = false

    var shard = Shard.none
    var shardBy = Shard.Unit.host

    var dryRun = false
    var offline = false
    var deep = false
    var force = false
    var restore = false
    var json = false
    var printNew = false
    var verbosity = Verbosity.normal
    var progress = ProgressChoice.auto
    var logFormat = LogFormat.text
    var metricsFile: String?
    var pingURL: ResourceURL?
    /// Nil: standard output.
    var output: String?
    /// Where a sync writes a gallery when it is done; nil: nowhere.
    var gallery: String?
    var thumbnails = ThumbnailChoice.auto
    /// Where a sync lays out a tree of files when it is done; nil: nowhere.
    var tree: String?
    var treeTemplate = TreeTemplate.standard

    init() {}
}

/// A feed of the config file, and all settings as they are for it.
struct FeedSettings: Hashable, Sendable {
    let url: ResourceURL
    /// As it stands in the file.
    let given: String
    let settings: Settings
}

/// The feeds of the config file, in its order, each once.
struct ConfiguredFeeds: Hashable, Sendable {
    private(set) var all: [FeedSettings] = []
    private var places: [ResourceURL.Key: Int] = [:]

    init(_ feeds: [FeedSettings] = []) {
        all = feeds
        for feed in feeds { _ = places.number(of: feed.url.key) }
    }

    subscript(_ feed: ResourceURL) -> FeedSettings? { places[feed.key].map { all[$0] } }
}

extension Settings {
    /// The settings of this feed.
    func of(_ feed: ResourceURL) -> Settings {
        feeds[feed]?.settings ?? self
    }

    /// The settings without those of single feeds.
    var general: Settings {
        var settings = self
        settings.feeds = ConfiguredFeeds()
        return settings
    }

    // Two options that set one value: the last one given wins.

    var quiet: Bool {
        get { verbosity == .quiet }
        set { verbosity = newValue ? .quiet : verbosity == .quiet ? .normal : verbosity }
    }

    var verbose: Bool {
        get { verbosity == .verbose }
        set { verbosity = newValue ? .verbose : verbosity == .verbose ? .normal : verbosity }
    }
}
