/// Makes the text of `help` and `--help` from the tables.
enum HelpText {
    /// Returns the lines of `--version`: feedsync with its version, and the libraries with theirs.
    static func version(of libraries: [String]) -> String {
        (["feedsync \(Version.current)"] + libraries).map { "\($0)\n" }.joined()
    }

    /// Returns the text for a command, a topic, or both if they share the name `subject`; for nil, the overview.
    static func text(for subject: String?) -> String {
        guard let subject else { return overview }
        let command = CommandTable.named(subject).map(text)
        let topic = HelpTopic(rawValue: subject).map { TextLayout.text($0.text) }
        return [command, topic].compactMap(\.self).joined(separator: "\n")
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
                Mirrors image feeds: fetches each feed, validates it, replaces the saved copy, and downloads every \
                image that it references. Saved feeds can be shown offline.
                """),
            "Commands:\n"
                + TextLayout.columns(CommandTable.all.map { ("  " + $0.name, $0.summary) }, leftWidth: 13),
            "Topics:\n"
                + TextLayout.columns(
                    HelpTopic.allCases.map { ("  " + $0.rawValue, $0.text.title) }, leftWidth: 13)
                + TextLayout.paragraph(
                    "feedsync help TOPIC explains a topic; the manual page contains all of them.", indent: 2),
            "Common options:\n"
                + list(OptionTable.all.filter { $0.group == .common })
                + TextLayout.paragraph("feedsync help COMMAND lists the other options.", indent: 2),
        ].joined(separator: "\n")
    }

    private static func usage(_ lines: [String]) -> String {
        "Usage: " + lines.joined(separator: "\n       ") + "\n"
    }

    /// The width of the widest option, so that every list of options has the same columns.
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

extension HelpTopic {
    var text: Markdown { Markdown(String(decoding: file, as: UTF8.self)) }

    private var file: [UInt8] {
        switch self {
        case .config: PackageResources.config_md
        case .feeds: PackageResources.feeds_md
        case .network: PackageResources.network_md
        case .monitoring: PackageResources.monitoring_md
        case .cache: PackageResources.cache_md
        case .archive: PackageResources.archive_md
        case .gallery: PackageResources.gallery_md
        case .cluster: PackageResources.cluster_md
        case .json: PackageResources.json_md
        case .exitCodes: PackageResources.exit_codes_md
        }
    }
}
