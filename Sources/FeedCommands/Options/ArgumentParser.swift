/// The task that the command line asks for.
enum Invocation: Hashable, Sendable {
    case run(Command, Settings, operands: [String])
    /// Help for a command or a topic; nil is the overview.
    case help(String?)
    case manual
    case completions(Shell)
    /// The URLs of the saved feeds, for the completion scripts.
    case savedFeeds(Settings)
    /// The version, and with `-v` also the versions of the libraries.
    case version(isVerbose: Bool)
}

/// Parses the command line, the environment and the config file into an invocation.
///
/// It only reads what it is given.
struct ArgumentParser {
    private let world: any World

    init(_ world: any World) { self.world = world }

    /// Parses `arguments`, which follow the name of the program.
    func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        let line = try CommandLineSyntax(arguments)
        // Values are checked first, so that a mistake before --help is reported.
        var settings = Settings()
        try settings.apply(line.options, blaming: .usage)
        switch line.request {
        case .version: return .version(isVerbose: settings.verbose)
        case .help: return .help(try line.firstWord.flatMap(subject))
        case .manual, nil: break
        }
        let named = try line.firstWord.flatMap { word throws(UsageError) in try command(namedBy: word) }
        let spec = named ?? CommandTable.sync
        let isManual = line.request == .manual
        guard !isManual || spec.operand == .helpSubject else {
            throw UsageError("--man is not an option of \(spec.name); it belongs to help")
        }
        try check(line.options, areOf: spec)
        let operands = Array(line.operands.dropFirst(named == nil ? 0 : 1))
        try check(operands, areOf: spec)
        if spec.command == .export, operands.first == "-", settings.json {
            throw UsageError("--json and - both write to standard output", hint: "export to a file")
        }
        if isManual {
            if let surplus = operands.first { throw Self.surplus(surplus, "help --man", .none, spec.usage[1]) }
            return .manual
        }
        if let command = spec.command {
            return .run(command, try self.settings(of: command, line.options), operands: operands)
        }
        guard spec.operand == .shell else { return .help(try operands.first.map(known)) }
        if operands[0] == CommandTable.savedFeedsSubject {
            return .savedFeeds(try self.settings(of: .status, line.options))
        }
        return .completions(try shell(operands[0]))
    }

    /// Returns the settings: the command line overrides the environment, which overrides the config file, which
    /// overrides the default.
    ///
    /// The whole environment and the whole file are checked, so that a mistake is reported by the first command that
    /// reads them.
    private func settings(of command: Command, _ given: [GivenOption]) throws(UsageError) -> Settings {
        let variables = try EnvironmentOptions.read(world)
            .filter { $0.option.isUsed(by: command) }
        func settings(_ layers: [[GivenOption]]) throws(UsageError) -> Settings {
            var settings = Settings()
            for options in layers {
                let own = options.filter { $0.option.isUsed(by: command) }
                try settings.apply(own, blaming: .configuration)
            }
            try settings.apply(variables, blaming: .configuration)
            try settings.apply(given, blaming: .usage)
            return settings
        }
        var all = try settings([])
        guard let file = try ConfigFile.read(all, world) else { return all }
        all = try settings([file.options])
        let feeds = try file.feeds.map { feed throws(UsageError) in
            FeedSettings(url: feed.url, given: feed.given, settings: try settings([file.options, feed.options]))
        }
        all.feeds = ConfiguredFeeds(feeds)
        return all
    }

    /// Returns the command of this name; nil if the word is a feed.
    private func command(namedBy word: String) throws(UsageError) -> CommandSpec? {
        if let spec = CommandTable.named(word) { return spec }
        guard isUnknown(word) else { return nil }
        guard !word.isEmpty else { throw Self.emptyOperand }
        if HelpTopic(rawValue: word) != nil {
            throw UsageError("unknown command '\(word)'", hint: "see feedsync help \(word)")
        }
        throw Self.unknown("unknown command", word, among: CommandTable.all.map(\.name))
    }

    private func shell(_ word: String) throws(UsageError) -> Shell {
        if let shell = Shell(rawValue: word) { return shell }
        let known = Shell.allCases.map(\.rawValue)
        throw Self.unknown(
            "no completions for", word, among: known, "there are completions for \(Phrases.list(known, "and"))")
    }

    /// Returns the help subject of this name; nil if the word is a feed, for which the overview is shown.
    private func subject(_ word: String) throws(UsageError) -> String? {
        CommandTable.helpSubjects.contains(word) || isUnknown(word) ? try known(word) : nil
    }

    private func known(_ subject: String) throws(UsageError) -> String {
        let known = CommandTable.helpSubjects
        guard known.contains(subject) else { throw Self.unknown("there is no help on", subject, among: known) }
        return subject
    }

    private static func unknown(
        _ what: String, _ word: String, among known: [String], _ advice: String = "see feedsync help"
    ) -> UsageError {
        UsageError("\(what) '\(FeedOperand.shown(word))'", hint: Suggestion.hint(for: word, among: known) ?? advice)
    }

    private func check(_ options: [GivenOption], areOf spec: CommandSpec) throws(UsageError) {
        for given in options where !spec.takes(given.option) {
            let owners = Command.allCases.filter(given.option.commands.contains).map(\.rawValue)
            throw UsageError(
                "\(given.spelling) is not an option of \(spec.name); it belongs to \(Phrases.list(owners, "and"))")
        }
    }

    private func check(_ operands: [String], areOf spec: CommandSpec) throws(UsageError) {
        let (one, usage) = (spec.operand.one, "usage: \(spec.usage[0])")
        if operands.contains("") { throw Self.emptyOperand }
        let feeds = spec.operand.namesFeeds ? operands.dropFirst(spec.operand.takesPath ? 1 : 0) : []
        for feed in feeds { _ = try spec.operand == .image ? world.image(feed) : world.feed(feed) }
        if operands.count < spec.operandCount.lowerBound { throw UsageError("\(spec.name) needs \(one)", hint: usage) }
        if operands.count > spec.operandCount.upperBound {
            throw Self.surplus(operands[spec.operandCount.upperBound], spec.name, spec.operand, spec.usage[0])
        }
        if spec.operand.takesPath, FeedOperand.isURL(operands[0]) {
            let position = spec.operand.namesFeeds ? " first" : ""
            let given = FeedOperand.shown(operands[0])
            throw UsageError("\(spec.name) needs \(one)\(position), but '\(given)' is a URL", hint: usage)
        }
        if spec.operand == .archiveAndFeeds { try ArchiveFile.checkSuffix(operands[0]) }
        for word in feeds where isUnknown(word) {
            throw UsageError(
                "'\(FeedOperand.shown(word))' is neither a URL nor an existing file",
                hint: CommandTable.named(word) == nil ? "write ./NAME for a file that does not exist yet" : usage)
        }
    }

    private static func surplus(
        _ word: String, _ command: String, _ operand: CommandSpec.Operand, _ usage: String
    ) -> UsageError {
        let shown = FeedOperand.shown(word)
        return UsageError("\(command) takes \(operand.one); '\(shown)' is one too many", hint: "usage: \(usage)")
    }

    private static let emptyOperand = UsageError("an operand is empty", hint: "is a variable in a script not set?")

    /// Returns whether the word is most likely a mistyped command: it has no `/`, `.` or `:`, and no file has this
    /// name.
    private func isUnknown(_ word: String) -> Bool {
        !word.utf8.contains { "/.:".utf8.contains($0) } && !world.fileExists(word)
    }
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
            throw UsageError(
                "invalid value\(shown) for \(given.spelling): expected \(option.expected)", exitCode: exitCode)
        }
    }
}

