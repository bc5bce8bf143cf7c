/// An option of the command line, the environment or the config file, with its unparsed value.
struct GivenOption {
    let option: OptionSpec
    /// The name as the user wrote it, for messages: `--max-age`, `-j`, `FEEDSYNC_JOBS` or `jobs`.
    let spelling: String
    /// The value; nil for `--no-NAME`, which unsets the option.
    let value: String?
}

/// Splits a command line into options and operands, in any order, by the rules of GNU getopt.
///
/// `ArgumentParser` decides what they mean and which of them go together.
struct CommandLineSyntax {
    private(set) var options: [GivenOption] = []
    private(set) var operands: [String] = []
    /// The first operand, if it can name a command.
    ///
    /// After `--` it cannot.
    private(set) var firstWord: String?
    /// What `--help`, `--version` or `--man` asks for.
    ///
    /// Words after `--help` and `--version` are ignored, except for `-v` after `--version`.
    private(set) var request: OptionSpec.TextRequest?
    private var rest: ArraySlice<String>

    init(_ arguments: [String]) throws(UsageError) {
        rest = arguments[...]
        while !isDecided, let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            } else if argument.hasPrefix("--") {
                try readLong(argument)
            } else if argument.hasPrefix("-"), argument != "-" {
                try readShort(argument)
            } else {
                readWord(argument)
            }
        }
        if request == .version, let verbose = OptionTable.long("verbose") {
            for spelling in ["-v", "--verbose"] where rest.contains(spelling) {
                options.append(GivenOption(option: verbose, spelling: spelling, value: OptionSpec.present))
            }
        }
        if request == .help, operands.isEmpty, let topic = rest.first, !topic.hasPrefix("-") {
            readWord(topic)
        }
    }

    private var isDecided: Bool { request == .help || request == .version }

    private mutating func readWord(_ argument: String) {
        if operands.isEmpty { firstWord = argument }
        operands.append(argument)
    }

    private mutating func readLong(_ argument: String) throws(UsageError) {
        // The bytes are searched, because a combining character after the = would hide it.
        let sign = argument.utf8.firstIndex(of: UInt8(ascii: "="))
        let spelling = String(argument[..<(sign ?? argument.endIndex)])
        guard let option = OptionTable.long(spelling.dropFirst(2)) else {
            guard let other = Self.optionUnset(by: spelling) else {
                throw Self.unknown(spelling, looksLike: spelling.dropFirst(2))
            }
            if sign != nil { throw UsageError("\(spelling) takes no value") }
            return options.append(GivenOption(option: other, spelling: spelling, value: nil))
        }
        let attached = sign.map { String(decoding: argument.utf8[$0...].dropFirst(), as: UTF8.self) }
        if option.request != nil, attached != nil { throw UsageError("\(spelling) takes no value") }
        try take(option, spelling, attached: attached)
    }

    /// Returns the option that `--no-NAME` unsets.
    ///
    /// The config file or the environment may have set it.
    private static func optionUnset(by spelling: String) -> OptionSpec? {
        guard spelling.hasPrefix("--no-"), let option = OptionTable.long(spelling.dropFirst("--no-".count)),
            option.isOfConfigFile
        else { return nil }
        return option
    }

    /// Reads an argument such as `-q`, `-qn`, `-j4`, `-j 4` or `-qj4`.
    private mutating func readShort(_ argument: String) throws(UsageError) {
        var letters = argument.dropFirst()
        while !isDecided, let letter = letters.popFirst() {
            guard let option = OptionTable.short(letter) else {
                throw Self.unknown("-\(letter)", looksLike: argument.dropFirst())
            }
            if option.isFlag {
                try take(option, "-\(letter)", attached: nil)
            } else {
                return try take(option, "-\(letter)", attached: letters.isEmpty ? nil : String(letters))
            }
        }
    }

    private mutating func take(_ option: OptionSpec, _ spelling: String, attached: String?) throws(UsageError) {
        if let asked = option.request {
            request = asked
            return
        }
        guard let value = attached ?? (option.isFlag ? OptionSpec.present : rest.popFirst()) else {
            throw UsageError("\(spelling) needs a value: \(spelling) \(option.placeholder ?? "")")
        }
        options.append(GivenOption(option: option, spelling: spelling, value: value))
    }

    private static func unknown(_ spelling: String, looksLike: Substring) -> UsageError {
        let name = looksLike.prefix { $0 != "=" }
        // A single letter would resemble too many options.
        let known = name.count > 1 ? OptionTable.all.map(\.long) : []
        return UsageError(
            "unknown option '\(TerminalText.escape(spelling))'",
            hint: Suggestion.hint(for: name, among: known, prefix: "--") ?? "see feedsync help")
    }
}
