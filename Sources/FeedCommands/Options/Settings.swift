package import FeedCore

/// What the options mean, once they are read. The values here are the defaults; the help takes them from here.
package struct Settings: Hashable, Sendable {
    package enum Verbosity: Hashable, Sendable { case quiet, normal, verbose }

    package enum ProgressChoice: String, CaseIterable, Sendable { case auto, always, never }
    package enum LogFormat: String, CaseIterable, Sendable { case text, json }

    package enum ConfigChoice: Hashable, Sendable {
        /// The one at the usual place, if there is one.
        case usual
        case none
        case file(String)
    }

    package var configChoice = ConfigChoice.usual
    /// Those that the config file names, each with what holds for it.
    package var feeds = ConfiguredFeeds()

    /// As given by `--cache` or `FEEDSYNC_CACHE`; see `CacheLocation` for what holds without.
    package var cache: String?
    package var maxAge = MaxAge.standard
    package var lockWait = Duration.zero

    package var jobs = 16
    package var maxPerHost = 6
    package var connectTimeout = Duration.seconds(10)
    /// With no byte arriving.
    package var timeout = Duration.seconds(30)
    package var maxFileSize: Int64 = 64 << 20
    package var maxFeedSize: Int64 = 256 << 20
    /// Of one feed.
    package var pages = 1
    /// The path of a subscription list.
    package var opml: String?
    package var maxRedirects = 10
    package var userAgent = "feedsync/\(Version.current)"
    /// Further tries after the first.
    package var retries = 3
    /// Bytes a second; nil: as many as come.
    package var limitRate: Int64?
    package var allowPrivate = false
    package var headers: [String] = []
    package var netrc = false
    package var netrcFile: String?
    /// Nil: as the environment's proxy variables say; "": none.
    package var proxy: String?
    package var caFile: String?
    package var insecure = false

    /// For the whole run; nil: as long as it takes.
    package var maxTime: Duration?
    package var revalidate = false
    package var retryFailed = false

    package var dryRun = false
    package var offline = false
    package var deep = false
    package var force = false
    package var json = false
    package var verbosity = Verbosity.normal
    package var progress = ProgressChoice.auto
    package var logFormat = LogFormat.text
    package var metricsFile: String?
    package var pingURL: ResourceURL?
    /// Nil: standard output.
    package var output: String?
    /// Where a sync writes a gallery when it is done; nil: nowhere.
    package var gallery: String?

    package init() {}
}

extension Settings {
    /// What holds for this feed.
    package func of(_ feed: ResourceURL) -> Settings {
        feeds[feed]?.settings ?? self
    }

    /// For all feeds alike.
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

    var config: String? {
        get { if case .file(let path) = configChoice { path } else { nil } }
        set { configChoice = newValue.map(ConfigChoice.file) ?? .usual }
    }

    var noConfig: Bool {
        get { configChoice == .none }
        set { configChoice = newValue ? .none : configChoice == .none ? .usual : configChoice }
    }
}
