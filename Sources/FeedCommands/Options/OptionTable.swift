/// Lists every option, in the order of the help.
///
/// The parser, the help, the man page, the completions, the environment and the config file are generated from this
/// table.
enum OptionTable {
    static let all = main + monitoring + pace + network.map(\.perFeed) + common

    private static let main: [OptionSpec] = [
        .value(
            "max-age", "AGE", sets: \.maxAge, as: .age, default: "7d", .main,
            of: [.sync, .show, .validate, .status, .gallery],
            "how long a saved feed counts as fresh: 90s, 15m, 36h, 7d, 2w, forever"
        ).perFeed,
        .value(
            "every", "AGE", sets: \.every, as: .interval, default: "none", .main, of: [.sync],
            "skip the request for a feed that was confirmed less than AGE ago; auto: as long as its server says"
        ).perFeed,
        .flag("offline", sets: \.offline, .main, of: [.show, .image], "use only saved data; send no requests"),
        .value(
            "pages", "N", sets: \.pages, as: .pageCount, default: "1", .main, of: [.sync, .show],
            "how many pages of a feed to load, from the newest on; all: its whole history"
        ).perFeed,
        .value(
            "keep", "WHAT", sets: \.keep, as: .keep, default: "the last --keep of the feed, else none", .main,
            of: [.sync, .show],
            "which items stay saved after they left the feed: none, forever, those of the last AGE, or the newest COUNT"
        ).perFeed,
        .list(
            "include", "REGEX", addsTo: \.includes, as: .expression, .main, of: [.sync, .show],
            "take only images with a URL that matches REGEX anywhere; may be repeated"
        ).perFeed,
        .list(
            "exclude", "REGEX", addsTo: \.excludes, as: .expression, .main, of: [.sync, .show],
            "leave out images with a URL that matches REGEX; may be repeated"
        ).perFeed,
        .flag(
            "all-images", sets: \.allImages, .main, of: [.sync, .show],
            "include decoration: emoji, avatars, tracking pixels"
        ).perFeed,
        .flag(
            "follow", sets: \.follow, .main, of: [.sync, .show],
            "for an item without an image, take the image of the page that it links to; for the section of a feed"
        ).perFeed,
        .value(
            "opml", "FILE", sets: \.opml, as: .path("feeds.opml", insteadOfURL: ": download the list first"),
            .main, of: [.sync],
            "also sync the feeds of an OPML subscription list"
        ).alsoUsed(by: [.remove]),
        .value(
            "shard", "I/N", sets: \.shard, as: .shard, default: "0/1", .main, of: [.sync],
            "sync only the I-th of N parts, counted from 0; for a cluster"),
        .value(
            "shard-by", "WHAT", sets: \.shardBy, as: .word, default: "host", .main, of: [.sync],
            "how to divide: by the host of a feed, or by image; with image, the parts share the limits of each host"),
        .value(
            "feed", "FEED", sets: \.feed, as: .feed, default: "every feed", .main, of: [.find],
            "find only images of FEED"),
        .value(
            "since", "AGE", sets: \.since, as: .age, default: "forever", .main, of: [.find],
            "find only images that were first downloaded within AGE: 2d, 36h"),
        .value(
            "limit", "N", sets: \.limit, as: .limit, default: "none", .main, of: [.find],
            "find at most N images, the newest ones"),
        .value(
            "output", short: "o", "FILE", sets: \.output, as: .outputPath, default: "standard output", .main,
            of: [.image], "write the image to FILE"),
        .flag(
            "deep", sets: \.deep, .main, of: [.validate],
            "also rehash every image and move damaged ones to damaged/"),
        .flag(
            "force", sets: \.force, .main, of: [.import, .gallery],
            "import --restore: also replace feeds that were saved later; gallery: replace foreign files that have a wanted name"
        ),
        .flag(
            "restore", sets: \.restore, .main, of: [.import],
            "the archives are your own: merge them with the cache, with their names, settings and removals"),
        .list(
            "without", "OLD", addsTo: \.without, as: .archivePath, .main, of: [.export],
            "leave out the images of the archive OLD, or of all archives in the directory OLD; may be repeated"),
        .flag(
            "undo", sets: \.undo, .main, of: [.remove], "bring removed images back at the next sync of their feeds"),
        .flag(
            "dry-run", short: "n", sets: \.dryRun, .main, of: [.sync, .validate, .remove, .tree],
            "print what would be done, and change nothing"),
        .value(
            "gallery", "DIR", sets: \.gallery, as: .directory("/srv/www/images"), .main, of: [.sync],
            "at the end, write the gallery into DIR"),
        .value(
            "tree", "DIR", sets: \.tree, as: .directory("/home/me/Images/feeds"), .main, of: [.sync],
            "at the end, lay out all images in DIR as files with readable names"),
        .value(
            "name", "TEMPLATE", sets: \.treeTemplate, as: .treeTemplate, default: "{feed}/{date} {title}", .main,
            of: [.sync, .tree],
            "template for the names in a tree: {feed} {date} {year} {month} {title} {author} {id} {n} {digest} {ext}"),
        .value(
            "newest", "N", sets: \.newest, as: .limit, default: "none", .main, of: [.sync, .tree],
            "lay out only the newest N images of each feed in a tree"),
        .flag(
            "xmp", sets: \.xmp, .main, of: [.sync, .tree],
            "write NAME.EXT.xmp beside each file of a tree: title, description, date, author, rights, tags, source"),
        .flag("again", sets: \.again, .main, of: [.tree], "also lay out the files that you deleted in the tree"),
        .value(
            "thumbnails", "WHEN", sets: \.thumbnails, as: .word, default: "auto", .main, of: [.sync, .gallery],
            "when to make thumbnails: auto (if vipsthumbnail is installed), never, always"),
        .flag(
            "json", sets: \.json, .main,
            of: [.sync, .show, .validate, .export, .import, .remove, .find, .status, .gallery, .tree],
            "print the result as JSON on standard output"),
        .flag(
            "print-new", sets: \.printNew, .main, of: [.sync],
            "print a JSON line for each image that this run stored, as soon as it is safe on disk"),
        .value(
            "lock-wait", "S", sets: \.lockWait, as: .seconds, default: "0", .main,
            of: [.sync, .show, .image, .validate, .export, .import, .remove, .gallery, .tree],
            "seconds to wait for another run on the same cache, gallery or tree"),
    ]