/// Reads the options in the environment, named `FEEDSYNC_NAME`.
enum EnvironmentOptions {
    /// The variables that determine the user's directories.
    private static let directories: Set<String> = ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]

    /// Reads the variables in the order of their names, so that the same mistake is always reported first.
    ///
    /// An empty variable counts as unset: a script unsets a variable in this way for a single command.
    static func read(_ world: any World) throws(UsageError) -> [GivenOption] {
        for (name, value) in world.environment.sorted(by: { $0.key < $1.key })
        where hasReplacementCharacter(value) && (isOurs(name, value) || directories.contains(name)) {
            throw UsageError("\(TerminalText.escape(name)): is not UTF-8 text", exitCode: .configuration)
        }
        var given: [GivenOption] = []
        var scratch = Settings()
        let ours = world.environment.filter { isOurs($0.key, $0.value) }
        for (name, value) in ours.sorted(by: { $0.key < $1.key }) {
            guard let option = OptionTable.variable(name) else {
                throw UsageError(
                    "unknown variable '\(TerminalText.escape(name))' in the environment",
                    hint: hint(for: name),
                    exitCode: .configuration)
            }
            guard !value.isEmpty else { continue }
            // cron and systemd set variables without a shell, which leaves a ~ unexpanded.
            guard let value = option.isPath ? world.expandingHome(value) : value else {
                throw UsageError("\(name): \(noHome) for ~", exitCode: .configuration)
            }
            let one = GivenOption(option: option, spelling: name, value: value)
            try scratch.apply([one], blaming: .configuration)
            given.append(one)
        }
        return given
    }

    private static func isOurs(_ name: String, _ value: String) -> Bool {
        name.hasPrefix(OptionSpec.variablePrefix)
            && !isOfService(name.dropFirst(OptionSpec.variablePrefix.count), value)
    }

    /// Returns whether Kubernetes or `docker --link` set the variable.
    ///
    /// They do so in every container next to a service whose name begins with feedsync.
    private static func isOfService(_ name: Substring, _ value: String) -> Bool {
        let words = name.split(separator: "_")
        return words.contains("PORT") || words.suffix(2) == ["SERVICE", "HOST"]
            || words.first == "ENV"
            // This is the name of a container. A template of a tree cannot have this form.
            || words == ["NAME"] && (value.hasPrefix("/") || value.contains("//"))
    }

    private static func hint(for name: String) -> String? {
        let prefix = OptionSpec.variablePrefix
        let known = OptionTable.all.compactMap(\.variable).map { String($0.dropFirst(prefix.count)) }
        return Suggestion.hint(for: name.dropFirst(prefix.count), among: known, prefix: prefix)
    }
}
