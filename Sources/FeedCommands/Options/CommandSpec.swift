/// One command: how it is called, and what the help says of it.
struct CommandSpec: Hashable, Sendable {
    enum Operand: Hashable, Sendable {
        case none, feed, image, archive, archiveAndFeeds, directoryAndFeeds, helpSubject, shell

        var one: String {
            switch self {
            case .none: "no operand"
            case .feed: "one FEED"
            case .image: "one URL"
            case .archive, .archiveAndFeeds: "one FILE"
            case .directoryAndFeeds: "one DIR"
            case .helpSubject: "one COMMAND or TOPIC"
            case .shell: "one of \(Phrases.list(Shell.allCases.map(\.rawValue), "and"))"
            }
        }

        var namesFeeds: Bool { [.feed, .image, .archiveAndFeeds, .directoryAndFeeds].contains(self) }
        var takesPath: Bool { [.archive, .archiveAndFeeds, .directoryAndFeeds].contains(self) }
    }

    struct Example: Hashable, Sendable {
        let line: String
        let meaning: String
    }

    let name: String
    /// Nil for `help` and `completions`.
    let command: Command?
    let summary: String
    let usage: [String]
    let overview: String
    let operand: Operand
    let operandCount: ClosedRange<Int>
    let examples: [Example]

    /// `help` and `completions` take what every command takes.
    func takes(_ option: OptionSpec) -> Bool {
        if option.isOfHelp { return name == "help" }
        return command.map(option.commands.contains) ?? (option.commands == Command.every)
    }

    var options: [OptionSpec] { OptionTable.all.filter(takes) }
}
