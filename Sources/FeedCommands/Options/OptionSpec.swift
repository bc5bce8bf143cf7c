/// One option of the table: everything that the parser, the help, the environment and the config file need.
struct OptionSpec: Sendable {
    enum Group: String, CaseIterable, Sendable {
        case main = "Options"
        case network = "Network options"
        case common = "Common options"
    }

    /// An option of scope `feed` can be in the section of a feed in the config file.
    enum Scope: Sendable { case feed, run }

    /// The text that an option prints instead of running a command.
    enum TextRequest: Sendable { case help, manual, version }

    let long: String
    var short: Character?
    /// The name of its value in the help; nil for a flag.
    var placeholder: String?
    /// The default value in the help.
    var defaultText: String?
    let help: String
    var group = Group.common
    /// The commands that accept the option.
    ///
    /// It is empty for an option of `help`.
    var commands = Command.every
    /// Further commands that use the option if the config file or the environment sets it.
    var furtherCommands: Set<Command> = []
    /// The text to print; nil for an option that sets something.
    var request: TextRequest?
    /// Sets the value.
    ///
    /// Returns false if the text is not a valid value.
    var set: @Sendable (inout Settings, String) -> Bool = { _, _ in true }
    /// Sets the default value again.
    var reset: @Sendable (inout Settings) -> Void = { _ in }
    /// Whether the option may be repeated.
    ///
    /// Its values replace those from other places.
    var isList = false
    /// Whether the value may be a password, which is never printed.
    var isSecret = false
    var values = ValueKind.text
    /// Describes a valid value, for messages.
    var expected = ""
    var scope = Scope.run
}

extension OptionSpec {
    var isFlag: Bool { placeholder == nil }
    var isPath: Bool { values == .file || values == .directory }
    var isOfHelp: Bool { commands.isEmpty }

    /// The spellings, such as `-j` and `--jobs`.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }

    /// The options that only make sense for one call.
    private static let ofOneCall: Set = ["again", "feed", "force", "restore", "undo", "without"]

    /// The environment variable that sets the option, if there is one.
    var variable: String? {
        request == nil && !Self.ofOneCall.contains(long)
            ? Self.variablePrefix + String(long.map { $0 == "-" ? "_" : $0 }).uppercased() : nil
    }

    static let variablePrefix = "FEEDSYNC_"
    /// The value of a flag that is given.
    static let present = "true"

    /// The same option, with scope `feed`.
    var perFeed: OptionSpec {
        var option = self
        option.scope = .feed
        return option
    }

    func alsoUsed(by commands: Set<Command>) -> OptionSpec {
        var option = self
        option.furtherCommands = commands
        return option
    }

    func isUsed(by command: Command) -> Bool { commands.contains(command) || furtherCommands.contains(command) }

    /// Whether the option can be in the config file.
    ///
    /// The options that choose the file cannot.
    var isOfConfigFile: Bool {
        request == nil && long != "config" && long != "no-config" && !Self.ofOneCall.contains(long)
    }

    typealias Field<Value> = any WritableKeyPath<Settings, Value> & Sendable

    static func value<Value>(
        _ long: String, short: Character? = nil, _ placeholder: String?, sets target: Field<Value>,
        as syntax: ValueSyntax<Value>, default text: String? = nil, isSecret: Bool = false, _ group: Group,
        of commands: Set<Command>, _ help: String
    ) -> OptionSpec {
        OptionSpec(
            long: long, short: short, placeholder: placeholder, defaultText: text, help: help, group: group,
            commands: commands,
            set: { settings, text in
                guard let value = syntax.read(text) else { return false }
                settings[keyPath: target] = value
                return true
            },
            reset: { $0[keyPath: target] = Settings()[keyPath: target] }, isSecret: isSecret, values: syntax.kind,
            expected: syntax.expected)
    }

    /// Makes an option that may be repeated.
    ///
    /// The environment can give one value.
    static func list<Value>(
        _ long: String, short: Character? = nil, _ placeholder: String, addsTo target: Field<[Value]>,
        as syntax: ValueSyntax<Value>, isSecret: Bool = false, _ group: Group, of commands: Set<Command>,
        _ help: String
    ) -> OptionSpec {
        var option = value(
            long, short: short, placeholder, sets: target,
            as: ValueSyntax<[Value]>(kind: syntax.kind, expected: syntax.expected) { syntax.read($0).map { [$0] } },
            isSecret: isSecret, group, of: commands, help)
        option.isList = true
        option.set = { settings, text in
            guard let value = syntax.read(text) else { return false }
            settings[keyPath: target].append(value)
            return true
        }
        return option
    }

    static func flag(
        _ long: String, short: Character? = nil, sets target: Field<Bool>, _ group: Group,
        of commands: Set<Command>, _ help: String
    ) -> OptionSpec {
        value(long, short: short, nil, sets: target, as: .flag, group, of: commands, help)
    }
}
