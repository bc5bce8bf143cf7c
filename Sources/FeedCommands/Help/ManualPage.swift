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
            Roff.section("\"CONFIG FILE\"", configFile),
            Roff.section("ENVIRONMENT", environment),
            Roff.section("\"EXIT STATUS\"", exitStatus),
            Roff.section("MONITORING", monitoring),
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

    private static var configFile: String {
        Roff.paragraph(
            """
            Every long option but \(commandLineOnly) can stand in the config file, one a line, as name = value; a flag \
            as its name alone, or with true or false. feed = URL, any number of times, names the feeds that feedsync \
            syncs when it is given none. Lines that begin with # are comments. A value may stand in double quotes. A \
            leading ~/ is the home folder, and a relative path begins where the file itself lies, not a link to it.
            """)
            + Roff.paragraph(
                """
                A section [feed "URL"] names a feed, and holds options for it alone until the next section begins. \
                These can stand there: \(perFeed). The others hold for the whole run, and stand above the first section.
                """)
            + Roff.verbatim([
                "# ~/.config/feedsync/config", "max-age = 2d", "metrics-file = ~/feedsync.prom",
                "feed = https://example.com/feed.json", "", "[feed \"https://example.org/private.json\"]",
                "header = Authorization: Bearer abc", "max-filesize = 200M",
            ])
    }

    private static var commandLineOnly: String {
        OptionTable.all.filter { !$0.isOfConfigFile }.map(\.long).joined(separator: ", ")
    }

    private static var perFeed: String {
        OptionTable.all.filter { $0.scope == .feed && $0.isOfConfigFile }.map(\.long).joined(separator: ", ")
    }

    private static var environment: String {
        Roff.paragraph(
            """
            Each option that sets something can also stand in a variable, --max-age in FEEDSYNC_MAX_AGE; a flag is true \
            or false. The command line comes before the environment, that before the config file, and that before the \
            default. An empty variable counts as none; in the value of one that names a file or folder, a leading ~/ is the \
            home folder. --no-NAME on the command line takes back what the others say of that option: --no-quiet, \
            --no-gallery. Headers given in one place take the place of those given in the places behind it.
            """)
            + OptionTable.all.compactMap { option in
                option.variable.map { Roff.entry(Roff.bold($0), "As --\(option.long).") }
            }.joined()
            + Roff.entry(
                Roff.bold("http_proxy, https_proxy, all_proxy, no_proxy"),
                "Through which proxy servers are asked, and which are asked directly; as curl's.")
            + Roff.entry(Roff.bold("NO_COLOR, TERM"), "Whether and how there is a progress line on a terminal.")
    }

    private static var exitStatus: String {
        ExitCode.allCases.map { code in
            let meaning = code.meaning.prefix(1).uppercased() + code.meaning.dropFirst()
            return Roff.entry(Roff.bold("\(code.rawValue)"), "\(meaning). \(code.advice)")
        }.joined()
            + Roff.entry(
                Roff.bold("128+n"),
                """
                Ended by signal n. The first INT, TERM or HUP stops a run cleanly, and what has come is kept; \
                another one, a quarter of a second later or more, ends it at once.
                """)
    }

    private static var monitoring: String {
        Roff.paragraph(
            """
            --metrics-file has each sync leave its figures for Prometheus: when it ended and with what, when one last \
            succeeded, how long it took, feeds and images by outcome, and the size of the cache. The file is replaced \
            whole; the time of the last success is carried over from the file before.
            """)
            + Roff.paragraph(
                """
                --ping-url has a monitor such as healthchecks.io told when a run begins (URL/start) and how it ended \
                (URL/EXITCODE), also when a signal ends it. --log-format json makes each line on standard error an object \
                with time, level, event, message and fields.
                """)
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