    private static let monitoring: [OptionSpec] = [
        .value(
            "metrics-file", "FILE", sets: \.metricsFile, as: .path("/var/lib/node_exporter/feedsync.prom"),
            .main, of: [.sync], "write metrics to FILE in Prometheus text format"),
        .value(
            "ping-url", "URL", sets: \.pingURL, as: .pingURL, isSecret: true, .main, of: [.sync],
            "GET URL/start before the run and URL/EXITCODE after it"),
        .value(
            "progress", "WHEN", sets: \.progress, as: .word, default: "auto", .main,
            of: [.sync, .validate, .export, .import, .gallery],
            "when to show the progress line: auto (on a terminal), always, never"),
    ]

    /// Options that apply to the whole run, to all its feeds together.
    private static let pace: [OptionSpec] = [
        .value(
            "jobs", short: "j", "N", sets: \.jobs, as: .count, default: "128", .network, of: online,
            "maximum of requests in flight, for feeds and images together"),
        .value(
            "max-per-host", "N", sets: \.maxPerHost, as: .countOrAuto, default: "auto", .network, of: online,
            "maximum per host (scheme, name and port); auto: 6, over HTTP/2 up to 100"),
        .value(
            "max-time", "S", sets: \.maxTime, as: .timeLimit, default: "none", .main,
            of: online.union([.gallery, .tree]), "time limit for the whole run, in seconds; unfinished work fails"),
        .value(
            "limit-rate", "RATE", sets: \.limitRate, as: .rate, default: "none", .network, of: online,
            "bytes per second for the whole run: 500K, 2M"),
    ]

