/// Every command, in the order the help lists them.
enum CommandTable {
    static let all = [sync, show, image, validate, export, importing, remove, status, gallery, tree, completions, help]

    static func named(_ word: String) -> CommandSpec? { all.first { $0.name == word } }

    /// The names of the commands that take no operand.
    static var withoutOperands: [String] { all.filter { $0.operand == .none }.map(\.name) }

    /// The names of the commands whose first operand is a directory.
    static var beginningWithDirectory: [String] { all.filter { $0.operand == .directoryAndFeeds }.map(\.name) }

    /// The names of the commands whose operands are paths, and of those where feeds may stand behind the first.
    static var takingPathsAlone: [String] { all.filter { $0.operand == .archive }.map(\.name) }
    static var takingFeedsBehindPath: [String] {
        all.filter { $0.operand.takesPath && $0.operand.namesFeeds }.map(\.name)
    }

    /// Stands behind `completions` in place of a shell, for the scripts alone: the URLs of the saved feeds, one a line.
    static let savedFeedsSubject = "feeds"

    /// The words that can stand behind `help`, each once.
    static var helpSubjects: [String] {
        let names = all.map(\.name)
        return names + HelpTopic.allCases.map(\.rawValue).filter { !names.contains($0) }
    }

    static let sync = CommandSpec(
        name: "sync", command: .sync, summary: "fetch and save feeds, and download their images",
        usage: ["feedsync [sync] [options] [FEED...]"],
        overview: """
            Fetches each FEED, checks it, replaces its saved copy in one step, and downloads the images that the cache \
            doesn't have yet. With no FEED it does so for those in the config file, or if it names none, for every feed \
            in the cache. A FEED is an http, https or file \
            URL, or the path of a local file. If a feed can't be reached but its saved copy is fresh, that is no error, \
            and is told on a terminal and with --verbose. In a pipe or under cron, a run that succeeds prints nothing.
            """,
        operand: .feed, operandCount: 0...Int.max,
        examples: [
            .init(line: "feedsync https://example.com/feed.json", meaning: "mirror a feed and its images"),
            .init(
                line: "feedsync --metrics-file /var/lib/metrics/feedsync.prom",
                meaning: "the feeds of the config file, watched over by Prometheus"),
            .init(line: "feedsync sync -n", meaning: "see what a sync would do"),
        ])

    private static let show = CommandSpec(
        name: "show", command: .show, summary: "print a feed",
        usage: ["feedsync show [options] FEED"],
        overview: """
            Prints the feed's images in their order. The feed comes from its server, and is saved; if that fails, the \
            saved copy is shown as long as it is fresh. FEED is an http, https or file URL, or the path of a local file.
            """,
        operand: .feed, operandCount: 1...1,
        examples: [
            .init(line: "feedsync show https://example.com/feed.json", meaning: "the latest feed there is"),
            .init(
                line: "feedsync show --offline --json https://example.com/feed.json",
                meaning: "the saved feed, for a program"),
        ])

    private static let image = CommandSpec(
        name: "image", command: .image, summary: "write the bytes of one image",
        usage: ["feedsync image [options] URL"],
        overview: """
            Writes the image behind URL to standard output, or to a file. It comes from the cache, else from its \
            server; then it is saved too.
            """,
        operand: .image, operandCount: 1...1,
        examples: [
            .init(line: "feedsync image -o cat.jpg https://example.com/cat.jpg", meaning: "an image, into a file")
        ])

    private static let validate = CommandSpec(
        name: "validate", command: .validate, summary: "delete stale feeds and what nothing refers to",
        usage: ["feedsync validate [options]"],
        overview: """
            Deletes the saved feeds that are no longer fresh, then every image that no feed refers to, then what \
            interrupted runs left behind. A cache database that can't be read is set aside, and a new one begins; the \
            images that only the old one names go too. While an export or a gallery is being written nothing is deleted: \
            see --lock-wait.
            """,
        operand: .none, operandCount: 0...0,
        examples: [
            .init(line: "feedsync validate --max-age 30d", meaning: "keep feeds for a month"),
            .init(line: "feedsync validate --deep", meaning: "find images that were damaged on disk"),
        ])

