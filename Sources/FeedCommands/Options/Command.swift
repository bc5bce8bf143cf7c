/// The commands that run a use case.
///
/// `help` and `completions` only print text.
enum Command: String, CaseIterable, Sendable {
    case sync, show, image, validate, export, `import`, remove, find, status, gallery, tree

    static let every = Set(allCases)
}

/// One command of the table: its usage, its operands and its help.
struct CommandSpec: Hashable, Sendable {
    enum Operand: Hashable, Sendable {
        case none, words, feed, image, archive, archiveAndFeeds, directoryAndFeeds, helpSubject, shell

        var one: String {
            switch self {
            case .none: "no operand"
            case .words: "words"
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
    /// The command to run; nil for `help` and `completions`.
    let command: Command?
    let summary: String
    let usage: [String]
    let overview: String
    let operand: Operand
    let operandCount: ClosedRange<Int>
    let examples: [Example]
}

/// A topic that `help` explains.
///
/// Its text is in `Help/Topics`. If a command has the same name, both are shown.
enum HelpTopic: String, CaseIterable, Sendable {
    case config, feeds, network, monitoring, cache, archive, gallery, cluster, json
    case exitCodes = "exit-codes"
}

/// A shell for which there is a completion script.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// Returns the text in single quotes.
    func quoted(_ text: String) -> String {
        switch self {
        case .bash, .zsh: "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
        case .fish: "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
        }
    }
}
