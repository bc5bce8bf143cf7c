/// What the program was asked to do.
enum Invocation: Hashable, Sendable {
    case run(Command, Settings, operands: [String])
    /// On a command or a topic, or an overview.
    case help(String?)
    case manual
    case completions(Shell)
    case version
}

/// Makes an invocation of a command line, the environment and the config file. It reads nothing but what it is given.
struct ArgumentParser {
    private let world: any World

    init(_ world: any World) { self.world = world }

    /// `arguments` are those behind the program's name.
    func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        let line = try CommandLineSyntax(arguments)
        // Values first: what stands before a --help has to be right.
        var settings = Settings()
        try settings.apply(line.options, blaming: .usage)
        if line.request == .version { return .version }

        if line.request == .help { return .help(try line.firstWord.flatMap(subject)) }
        let named = try line.firstWord.flatMap { word throws(UsageError) in try command(namedBy: word) }

        let spec = named ?? CommandTable.sync
        if line.request == .manual, spec.name != "help" {
            throw UsageError("--man is not an option of \(spec.name); it belongs to help")
        }
        try check(line.options, areOf: spec)
        let operands = named == nil ? line.operands : Array(line.operands.dropFirst())
        try check(operands, areOf: spec)
        if line.request == .manual {
            if let surplus = operands.first { throw Self.surplus(surplus, "help --man", "usage: \(spec.usage[1])") }
            return .manual
        }
        guard let command = spec.command else {
            if spec.operand == .shell { return .completions(try shell(operands[0])) }
            return .help(try operands.first.map(known))
        }
        return .run(command, try self.settings(of: command, line.options), operands: operands)
    }

    /// Command line over environment over config file over default. The whole environment is checked, and the whole
    /// file, also what this command has no use for: a mistake in it is told at once, not when another command comes to
    /// it.
    private func settings(of command: Command, _ given: [GivenOption]) throws(UsageError) -> Settings {
        let variables = try EnvironmentOptions.read(world)
            .filter { $0.option.commands.contains(command) }
        func settings(_ layers: [[GivenOption]]) throws(UsageError) -> Settings {
            var settings = Settings()
            for options in layers {
                let own = options.filter { $0.option.commands.contains(command) }
                try settings.apply(own, blaming: .configuration)
            }
            try settings.apply(variables, blaming: .configuration)
            try settings.apply(given, blaming: .usage)
            return settings
        }
        var all = try settings([])
        guard let file = try ConfigFile.read(all.configChoice, world) else { return all }
        all = try settings([file.options])
        let feeds = try file.feeds.map { feed throws(UsageError) in
            FeedSettings(url: feed.url, settings: try settings([file.options, feed.options]))
        }
        all.feeds = ConfiguredFeeds(feeds)
        return all
    }

    /// Nil where the word is no command but a feed.
    private func command(namedBy word: String) throws(UsageError) -> CommandSpec? {
        if let spec = CommandTable.named(word) { return spec }
        guard isUnknown(word) else { return nil }
        throw Self.unknownCommand(word)
    }

    private func shell(_ word: String) throws(UsageError) -> Shell {
        guard let shell = Shell(rawValue: word) else {
            let known = Shell.allCases.map(\.rawValue)
            throw UsageError(
                "no completions for '\(TerminalText.escape(word))'",
                hint: Suggestion.hint(for: word, among: known) ?? "there are some for \(known.joined(separator: ", "))")
        }
        return shell
    }

    /// Nil where the word is a feed: then all there is to say is shown.
    private func subject(_ word: String) throws(UsageError) -> String? {
        if !CommandTable.helpSubjects.contains(word), !isUnknown(word) { return nil }
        return try known(word)
    }

    private func known(_ subject: String) throws(UsageError) -> String {
        let known = CommandTable.helpSubjects
        guard known.contains(subject) else {
            throw UsageError(
                "there is no help on '\(FeedOperand.shown(subject))'",
                hint: Suggestion.hint(for: subject, among: known) ?? "see feedsync help")
        }
        return subject
    }

    private static func unknownCommand(_ word: String) -> UsageError {
        guard !word.isEmpty else { return emptyOperand }
        let hint =
            if HelpTopic(rawValue: word) != nil {
                "see feedsync help \(word)"
            } else {
                Suggestion.hint(for: word, among: CommandTable.all.map(\.name)) ?? "see feedsync help"
            }
        return UsageError("unknown command '\(FeedOperand.shown(word))'", hint: hint)
    }

    private func check(_ options: [GivenOption], areOf spec: CommandSpec) throws(UsageError) {
        for given in options where !spec.takes(given.option) {
            let owners = Command.allCases.filter(given.option.commands.contains).map(\.rawValue)
            throw UsageError(
                "\(given.spelling) is not an option of \(spec.name); it belongs to \(Phrases.list(owners, "and"))")
        }
    }

    private func check(_ operands: [String], areOf spec: CommandSpec) throws(UsageError) {
        let usage = "usage: \(spec.usage[0])"
        if operands.contains("") { throw Self.emptyOperand }
        let takesPath = [.archive, .archiveAndFeeds, .folderAndFeeds].contains(spec.operand)
        let feeds = spec.operand.namesFeeds ? operands.dropFirst(takesPath ? 1 : 0) : []
        // Before all that would show one: behind half a URL stands what a shell has parted from it, as of its password.
        for feed in feeds { _ = try world.url(of: feed) }
        if operands.count < spec.operandCount.lowerBound {
            throw UsageError("\(spec.name) needs \(spec.operand.one)", hint: usage)
        }
        if operands.count > spec.operandCount.upperBound {
            let surplus = operands[spec.operandCount.upperBound]
            guard spec.operand != .none else { throw Self.surplus(surplus, spec.name, usage) }
            let shown = FeedOperand.shown(surplus)
            throw UsageError("\(spec.name) takes \(spec.operand.one), not also '\(shown)'", hint: usage)
        }
        if takesPath, FeedOperand.isURL(operands[0]) {
            let given = FeedOperand.shown(operands[0])
            let place = feeds.startIndex > 0 ? " first" : ""
            throw UsageError("\(spec.name) needs \(spec.operand.one)\(place), and '\(given)' is a URL", hint: usage)
        }
        for word in feeds where isUnknown(word) {
            throw UsageError(
                "'\(FeedOperand.shown(word))' is neither a URL nor an existing file",
                hint: CommandTable.named(word) == nil ? "a file that is yet to come can be given as ./NAME" : usage)
        }
    }

    private static func surplus(_ operand: String, _ command: String, _ usage: String) -> UsageError {
        UsageError("\(command) takes no operand, and was given '\(FeedOperand.shown(operand))'", hint: usage)
    }

    private static let emptyOperand = UsageError("an operand is empty", hint: "is a variable in a script not set?")

    /// A bare word: most likely a mistyped command, unless there is a file of that name.
    private func isUnknown(_ word: String) -> Bool {
        !word.utf8.contains { "/.:".utf8.contains($0) } && !world.fileExists(word)
    }
}

extension CommandSpec.Operand {
    fileprivate var one: String {
        switch self {
        case .none: "no operand"
        case .feed: "one FEED"
        case .image: "one URL"
        case .archive, .archiveAndFeeds: "one FILE"
        case .helpSubject: "one COMMAND or TOPIC"
        case .shell: "one of \(Phrases.list(Shell.allCases.map(\.rawValue), "and"))"
        case .folderAndFeeds: "one DIR"
        }
    }

    fileprivate var namesFeeds: Bool { [.feed, .image, .archiveAndFeeds, .folderAndFeeds].contains(self) }
}

extension Settings {
    mutating func apply(_ options: [GivenOption], blaming exitCode: ExitCode) throws(UsageError) {
        var begun = Set<String>()
        for given in options {
            let option = given.option
            let isFirst = begun.insert(option.long).inserted
            if given.value == nil || option.isList && isFirst { option.reset(&self) }
            guard let value = given.value, !option.set(&self, value) else { continue }
            let shown = option.isSecret ? "" : " '\(FeedOperand.shown(value))'"
            let place = given.place.map { $0 + ": " } ?? ""
            throw UsageError(
                "\(place)invalid value\(shown) for \(given.spelling): expected \(option.expected)", exitCode: exitCode)
        }
    }
}
