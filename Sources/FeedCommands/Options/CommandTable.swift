/// Lists every command, in the order of the help.
enum CommandTable {
    static let all = [
        sync, show, image, validate, export, importing, remove, find, status, gallery, tree, completions, help,
    ]

    static func named(_ word: String) -> CommandSpec? { all.first { $0.name == word } }

    /// The names of the commands that take no operand, or only words that no shell can complete.
    static var withoutCompletions: [String] { all.filter { [.none, .words].contains($0.operand) }.map(\.name) }

    /// The names of the commands whose first operand is a directory.
    static var beginningWithDirectory: [String] { all.filter { $0.operand == .directoryAndFeeds }.map(\.name) }

    /// The names of the commands whose operands are all paths.
    static var takingOnlyPaths: [String] { all.filter { $0.operand == .archive }.map(\.name) }

    /// The names of the commands that take a path and then feeds.
    static var takingFeedsAfterPath: [String] {
        all.filter { $0.operand.takesPath && $0.operand.namesFeeds }.map(\.name)
    }

    /// The operand with which the completion scripts call `completions`: it prints the URLs of the saved feeds, one per line.
    static let savedFeedsSubject = "feeds"

    /// The operands of `help`, each once.
    static var helpSubjects: [String] {
        let names = all.map(\.name)
        return names + HelpTopic.allCases.map(\.rawValue).filter { !names.contains($0) }
    }

    static let sync = CommandSpec(
        name: "sync", command: .sync, summary: "fetch and save feeds, and download their images",
        usage: ["feedsync [sync] [options] [FEED...]"],
        overview: """
            Fetches each FEED, validates it, replaces its saved copy in one transaction, and downloads the images that \
            the cache does not have yet. Without FEED, it syncs the feeds in the config file or, if that names none, \
            every feed in the cache. A FEED is an http, https or file URL, or the path of a local file. If a feed \
            cannot be reached and its saved copy is fresh, the run still succeeds; a line says so on a terminal and \
            with --verbose. In a pipe or under cron, a successful run prints nothing.
            """,
        operand: .feed, operandCount: 0...Int.max,
        examples: [
            .init(line: "feedsync https://example.com/feed.json", meaning: "mirror a feed and its images"),
            .init(
                line: "feedsync --metrics-file /var/lib/metrics/feedsync.prom",
                meaning: "sync the feeds of the config file, with metrics for Prometheus"),
            .init(line: "feedsync sync -n", meaning: "print what a sync would do"),
        ])

    private static let show = CommandSpec(
        name: "show", command: .show, summary: "print a feed",
        usage: ["feedsync show [options] FEED"],
        overview: """
            Loads the feed from its server, saves it, and prints its images in order. If the server fails, it prints \
            the saved feed if that is fresh. FEED is an http, https or file URL, or the path of a local file.
            """,
        operand: .feed, operandCount: 1...1,
        examples: [
            .init(line: "feedsync show https://example.com/feed.json", meaning: "print the latest feed"),
            .init(
                line: "feedsync show --offline --json https://example.com/feed.json",
                meaning: "print the saved feed as JSON"),
        ])

    private static let image = CommandSpec(
        name: "image", command: .image, summary: "write the bytes of one image",
        usage: ["feedsync image [options] URL"],
        overview: """
            Writes the image at URL to standard output or to a file. The image comes from the cache, else from its \
            server, and is then saved.
            """,
        operand: .image, operandCount: 1...1,
        examples: [
            .init(line: "feedsync image -o cat.jpg https://example.com/cat.jpg", meaning: "write an image to a file")
        ])

    private static let validate = CommandSpec(
        name: "validate", command: .validate, summary: "delete stale feeds and unreferenced images",
        usage: ["feedsync validate [options]"],
        overview: """
            Deletes stale feeds, then every image that no feed references, then what interrupted runs left behind, and \
            says which feeds and how many images it deleted. With --deep, it also rehashes every image, moves damaged \
            ones to damaged/ in the cache, and exits with 65 if there are any; the next sync downloads them again. A \
            database that cannot be read is set aside and replaced with a new one; the images that only the old one \
            referenced are deleted too. While an export or a gallery is being written, nothing is deleted: see \
            --lock-wait.
            """,
        operand: .none, operandCount: 0...0,
        examples: [
            .init(line: "feedsync validate --max-age 30d", meaning: "delete feeds that are older than 30 days"),
            .init(line: "feedsync validate --deep", meaning: "find damaged images"),
        ])