    private static let network: [OptionSpec] = [
        .value(
            "retries", "N", sets: \.retries, as: .countOrNone, default: "3", .network, of: online,
            "retries after a transient failure"),
        .value(
            "connect-timeout", "S", sets: \.connectTimeout, as: .timeout, default: "10", .network, of: online,
            "time limit for connecting, in seconds"),
        .value(
            "timeout", "S", sets: \.timeout, as: .timeout, default: "30", .network, of: online,
            "seconds within which the next 1 KiB, or a part of the response head, must arrive"),
        .value(
            "max-filesize", "SIZE", sets: \.maxFileSize, as: .size, default: "64M", .main, of: online.union([.import]),
            "largest image to accept: 500K, 64M, 1G"),
        .value(
            "min-size", "WxH", sets: \.minSize, as: .imageSize, default: "none", .main, of: [.sync],
            "smallest image to take, in pixels: 1920x1080"),
        .value(
            "max-feed-size", "SIZE", sets: \.maxFeedSize, as: .size, default: "64M", .main,
            of: online.union([.import]),
            "largest feed to accept, with at most one image for each 256 bytes of SIZE"),
        .value(
            "max-redirs", "N", sets: \.maxRedirects, as: .countOrNone, default: "10", .network, of: online,
            "maximum of redirects to follow"),
        .flag(
            "revalidate", sets: \.revalidate, .network, of: [.sync],
            "request cached images again if they have changed"),
        .flag(
            "retry-failed", sets: \.retryFailed, .network, of: [.sync],
            "also request images whose last response was a permanent failure"),
        .flag(
            "allow-private", sets: \.allowPrivate, .network, of: online,
            "let feeds from public addresses, and redirects, lead to private addresses"),
        .list(
            "header", short: "H", "LINE", addsTo: \.headers, as: .headerLine, isSecret: true, .network, of: online,
            "header to send to the URL's own origin, such as 'X-Key: 1'; may be repeated"),
        .flag(
            "netrc", sets: \.netrc, .network, of: online,
            "read user names and passwords for the URL's own origin from ~/.netrc"),
        .value(
            "netrc-file", "FILE", sets: \.netrcFile, as: .path("~/.netrc"), .network, of: online,
            "like --netrc, but from FILE"),
        .value(
            "proxy", "URL", sets: \.proxy, as: .proxy,
            default: "http_proxy, https_proxy, all_proxy, no_proxy",
            isSecret: true, .network, of: online, "proxy for all requests; empty for none"),
        .value(
            "cacert", "FILE", sets: \.caFile, as: .path("ca.pem"), .network, of: online,
            "trust the certificate authorities in FILE instead of the system's"),
        .flag(
            "insecure", sets: \.insecure, .network, of: online, "accept any certificate"),
        .value(
            "user-agent", "TEXT", sets: \.userAgent, as: .headerText, default: Settings().userAgent, .network,
            of: online,
            "User-Agent to send"),
    ]

    private static let common: [OptionSpec] = [
        .value(
            "cache", "DIR", sets: \.cache, as: .directory("/var/cache/feedsync"),
            default: "$XDG_CACHE_HOME/feedsync, else ~/.cache/feedsync", .common, of: Command.every,
            "directory of the cache"),
        .value(
            "config", "FILE", sets: \.config, as: .path("~/.config/feedsync/config"),
            default: "$XDG_CONFIG_HOME/feedsync/config, else ~/.config/feedsync/config", .common, of: Command.every,
            "read options and feeds from FILE"),
        .flag("no-config", sets: \.noConfig, .common, of: Command.every, "read no config file"),
        .value(
            "log-format", "FORMAT", sets: \.logFormat, as: .word, default: "text", .common, of: Command.every,
            "format of standard error: text, json"),
        .flag("quiet", short: "q", sets: \.quiet, .common, of: Command.every, "print only errors"),
        .flag(
            "verbose", short: "v", sets: \.verbose, .common, of: Command.every,
            "print each step, image and retry"),
        OptionSpec(long: "man", help: "print the manual page", group: .main, commands: [], request: .manual),
        OptionSpec(long: "help", short: "h", help: "show help and exit", request: .help),
        OptionSpec(
            long: "version", help: "show the version and exit; with -v, also the versions of the libraries",
            request: .version),
    ]

    private static let online: Set<Command> = [.sync, .show, .image]
}

extension OptionTable {
    static func long(_ name: some StringProtocol) -> OptionSpec? { all.first { $0.long == name } }

    static func short(_ letter: Character) -> OptionSpec? { all.first { $0.short == letter } }

    static func variable(_ name: String) -> OptionSpec? { all.first { $0.variable == name } }
}

extension CommandSpec {
    /// Returns whether the command accepts the option.
    ///
    /// `help` and `completions` accept the options that every command accepts.
    func takes(_ option: OptionSpec) -> Bool {
        if option.isOfHelp { return name == "help" }
        return command.map(option.commands.contains) ?? (option.commands == Command.every)
    }

    var options: [OptionSpec] { OptionTable.all.filter(takes) }
}
