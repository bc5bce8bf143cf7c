/// Every option, in the order the help lists them. The parser, the help, the man page, the completions, the environment
/// and the config file read this and nothing else.
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
            "leave a feed alone that was confirmed less than AGE ago; best in the feed's own section"
        ).perFeed,
        .flag("offline", sets: \.offline, .main, of: [.show, .image], "use what is saved; ask no server"),
        .value(
            "pages", "N", sets: \.pages, as: .count, default: "1", .main, of: [.sync, .show],
            "how many pages of a feed to load, where it links to the next"
        ).perFeed,
        .value(
            "keep", "WHAT", sets: \.keep, as: .keep, default: "as told before, else none", .main, of: [.sync, .show],
            "what stays of items that left the feed: none, forever, an AGE since they were in it, or a number: the newest "
                + "so many"
        ).perFeed,
        .list(
            "include", "REGEX", addsTo: \.includes, as: .expression, .main, of: [.sync, .show],
            "take only images whose URL this matches, anywhere in it; may be given many times"
        ).perFeed,
        .list(
            "exclude", "REGEX", addsTo: \.excludes, as: .expression, .main, of: [.sync, .show],
            "leave out images whose URL this matches, as if the feed didn't name them; may be given many times"
        ).perFeed,
        .flag(
            "all-images", sets: \.allImages, .main, of: [.sync, .show],
            "also take what is left out as decoration: emoji, avatars, tracking pixels"
        ).perFeed,
        .value(
            "opml", "FILE", sets: \.opml, as: .path("feeds.opml", insteadOfURL: ": download the list first"),
            .main, of: [.sync],
            "also sync the feeds that this subscription list names"
        ).heeded(by: [.remove]),
        .value(
            "shard", "I/N", sets: \.shard, as: .shard, default: "0/1", .main, of: [.sync],
            "only the I-th of N parts, counted from 0: for a cluster, whose other machines do the others"),
        .value(
            "shard-by", "WHAT", sets: \.shardBy, as: .word, default: "host", .main, of: [.sync],
            "what falls into parts: host, feeds by their host; or image, the images of each feed, when the parts share what "
                + "each may ask of a host"),
        .value(
            "output", short: "o", "FILE", sets: \.output, as: .outputPath, default: "standard output", .main,
            of: [.image], "write the image to FILE"),
        .flag(
            "deep", sets: \.deep, .main, of: [.validate],
            "also read every image again and delete damaged ones"),
        .flag(
            "force", sets: \.force, .main, of: [.import, .gallery],
            "import: let an archive's feeds replace later ones; gallery: replace files in the way that feedsync did not make"
        ),
        .flag(
            "restore", sets: \.restore, .main, of: [.import],
            "the archives are your own: their feeds are requested as if you had named them, and keep what they kept"),
        .flag(
            "dry-run", short: "n", sets: \.dryRun, .main, of: [.sync, .validate, .remove, .tree],
            "say what would be done, and change nothing"),
        .value(
            "gallery", "DIR", sets: \.gallery, as: .directory("/srv/www/images"), .main, of: [.sync],
            "at the end, write what is in the cache as a web page into DIR"),
        .value(
            "tree", "DIR", sets: \.tree, as: .directory("/home/me/Images/feeds"), .main, of: [.sync],
            "at the end, lay the images in the cache out as files with names in DIR"),
        .value(
            "name", "TEMPLATE", sets: \.treeTemplate, as: .treeTemplate, default: "{feed}/{date} {title}", .main,
            of: [.sync, .tree],
            "how the files of a tree are named, by {feed} {date} {year} {month} {title} {id} {n} {digest} {ext}"),
        .value(
            "thumbnails", "WHEN", sets: \.thumbnails, as: .word, default: "auto", .main, of: [.sync, .gallery],
            "small images in the gallery: auto (where vipsthumbnail is installed), never, always"),
        .flag(
            "json", sets: \.json, .main, of: [.sync, .show, .validate, .remove, .status, .gallery, .tree],
            "write the result as JSON to standard output"),
        .flag(
            "print-new", sets: \.printNew, .main, of: [.sync],
            "write a JSON line to standard output for each image stored, as soon as it is safe on disk"),
        .value(
            "lock-wait", "S", sets: \.lockWait, as: .seconds, default: "0", .main,
            of: [.sync, .show, .image, .validate, .export, .import, .remove, .gallery, .tree],
            "seconds to wait for another run on the same cache, gallery or tree"),
    ]

    private static let monitoring: [OptionSpec] = [
        .value(
            "metrics-file", "FILE", sets: \.metricsFile, as: .path("/var/lib/node_exporter/feedsync.prom"),
            .main, of: [.sync], "write the run's figures to FILE for Prometheus"),
        .value(
            "ping-url", "URL", sets: \.pingURL, as: .pingURL, isSecret: true, .main, of: [.sync],
            "GET URL/start before the run, and URL/EXITCODE after it"),
        .value(
            "progress", "WHEN", sets: \.progress, as: .word, default: "auto", .main,
            of: [.sync, .validate, .export, .import, .gallery],
            "a progress line on standard error: auto (on a terminal), always, never"),
    ]

    /// These hold for the whole run, however many feeds it has.
    private static let pace: [OptionSpec] = [
        .value(
            "jobs", short: "j", "N", sets: \.jobs, as: .count, default: "128", .network, of: online,
            "requests in flight at once, for feeds and images together"),
        .value(
            "max-per-host", "N", sets: \.maxPerHost, as: .countOrAuto, default: "auto", .network, of: online,
            "of them to one host (scheme, name and port); auto: 6, or 100 over HTTP/2"),
        .value(
            "max-time", "S", sets: \.maxTime, as: .timeLimit, default: "none", .main,
            of: online.union([.gallery, .tree]), "seconds for the whole run; what isn't done by then fails"),
        .value(
            "limit-rate", "RATE", sets: \.limitRate, as: .rate, default: "none", .network, of: online,
            "bytes a second for the whole run: 500K, 2M"),
    ]

    private static let network: [OptionSpec] = [
        .value(
            "retries", "N", sets: \.retries, as: .countOrNone, default: "3", .network, of: online,
            "further tries after a failure that may pass"),
        .value(
            "connect-timeout", "S", sets: \.connectTimeout, as: .timeout, default: "10", .network, of: online,
            "seconds a connection may take to be made"),
        .value(
            "timeout", "S", sets: \.timeout, as: .timeout, default: "30", .network, of: online,
            "seconds a transfer may take for the next 1 KiB, or for its answer to begin"),
        .value(
            "max-filesize", "SIZE", sets: \.maxFileSize, as: .size, default: "64M", .main, of: online.union([.import]),
            "the largest image to accept: 500K, 64M, 1G"),
        .value(
            "max-feed-size", "SIZE", sets: \.maxFeedSize, as: .size, default: "64M", .main,
            of: online.union([.import]),
            "the largest feed to accept, with one image at most for each 256 bytes of SIZE"),
        .value(
            "max-redirs", "N", sets: \.maxRedirects, as: .countOrNone, default: "10", .network, of: online,
            "redirects to follow for one request"),
        .flag(
            "revalidate", sets: \.revalidate, .network, of: [.sync],
            "ask whether images in the cache have changed"),
        .flag(
            "retry-failed", sets: \.retryFailed, .network, of: [.sync],
            "also ask for images that were gone or no image the last time"),
        .flag(
            "allow-private", sets: \.allowPrivate, .network, of: online,
            "let public feeds and redirects lead to private addresses too"),
        .list(
            "header", short: "H", "LINE", addsTo: \.headers, as: .headerLine, isSecret: true, .network, of: online,
            "a header such as 'X-Key: 1' to send to the given URL's own origin, and to no feed that only an imported "
                + "archive named; may be given many times"),
        .flag(
            "netrc", sets: \.netrc, .network, of: online,
            "take names and passwords for the given URL's own origin from ~/.netrc"),
        .value(
            "netrc-file", "FILE", sets: \.netrcFile, as: .path("~/.netrc"), .network, of: online,
            "the same from FILE"),
        .value(
            "proxy", "URL", sets: \.proxy, as: .proxy,
            default: "as in http_proxy, https_proxy, all_proxy, no_proxy",
            isSecret: true, .network, of: online, "ask servers through this proxy; empty for none"),
        .value(
            "cacert", "FILE", sets: \.caFile, as: .path("ca.pem"), .network, of: online,
            "trust the certificate authorities in FILE, not the system's"),
        .flag(
            "insecure", sets: \.insecure, .network, of: online, "take any certificate: whoever answers is believed"),
        .value(
            "user-agent", "TEXT", sets: \.userAgent, as: .headerText, default: Settings().userAgent, .network,
            of: online,
            "what this calls itself to servers"),
    ]

    private static let common: [OptionSpec] = [
        .value(
            "cache", "DIR", sets: \.cache, as: .directory("/var/cache/feedsync"),
            default: "$XDG_CACHE_HOME/feedsync, else ~/.cache/feedsync", .common, of: Command.every,
            "where feeds and images are kept"),
        .value(
            "config", "FILE", sets: \.config, as: .path("~/.config/feedsync/config"),
            default: "$XDG_CONFIG_HOME/feedsync/config, else ~/.config/feedsync/config", .common, of: Command.every,
            "read options and feeds from FILE"),
        .flag("no-config", sets: \.noConfig, .common, of: Command.every, "read no config file"),
        .value(
            "log-format", "FORMAT", sets: \.logFormat, as: .word, default: "text", .common, of: Command.every,
            "of what goes to standard error: text, json"),
        .flag("quiet", short: "q", sets: \.quiet, .common, of: Command.every, "report errors only"),
        .flag(
            "verbose", short: "v", sets: \.verbose, .common, of: Command.every,
            "report each step, image and further try"),
        OptionSpec(long: "man", help: "print the manual page", group: .main, commands: [], request: .manual),
        OptionSpec(long: "help", short: "h", help: "show help and exit", request: .help),
        OptionSpec(long: "version", help: "show the version and exit", request: .version),
    ]

    private static let online: Set<Command> = [.sync, .show, .image]
}

extension OptionTable {
    static func long(_ name: some StringProtocol) -> OptionSpec? { all.first { $0.long == name } }

    static func short(_ letter: Character) -> OptionSpec? { all.first { $0.short == letter } }

    static func variable(_ name: String) -> OptionSpec? { all.first { $0.variable == name } }
}