    private static let export = CommandSpec(
        name: "export", command: .export, summary: "write feeds and their images as an archive",
        usage: ["feedsync export [options] FILE [FEED...]"],
        overview: """
            Writes each FEED (without FEED: every feed in the cache) and its downloaded images as a tar archive, which \
            is also an OCI image layout. It is compressed if FILE ends in .tar.gz, .tgz or .tar.zst; - is standard \
            output. The same feeds and images always give the same bytes. Every image is checked against its checksum. \
            A failed export leaves no file. An export can run at the same time as a sync.
            """,
        operand: .archiveAndFeeds, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync export cache.tar", meaning: "export the whole cache"),
            .init(
                line: "feedsync export feed.tar.gz https://example.com/feed.json",
                meaning: "export one feed, compressed"),
        ])

    /// The command `import`, which is a keyword of Swift.
    private static let importing = CommandSpec(
        name: "import", command: .import, summary: "add the feeds of archives to the cache",
        usage: ["feedsync import [options] FILE..."],
        overview: """
            Adds the feeds of archives that export wrote; - is standard input, only as the sole FILE. A feed that the \
            cache has stays as it is, and an added feed is not requested until you name it. With --restore, the archives \
            are your own and are merged into the cache, in the order in which they were written. Each archive is \
            verified completely first. An invalid archive changes nothing, and the others are still imported.
            """,
        operand: .archive, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync import cache.tar", meaning: "add the feeds of an archive"),
            .init(
                line: "feedsync import --restore part-*.tar", meaning: "merge the archives of your own machines"),
        ])

    private static let remove = CommandSpec(
        name: "remove", command: .remove, summary: "delete feeds and their images, or single images",
        usage: ["feedsync remove [options] FEED|IMAGE..."],
        overview: """
            Deletes each FEED from the cache, then every image that no other saved feed references. An IMAGE is any URL \
            of an image. It is removed permanently: its feeds no longer contain it, whatever their servers say, and its \
            data is deleted. --undo brings it back at the next sync. A FEED or IMAGE that was never saved is an error, \
            and nothing is deleted. If the config file or its subscription list still names the \
            feed, a line says so, because the next sync saves the feed again. While an export or a gallery is being \
            written, nothing is deleted: see --lock-wait.
            """,
        operand: .feed, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync remove https://example.com/feed.json", meaning: "delete a feed"),
            .init(line: "feedsync remove https://example.com/cat.jpg", meaning: "remove an image permanently"),
            .init(
                line: "feedsync remove -n https://example.com/feed.json", meaning: "print what would be deleted"),
        ])

    private static let find = CommandSpec(
        name: "find", command: .find, summary: "list the saved images that match words",
        usage: ["feedsync find [options] [WORD...]"],
        overview: """
            Lists the downloaded images that match every WORD (without WORD: all of them), newest first by the date on \
            which they were first downloaded. An image matches a WORD if its description, title, text, author, tags, \
            location or URL, or the title of its feed, contains it; case and accents are ignored. Each image is one line \
            of four fields, separated by tabs: date, title or URL of the feed, description, and path of the file. If \
            nothing matches, the exit code is 1.
            """,
        operand: .words, operandCount: 0...Int.max,
        examples: [
            .init(line: "feedsync find lighthouse", meaning: "list the images of lighthouses"),
            .init(line: "feedsync find --since 2d --limit 20", meaning: "list the latest images of the last two days"),
            .init(
                line: "feedsync find --json --feed https://example.com/feed.json comet",
                meaning: "search one feed, and print JSON lines"),
        ])

    private static let status = CommandSpec(
        name: "status", command: .status, summary: "show what is in the cache",
        usage: ["feedsync status [options] [FEED...]"],
        overview: """
            Prints a table of the saved feeds: title (else URL), state, images downloaded out of all, kept images, size, \
            and when the feed was saved. Lines below it give what has no column, such as the last error of a feed. With \
            FEED, it prints everything that is known about these feeds, a line for each fact. In a pipe, nothing is \
            shortened.
            """,
        operand: .feed, operandCount: 0...Int.max,
        examples: [
            .init(line: "feedsync status", meaning: "show the saved feeds"),
            .init(line: "feedsync status https://example.com/feed.json", meaning: "show what is known about a feed"),
            .init(line: "feedsync status --json", meaning: "print the contents of the cache as JSON"),
        ])

    private static let gallery = CommandSpec(
        name: "gallery", command: .gallery, summary: "write the saved feeds as a static web site",
        usage: ["feedsync gallery [options] DIR [FEED...]"],
        overview: """
            Writes each FEED (without FEED: every saved feed) with its images into DIR, as web pages that open from disk \
            and from any web server and that request only files in their own directory. Images are links to the cache \
            where possible. feedsync leaves foreign files in DIR unchanged, that is, files that it did not make or that \
            were changed since. If a foreign file has a wanted name, nothing is written; --force replaces it.
            """,
        operand: .directoryAndFeeds, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync gallery /srv/www/images", meaning: "write every saved feed as web pages"),
            .init(line: "feedsync --gallery /srv/www/images", meaning: "sync, then write the gallery"),
            .init(
                line: "feedsync gallery --force /srv/www/images",
                meaning: "also replace foreign files that have a wanted name"),
        ])

    private static let tree = CommandSpec(
        name: "tree", command: .tree, summary: "lay the images out as files with readable names",
        usage: ["feedsync tree [options] DIR [FEED...]"],
        overview: """
            Lays the images of each FEED (without FEED: of every saved feed) out in DIR, for photo frames, wallpapers, \
            media players and rsync: FEED/2026-11-20 Title.jpg, or another name by --name. The next run changes only \
            what changed: it renames files whose names changed, and deletes the files of images that left the cache. It \
            leaves foreign files unchanged, that is, files that feedsync did not make or that were changed since. A file \
            that you deleted stays deleted; --again lays it out again. --newest limits the images of each feed, and --xmp \
            adds their metadata for digiKam, Immich and PhotoPrism.
            """,
        operand: .directoryAndFeeds, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync tree ~/Images/feeds", meaning: "lay out every saved feed in its own directory"),
            .init(
                line: "feedsync tree --name '{year}/{month}/{title}' ~/Images/feeds",
                meaning: "lay out the images by year and month"
            ),
            .init(
                line: "feedsync tree --newest 50 --xmp ~/Images/frame",
                meaning: "lay out the newest images of each feed, with their metadata"
            ),
            .init(line: "feedsync tree -n ~/Images/feeds", meaning: "print what would change"),
        ])

    private static let completions = CommandSpec(
        name: "completions", command: nil, summary: "print a completion script for a shell",
        usage: ["feedsync completions \(Shell.allCases.map(\.rawValue).joined(separator: "|"))"],
        overview: """
            Prints a script with which the shell completes commands, options and their values, and the URLs of saved \
            feeds. scripts/install and the Debian package install it for each shell.
            """,
        operand: .shell, operandCount: 1...1,
        examples: [
            .init(
                line: "feedsync completions fish",
                meaning: "print the script for ~/.config/fish/completions/feedsync.fish")
        ])

    private static let help = CommandSpec(
        name: "help", command: nil, summary: "show help for a command or a topic",
        usage: ["feedsync help [COMMAND|TOPIC]", "feedsync help --man"],
        overview: """
            Lists all commands and topics, shows the usage and options of a command, or explains a topic: \
            \(Phrases.list(HelpTopic.allCases.map(\.rawValue), "or")).
            """,
        operand: .helpSubject, operandCount: 0...1,
        examples: [
            .init(line: "feedsync help sync", meaning: "show every option of sync"),
            .init(line: "feedsync help exit-codes", meaning: "explain the exit codes"),
            .init(line: "feedsync help --man", meaning: "print the manual page; man -l - shows it"),
        ])
}
