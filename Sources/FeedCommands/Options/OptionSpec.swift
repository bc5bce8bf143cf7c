/// One option: all that the parser, the help and the environment need to know of it.
struct OptionSpec: Sendable {
    enum Group: String, CaseIterable, Sendable {
        case main = "Options"
        case network = "Network options"
        case common = "Common options"
    }

    /// An option of scope `feed` can stand in a feed's section of the config file.
    enum Scope: Sendable { case feed, run }

    /// An option that asks for a text in place of a run.
    enum Request: Sendable { case help, manual, version }

    let long: String
    var short: Character?
    /// The name of its value; nil for a flag.
    var placeholder: String?
    /// As the help shows it.
    var defaultText: String?
    let help: String
    var group = Group.common
    /// None for one of `help`, which is none of the commands that do something.
    var commands = Command.every
    /// Further commands that heed it where it is given once for all: in the config file or the environment.
    var heedingCommands: Set<Command> = []
    /// Nil for an option that sets something.
    var request: Request?
    /// False where the text is no value of it.
    var set: @Sendable (inout Settings, String) -> Bool = { _, _ in true }
    /// Takes back what was given elsewhere.
    var reset: @Sendable (inout Settings) -> Void = { _ in }
    /// It may be given many times, and means all of them: they take the place of those given elsewhere.
    var isList = false
    /// Its value may be a password, and is shown nowhere.
    var isSecret = false
    var values = ValueKind.text
    /// Describes a right value.
    var expected = ""
    var scope = Scope.run
}

extension OptionSpec {
    var isFlag: Bool { placeholder == nil }
    var isPath: Bool { values == .file || values == .directory }
    var isOfHelp: Bool { commands.isEmpty }

    /// `-j` and `--jobs`, as far as there are both.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }

    /// The options that only make sense for one call.
    private static let ofOneCall: Set = ["force", "restore"]

    /// The environment variable that stands in for it.
    var variable: String? {
        request == nil && !Self.ofOneCall.contains(long)
            ? Self.variablePrefix + String(long.map { $0 == "-" ? "_" : $0 }).uppercased() : nil
    }

    static let variablePrefix = "FEEDSYNC_"
    /// The value a flag has by being there.
    static let present = "true"

    /// The same option, which may differ from one feed to the next.
    var perFeed: OptionSpec {
        var option = self
        option.scope = .feed
        return option
    }

    func heeded(by commands: Set<Command>) -> OptionSpec {
        var option = self
        option.heedingCommands = commands
        return option
    }

    func isHeeded(by command: Command) -> Bool { commands.contains(command) || heedingCommands.contains(command) }

    /// The options that say where the config file is can't stand in it.
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

    /// In the environment it stands once.
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
