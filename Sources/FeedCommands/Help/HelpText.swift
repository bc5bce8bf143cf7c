/// What `help` and `--help` print, made of the tables.
enum HelpText {
    static let version = "feedsync \(Version.current)\n"

    static func text(for topic: CommandSpec?) -> String {
        topic.map(text) ?? overview
    }

    private static func text(for spec: CommandSpec) -> String {
        var sections = [usage(spec.usage), TextLayout.paragraph(spec.overview)]
        for group in OptionSpec.Group.allCases {
            let options = OptionTable.all.filter { $0.group == group && spec.takes($0) }
            if !options.isEmpty { sections.append("\(group.rawValue):\n" + list(options)) }
        }
        sections.append("Examples:\n" + spec.examples.map { "  \($0.line)\n      \($0.meaning)\n" }.joined())
        return sections.joined(separator: "\n")
    }

    private static var overview: String {
        [
            usage(["feedsync [sync] [options] [FEED...]", "feedsync COMMAND [options] ..."]),
            TextLayout.paragraph(
                """
                Mirrors image feeds: fetches each feed, checks it, replaces the saved copy, and downloads every image \
                it names. What was saved can be shown offline.
                """),
            "Commands:\n"
                + TextLayout.columns(CommandTable.all.map { ("  " + $0.name, $0.summary) }, leftWidth: 13),
            "Common options:\n"
                + list(OptionTable.all.filter { $0.group == .common })
                + TextLayout.paragraph("The others are listed by feedsync help COMMAND.", indent: 2),
            "Config file and environment:\n" + environment,
            "Exit codes:\n" + exitCodes,
        ].joined(separator: "\n")
    }

    private static func usage(_ lines: [String]) -> String {
        "Usage: " + lines.joined(separator: "\n       ") + "\n"
    }

    private static var environment: String {
        TextLayout.columns(
            [
                (
                    "  config file",
                    "max-age = 36h, quiet, feed = URL, one a line; a section [feed \"URL\"] holds options for that feed "
                        + "alone; see --config"
                ),
                ("  FEEDSYNC_CACHE", "where feeds and images are kept, as --cache"),
                (
                    "  FEEDSYNC_NAME",
                    "any other option, such as FEEDSYNC_MAX_AGE=36h for --max-age 36h, or FEEDSYNC_QUIET=true; "
                        + "it comes before the config file, and the command line before it"
                ),
                ("  --no-NAME", "takes back for one run what these say of an option: --no-quiet, --no-gallery"),
            ], leftWidth: 16)
    }

    private static var exitCodes: String {
        let codes = ExitCode.allCases.map { code in
            let number = String(code.rawValue)
            return (String(repeating: " ", count: 5 - number.count) + number, code.meaning)
        }
        return TextLayout.columns(codes + [("128+n", "ended by signal n")], leftWidth: 5)
    }

    /// The widest option there is decides, so that every list of options has the same columns.
    private static let leftWidth = OptionTable.all.map { left($0).count }.max() ?? 0

    private static func list(_ options: [OptionSpec]) -> String {
        TextLayout.columns(options.map { (left($0), right($0)) }, leftWidth: leftWidth)
    }

    private static func left(_ option: OptionSpec) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return "  \(short)--\(option.long)\(option.placeholder.map { " " + $0 } ?? "")"
    }

    private static func right(_ option: OptionSpec) -> String {
        guard let text = option.defaultText else { return option.help }
        let tail = "(default: \(text))"
        return "\(option.help) \(tail.count <= TextLayout.longestUnbroken ? TextLayout.unbroken(tail) : tail)"
    }
}
