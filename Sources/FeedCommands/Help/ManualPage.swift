/// The manual page, made of the tables and the help topics.
enum ManualPage {
    static var text: String {
        let commands = CommandTable.all
        let sections =
            [
                Markdown("NAME", [.paragraph([.plain("feedsync - mirror image feeds")])]),
                Markdown("SYNOPSIS", [.code(commands.flatMap(\.usage))]),
                Markdown("DESCRIPTION", description),
                Markdown("COMMANDS", [.table(commands.map(command))]),
                Markdown("OPTIONS", OptionSpec.Group.allCases.flatMap(options)),
            ] + HelpTopic.allCases.map(\.text) + [
                Markdown("ENVIRONMENT", [.table(environment)]),
                Markdown("FILES", [.table(files)]),
                Markdown("EXAMPLES", [.table(commands.flatMap(\.examples).map(example))]),
                Markdown("SEE ALSO", [.paragraph([.plain("curl(1), crontab(5), systemd.timer(5)")])]),
            ]
        return ".TH FEEDSYNC 1 \(Version.date) \"feedsync \(Version.current)\"\n"
            + sections.map(Roff.section).joined()
    }

    private static let description: [Markdown.Block] = [
        .paragraph([
            .plain(
                """
                feedsync mirrors image feeds. Run from cron or a timer, it fetches each feed, checks it, replaces the \
                saved copy in one transaction, and downloads every image it names, many at a time, into a directory where \
                each is named by its checksum. What was saved can be shown while the server is out of reach.
                """)
        ]),
        .paragraph([
            .plain(
                """
                A FEED is an http, https or file URL, or the path of a local file. A run that succeeds prints nothing \
                unless somebody watches; one with failures says each cause once, and sums up. What kills a run half-way, \
                be it a signal or a power cut, leaves the old feed or the new one whole, and the next run goes on from \
                there.
                """)
        ]),
    ]

    private static func row(_ term: String, _ text: String) -> Markdown.Row {
        Markdown.Row(left: [.bold(term)], right: [.plain(text)])
    }

    private static func command(_ spec: CommandSpec) -> Markdown.Row {
        let takes = spec.options.filter { $0.group == .main && !$0.isOfHelp }.map { "--\($0.long)" }
        let others = network(spec).map { ", \($0), and those of every command." } ?? " and those of every command."
        return row(
            spec.name,
            spec.overview + (takes.isEmpty ? "" : " Its options are \(takes.joined(separator: ", "))" + others))
    }

    /// Nil for a command that asks no server.
    private static func network(_ spec: CommandSpec) -> String? {
        let own = Set(spec.options.filter { $0.group == .network }.map(\.long))
        guard !own.isEmpty else { return nil }
        let lacking = OptionTable.all.filter { $0.group == .network && !own.contains($0.long) }.map { "--\($0.long)" }
        return "those of the network" + (lacking.isEmpty ? "" : " but \(lacking.joined(separator: " and "))")
    }

    private static func options(_ group: OptionSpec.Group) -> [Markdown.Block] {
        let rows = OptionTable.all.filter { $0.group == group }.map { option in
            let value = option.placeholder.map { " " + $0 } ?? ""
            let tail = option.defaultText.map { " (default: \($0))" } ?? ""
            return Markdown.Row(
                left: [.bold(option.spellings.joined(separator: ", ")), .plain(value)],
                right: [.plain(option.help + tail)])
        }
        return [.heading(group.rawValue), .table(rows)]
    }

    private static var environment: [Markdown.Row] {
        OptionTable.all.compactMap { option in option.variable.map { row($0, "As --\(option.long).") } } + [
            row(
                "http_proxy, https_proxy, all_proxy, no_proxy",
                "Through which proxy servers are asked, and which are asked directly; as curl's."),
            row("NO_COLOR, TERM", "Whether and how there is a progress line on a terminal."),
        ]
    }

    private static let files = [
        row(
            "~/.config/feedsync/config",
            "The config file, where XDG_CONFIG_HOME names no other directory and --config no other file."),
        row(
            "~/.cache/feedsync", "The cache, where XDG_CACHE_HOME names no other directory and --cache no other cache."),
    ]

    private static func example(_ example: CommandSpec.Example) -> Markdown.Row {
        row(example.line, example.meaning.prefix(1).uppercased() + example.meaning.dropFirst() + ".")
    }
}
