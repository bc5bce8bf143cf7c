/// The manual page, made of the tables.
enum ManualPage {
    static var text: String {
        [
            ".TH FEEDSYNC 1 \(Version.date) \"feedsync \(Version.current)\"\n",
            Roff.section("NAME", "feedsync \\- mirror image feeds\n"),
            Roff.section("SYNOPSIS", synopsis),
            Roff.section("DESCRIPTION", description),
            Roff.section("COMMANDS", CommandTable.all.map(command).joined()),
            Roff.section("OPTIONS", options),
            HelpTopic.allCases.map { Roff.section($0.text) }.joined(),
            Roff.section("ENVIRONMENT", environment),
            Roff.section("FILES", files),
            Roff.section("EXAMPLES", CommandTable.all.flatMap(\.examples).map(example).joined()),
            Roff.section("\"SEE ALSO\"", ".BR curl (1),\n.BR crontab (5),\n.BR systemd.timer (5)\n"),
        ].joined()
    }

    private static var synopsis: String {
        CommandTable.all.flatMap(\.usage).map { Roff.escape($0) }.joined(separator: "\n.br\n") + "\n"
    }

    private static var description: String {
        Roff.paragraph(
            """
            feedsync mirrors image feeds. Run from cron or a timer, it fetches each feed, checks it, replaces the saved \
            copy in one transaction, and downloads every image it names, many at a time, into a folder where each is \
            named by its checksum. What was saved can be shown while the server is out of reach.
            """)
            + Roff.paragraph(
                """
                A FEED is an http, https or file URL, or the path of a local file. A run that succeeds prints nothing \
                unless somebody watches; one with failures says each cause once, and sums up. What kills a run half-way, \
                be it a signal or a power cut, leaves the old feed or the new one whole, and the next run goes on from there.
                """)
    }

    private static func command(_ spec: CommandSpec) -> String {
        let takes = spec.options.filter { $0.group == .main && !$0.isOfHelp }.map { "--\($0.long)" }
        let others = network(spec).map { ", \($0), and those of every command." } ?? " and those of every command."
        let tail = takes.isEmpty ? "" : " Its options are \(takes.joined(separator: ", "))" + others
        return Roff.entry(Roff.bold(spec.name), spec.overview + tail)
    }

    /// Nil for a command that asks no server.
    private static func network(_ spec: CommandSpec) -> String? {
        let own = Set(spec.options.filter { $0.group == .network }.map(\.long))
        guard !own.isEmpty else { return nil }
        let lacking = OptionTable.all.filter { $0.group == .network && !own.contains($0.long) }.map { "--\($0.long)" }
        return "those of the network" + (lacking.isEmpty ? "" : " but \(lacking.joined(separator: " and "))")
    }

    private static var options: String {
        OptionSpec.Group.allCases.map { group in
            Roff.subsection("\"\(group.rawValue)\"")
                + OptionTable.all.filter { $0.group == group }.map(option).joined()
        }.joined()
    }

    private static func option(_ option: OptionSpec) -> String {
        let names = option.spellings.map(Roff.bold).joined(separator: ", ")
        let value = option.placeholder.map { " " + Roff.italic($0) } ?? ""
        let tail = option.defaultText.map { " (default: \($0))" } ?? ""
        return Roff.entry(names + value, option.help + tail)
    }

    private static var environment: String {
        OptionTable.all.compactMap { option in
            option.variable.map { Roff.entry(Roff.bold($0), "As --\(option.long).") }
        }.joined()
            + Roff.entry(
                Roff.bold("http_proxy, https_proxy, all_proxy, no_proxy"),
                "Through which proxy servers are asked, and which are asked directly; as curl's.")
            + Roff.entry(Roff.bold("NO_COLOR, TERM"), "Whether and how there is a progress line on a terminal.")
    }

    private static var files: String {
        Roff.entry(
            Roff.italic("~/.config/feedsync/config"),
            "The config file, where XDG_CONFIG_HOME names no other folder and --config no other file.")
            + Roff.entry(
                Roff.italic("~/.cache/feedsync"),
                "The cache, where XDG_CACHE_HOME names no other folder and --cache no other cache.")
    }

    private static func example(_ example: CommandSpec.Example) -> String {
        Roff.entry(Roff.bold(example.line), example.meaning.prefix(1).uppercased() + example.meaning.dropFirst() + ".")
    }
}
