/// The commands that do something; `help` only tells of them.
package enum Command: String, CaseIterable, Sendable {
    case sync, show, image, validate, status, gallery

    static let every = Set(allCases)
}

/// One command: how it is called, and what the help says of it.
package struct CommandSpec: Hashable, Sendable {
    package enum Operand: Hashable, Sendable { case none, feed, image, command, folderAndFeeds }

    package struct Example: Hashable, Sendable {
        package let line: String
        package let meaning: String
    }

    package let name: String
    /// Nil for `help`.
    package let command: Command?
    package let summary: String
    package let usage: [String]
    package let overview: String
    package let operand: Operand
    package let operandCount: ClosedRange<Int>
    package let examples: [Example]

    /// `help` takes what every command takes.
    package func takes(_ option: OptionSpec) -> Bool {
        command.map(option.commands.contains) ?? (option.commands == Command.every)
    }
}

/// Every command, in the order the help lists them.
package enum CommandTable {
    package static let all = [sync, show, image, validate, status, gallery, help]

    package static func named(_ word: String) -> CommandSpec? { all.first { $0.name == word } }

    static let sync = CommandSpec(
        name: "sync", command: .sync, summary: "fetch and save feeds, and download their images",
        usage: ["feedsync [sync] [options] [FEED...]"],
        overview: """
            Fetches each FEED, checks it, replaces its saved copy in one step, and downloads the images that the cache \
            doesn't have yet. With no FEED it does so for every feed in the cache. A FEED is an http, https or file \
            URL, or the path of a local file. If a feed can't be reached but its saved copy is fresh, that is told, and \
            is no error. In a pipe or under cron, a run that succeeds prints nothing.
            """,
        operand: .feed, operandCount: 0...Int.max,
        examples: [
            .init(line: "feedsync https://example.com/feed.json", meaning: "mirror a feed and its images"),
            .init(line: "feedsync sync -n", meaning: "see what a sync of all saved feeds would do"),
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
            .init(line: "feedsync show https://example.com/feed.json", meaning: "the latest there is"),
            .init(line: "feedsync show --offline --json https://example.com/feed.json", meaning: "the saved one"),
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
            .init(line: "feedsync image -o cat.jpg https://example.com/cat.jpg", meaning: "into a file")
        ])

    private static let validate = CommandSpec(
        name: "validate", command: .validate, summary: "delete stale feeds and what nothing refers to",
        usage: ["feedsync validate [options]"],
        overview: """
            Deletes the saved feeds that are no longer fresh, then every image that no feed refers to, then what \
            interrupted runs left behind. A cache database that can't be read is set aside, and a new one begins.
            """,
        operand: .none, operandCount: 0...0,
        examples: [
            .init(line: "feedsync validate --max-age 30d", meaning: "keep feeds for a month"),
            .init(line: "feedsync validate --deep", meaning: "find images that were damaged on disk"),
        ])

    private static let status = CommandSpec(
        name: "status", command: .status, summary: "show what is in the cache",
        usage: ["feedsync status [options]"],
        overview: """
            Shows each saved feed, when it was saved, whether it is fresh, how many of its images are there, and how \
            much room all images take.
            """,
        operand: .none, operandCount: 0...0,
        examples: [.init(line: "feedsync status --json", meaning: "the same for a program")])

    private static let gallery = CommandSpec(
        name: "gallery", command: .gallery, summary: "write the cached feeds as a static web page",
        usage: ["feedsync gallery [options] DIR [FEED...]"],
        overview: """
            Writes the saved feeds, or just those given, with their images into DIR: web pages that open from disk or \
            from any web server, and that ask nobody but their own folder. Images are linked to those in the cache \
            where possible. A gallery that DIR holds is replaced at once by the new one; a folder with anything else \
            in it is refused.
            """,
        operand: .folderAndFeeds, operandCount: 1...Int.max,
        examples: [
            .init(line: "feedsync gallery /srv/www/pictures", meaning: "every saved feed"),
            .init(line: "feedsync --gallery /srv/www/pictures", meaning: "sync all saved feeds, then the same"),
        ])

    private static let help = CommandSpec(
        name: "help", command: nil, summary: "show help, or that of one command",
        usage: ["feedsync help [COMMAND]"],
        overview: "Shows all commands and exit codes, or the usage and options of one command.",
        operand: .command, operandCount: 0...1,
        examples: [.init(line: "feedsync help sync", meaning: "every option of sync")])
}