    private static let export = CommandSpec(
        name: "export", command: .export, summary: "write feeds and their images as an archive",
        usage: ["feedsync export [options] FILE [FEED...]"],
        overview: """
            Writes each FEED, or with none every feed in the cache, and all images that are there of them, as a tar \
            archive, which is an OCI image layout too. If the name ends in .tar.gz, .tgz or .tar.zst, it is compressed; - is \
            standard output. The same feeds and images give the same bytes. Every image is checked on \
            the way, and an export that fails leaves no file. A sync may run meanwhile.
            """,
        operand: .archiveAndFeeds, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync export cache.tar", meaning: "all that is in the cache"),
            .init(
                line: "feedsync export feed.tar.gz https://example.com/feed.json",
                meaning: "one feed and its images, compressed"),
        ])

    /// `import` is a word of Swift's.
    private static let importing = CommandSpec(
        name: "import", command: .import, summary: "merge archives into the cache",
        usage: ["feedsync import [options] FILE..."],
        overview: """
            Merges what export wrote, on this machine or others, into the cache; - alone is standard input. Each archive is \
            checked as a whole first: one that is damaged or not as it should be changes nothing, and the others are \
            merged all the same. A feed that is there is replaced only by one saved later, and images that are there stay.
            """,
        operand: .archive, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync import cache.tar", meaning: "add what an archive holds"),
            .init(line: "feedsync import part-*.tar", meaning: "merge the parts that several machines made"),
            .init(
                line: "feedsync import --force cache.tar", meaning: "let an archive's feeds replace later ones too"),
        ])

    private static let remove = CommandSpec(
        name: "remove", command: .remove, summary: "forget feeds and their images",
        usage: ["feedsync remove [options] FEED..."],
        overview: """
            Deletes each FEED from the cache, then every image that no other saved feed names. A FEED that was never \
            saved is an error, and nothing is deleted. One that the config file or its subscription list names is \
            deleted too, but the next sync saves it again: that is told. While an export or a gallery is being written \
            nothing is deleted: see --lock-wait.
            """,
        operand: .feed, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync remove https://example.com/feed.json", meaning: "mirror that feed no longer"),
            .init(
                line: "feedsync remove -n https://example.com/feed.json", meaning: "see what would be deleted for that"),
        ])

    private static let status = CommandSpec(
        name: "status", command: .status, summary: "show what is in the cache",
        usage: ["feedsync status [options]"],
        overview: """
            Shows each saved feed, when it was saved, whether it is fresh, how many of its images are there, and how \
            much room all images take.
            """,
        operand: .none, operandCount: 0...0,
        examples: [.init(line: "feedsync status --json", meaning: "what is in the cache, for a program")])

    private static let gallery = CommandSpec(
        name: "gallery", command: .gallery, summary: "write the cached feeds as a static web page",
        usage: ["feedsync gallery [options] DIR [FEED...]"],
        overview: """
            Writes the saved feeds, or just those given, with their images into DIR: web pages that open from disk or \
            from any web server, and that ask nobody but their own directory. Images are linked to those in the cache \
            where possible. Files in DIR that feedsync did not make, or that somebody changed, are left alone; if they \
            are in the way, nothing is written, and --force replaces them.
            """,
        operand: .directoryAndFeeds, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync gallery /srv/www/images", meaning: "every saved feed, as web pages"),
            .init(line: "feedsync --gallery /srv/www/images", meaning: "sync, then write the gallery"),
            .init(
                line: "feedsync gallery --force /srv/www/images",
                meaning: "also replace files in the way, such as those of another program"),
        ])

    private static let tree = CommandSpec(
        name: "tree", command: .tree, summary: "lay the cached images out as files with names",
        usage: ["feedsync tree [options] DIR [FEED...]"],
        overview: """
            Lays the images of the saved feeds, or just of those given, out in DIR, for photo frames, wallpapers, media \
            players and rsync: FEED/2026-11-20 Title.jpg, or as --name says. The next run changes what changed, and \
            deletes the files of images that left the cache. Files that feedsync did not make, or that somebody changed, \
            are left alone.
            """,
        operand: .directoryAndFeeds, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync tree ~/Images/feeds", meaning: "every saved feed, a directory for each"),
            .init(
                line: "feedsync tree --name '{year}/{month}/{title}' ~/Images/feeds", meaning: "in directories by month"
            ),
            .init(line: "feedsync tree -n ~/Images/feeds", meaning: "see what would change"),
        ])

    private static let completions = CommandSpec(
        name: "completions", command: nil, summary: "print a completion script for a shell",
        usage: ["feedsync completions \(Shell.allCases.map(\.rawValue).joined(separator: "|"))"],
        overview: """
            Prints a script that has the shell complete commands, options and their values, and the URLs of saved feeds. \
            scripts/install and the \
            Debian package put it where each shell looks for it.
            """,
        operand: .shell, operandCount: 1...1,
        examples: [
            .init(
                line: "feedsync completions fish", meaning: "to be saved as ~/.config/fish/completions/feedsync.fish")
        ])

    private static let help = CommandSpec(
        name: "help", command: nil, summary: "show help, of a command or on a topic",
        usage: ["feedsync help [COMMAND|TOPIC]", "feedsync help --man"],
        overview: """
            Lists all commands and topics, shows the usage and options of one command, or explains a topic: \
            \(Phrases.list(HelpTopic.allCases.map(\.rawValue), "or")).
            """,
        operand: .helpSubject, operandCount: 0...1,
        examples: [
            .init(line: "feedsync help sync", meaning: "every option of sync"),
            .init(line: "feedsync help exit-codes", meaning: "what each exit code asks you to do"),
            .init(line: "feedsync help --man", meaning: "the manual page, to be shown by man -l -"),
        ])
}
