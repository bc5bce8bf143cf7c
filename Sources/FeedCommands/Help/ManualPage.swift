/// Makes the manual page from the tables and the help topics.
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
                feedsync mirrors image feeds. Run from cron or a timer, it fetches each feed, validates it, replaces \
                the saved copy in one transaction, and downloads every image that the feed references, many at a time, \
                into a directory in which each file is named by its checksum. A saved feed can be shown while its \
                server cannot be reached.
                """)
        ]),
        .paragraph([
            .plain(
                """
                A FEED is an http, https or file URL, or the path of a local file. In a pipe or under cron, a \
                successful run prints nothing. A run with failures prints each cause once, and a summary. If a run is \
                killed by a signal or a power cut, the cache contains the whole old feed or the whole new one, and the \
                next run completes the work.
                """)
        ]),
    ]

    private static func row(_ term: String, _ text: String) -> Markdown.TableRow {
        Markdown.TableRow(left: [.bold(term)], right: [.plain(text)])
    }

    private static func command(_ spec: CommandSpec) -> Markdown.TableRow {
        let takes = spec.options.filter { $0.group == .main && !$0.isOfHelp }.map { "--\($0.long)" }
        let others = network(spec).map { ", \($0), and the common options." } ?? " and the common options."
        return row(
            spec.name,
            spec.overview + (takes.isEmpty ? "" : " Its options are \(takes.joined(separator: ", "))" + others))
    }

    /// Returns the network options of a command in words; nil for a command that sends no requests.
    private static func network(_ spec: CommandSpec) -> String? {
        let own = Set(spec.options.filter { $0.group == .network }.map(\.long))
        guard !own.isEmpty else { return nil }
        let lacking = OptionTable.all.filter { $0.group == .network && !own.contains($0.long) }.map { "--\($0.long)" }
        return "the network options" + (lacking.isEmpty ? "" : " except \(lacking.joined(separator: " and "))")
    }

    private static func options(_ group: OptionSpec.Group) -> [Markdown.Block] {
        let rows = OptionTable.all.filter { $0.group == group }.map { option in
            let value = option.placeholder.map { " " + $0 } ?? ""
            let tail = option.defaultText.map { " (default: \($0))" } ?? ""
            return Markdown.TableRow(
                left: [.bold(option.spellings.joined(separator: ", ")), .plain(value)],
                right: [.plain(option.help + tail)])
        }
        return [.heading(group.rawValue), .table(rows)]
    }

    private static var environment: [Markdown.TableRow] {
        OptionTable.all.compactMap { option in option.variable.map { row($0, "Same as --\(option.long).") } } + [
            row(
                "http_proxy, https_proxy, all_proxy, no_proxy",
                "The proxies to use, and the hosts to contact directly, as in curl."),
            row("NO_COLOR, TERM", "Whether a terminal shows a progress line, and whether it has colours."),
        ]
    }

    private static let files = [
        row(
            "~/.config/feedsync/config",
            "The config file, unless XDG_CONFIG_HOME or --config names another one."),
        row(
            "~/.cache/feedsync", "The cache, unless XDG_CACHE_HOME, --cache or FEEDSYNC_CACHE names another one."),
    ]

    private static func example(_ example: CommandSpec.Example) -> Markdown.TableRow {
        row(example.line, example.meaning.prefix(1).uppercased() + example.meaning.dropFirst() + ".")
    }
}

/// Writes text in man(7), the language of man pages.
enum Roff {
    static func section(_ markdown: Markdown) -> String {
        var body = ".SH \"\(escape(markdown.title.uppercased()))\"\n"
        var isFirst = true
        for block in markdown.blocks {
            // A section starts with a paragraph by itself, and mandoc reports a second one as a mistake.
            let text = self.block(block)
            body += isFirst && text.hasPrefix(paragraph) ? String(text.dropFirst(paragraph.count)) : text
            if case .heading = block { isFirst = true } else { isFirst = false }
        }
        return body
    }

    private static let paragraph = ".PP\n"

    private static func block(_ block: Markdown.Block) -> String {
        switch block {
        case .heading(let text): ".SS \"\(escape(text))\"\n"
        case .paragraph(let spans): "\(paragraph)\(text(spans))\n"
        case .list(let items): items.map { ".IP \\(bu 2\n\(text($0))\n" }.joined()
        case .table(let rows): rows.map { ".TP\n\(text($0.left))\n\(text($0.right))\n" }.joined()
        case .code(let lines): "\(paragraph).RS 4\n.nf\n" + lines.map { escape($0) + "\n" }.joined() + ".fi\n.RE\n"
        }
    }

    private static func text(_ spans: [Markdown.Span]) -> String {
        spans.map { span in
            switch span {
            case .plain(let text): escape(text)
            case .code(let text), .bold(let text): "\\fB\(escape(text))\\fR"
            }
        }.joined()
    }

    /// Escapes text so that it is shown unchanged.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            // An unescaped hyphen may be printed as another character than the one that users type.
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            default: escaped.append(character)
            }
        }
        // A full stop at the beginning of a line would start a request.
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}
