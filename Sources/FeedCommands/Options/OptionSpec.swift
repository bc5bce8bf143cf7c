/// One option: all that the parser, the help and the environment need to know of it.
struct OptionSpec: Sendable {
    enum Group: String, CaseIterable, Sendable {
        case main = "Options"
        case network = "Network options"
        case common = "Common options"
    }

    /// What holds in a feed's section of the config file, and what cannot differ from one feed of a run to the next.
    enum Scope: Sendable { case feed, run }

    enum Effect: Sendable {
        case set(@Sendable (inout Settings, String) throws(InvalidValue) -> Void)
        case help
        case manual
        case version
    }

    let long: String
    let short: Character?
    /// What its value is called; nil for a flag.
    let placeholder: String?
    /// As the help shows it.
    let defaultText: String?
    let help: String
    let group: Group
    let commands: Set<Command>
    let effect: Effect
    /// Takes back what was given elsewhere. Nil where there is nothing to set.
    var reset: (@Sendable (inout Settings) -> Void)?
    /// It may be given many times, and means all of them: they take the place of those given elsewhere.
    var isList = false
    /// Its value may be a password, and is shown nowhere.
    var isSecret = false
    var values = ValueKind.text
    var scope = Scope.run
    /// Of `help` alone, which is none of the commands that do something.
    var isOfHelp = false
}

extension OptionSpec {
    var isFlag: Bool { placeholder == nil }
    var isPath: Bool { values == .file || values == .folder }

    /// `-j` and `--jobs`, as far as there are both.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }

    /// The environment variable that stands in for it.
    var variable: String? {
        guard case .set = effect else { return nil }
        return Self.variablePrefix + String(long.map { $0 == "-" ? "_" : $0 }).uppercased()
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

    /// Where it is looked for, it can't stand in what is found there.
    var isOfConfigFile: Bool {
        guard case .set = effect else { return false }
        return long != "config" && long != "no-config"
    }

    typealias Field<Value> = any WritableKeyPath<Settings, Value> & Sendable

    /// An option with a value. Its default is the one in `Settings`, unless that is decided elsewhere: then `defaultText`.
    static func value<Value>(
        _ long: String, short: Character? = nil, _ placeholder: String,
        sets target: Field<Value>, as syntax: ValueSyntax<Value>,
        defaultText: String? = nil, isSecret: Bool = false, _ group: Group, of commands: Set<Command>, _ help: String
    ) -> OptionSpec {
        OptionSpec(
            long: long, short: short, placeholder: placeholder,
            defaultText: defaultText ?? syntax.write(Settings()[keyPath: target]),
            help: help, group: group, commands: commands,
            effect: .set { settings, text throws(InvalidValue) in
                settings[keyPath: target] = try syntax.read(text)
            },
            reset: { $0[keyPath: target] = Settings()[keyPath: target] }, isSecret: isSecret, values: syntax.kind)
    }

    /// In the environment it stands once.
    static func list<Value>(
        _ long: String, short: Character? = nil, _ placeholder: String,
        addsTo target: Field<[Value]>, as syntax: ValueSyntax<Value>, isSecret: Bool = false,
        _ group: Group, of commands: Set<Command>, _ help: String
    ) -> OptionSpec {
        OptionSpec(
            long: long, short: short, placeholder: placeholder, defaultText: nil, help: help, group: group,
            commands: commands,
            effect: .set { settings, text throws(InvalidValue) in
                settings[keyPath: target].append(try syntax.read(text))
            },
            reset: { $0[keyPath: target] = [] }, isList: true, isSecret: isSecret, values: syntax.kind)
    }

    static func flag(
        _ long: String, short: Character? = nil, sets target: Field<Bool>,
        _ group: Group, of commands: Set<Command>, _ help: String
    ) -> OptionSpec {
        OptionSpec(
            long: long, short: short, placeholder: nil, defaultText: nil, help: help, group: group, commands: commands,
            effect: .set { settings, text throws(InvalidValue) in
                settings[keyPath: target] = try ValueSyntax.flag.read(text)
            },
            reset: { $0[keyPath: target] = false })
    }

    static func manual(_ long: String, _ help: String) -> OptionSpec {
        OptionSpec(
            long: long, short: nil, placeholder: nil, defaultText: nil, help: help, group: .main, commands: [],
            effect: .manual, isOfHelp: true)
    }

    static func request(_ long: String, short: Character? = nil, _ effect: Effect, _ help: String) -> OptionSpec {
        OptionSpec(
            long: long, short: short, placeholder: nil, defaultText: nil, help: help, group: .common,
            commands: Command.every, effect: effect)
    }
}
