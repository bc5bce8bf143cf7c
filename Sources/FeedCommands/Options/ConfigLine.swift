/// One line of a config file.
enum ConfigLine: Hashable {
    /// Empty.
    case nothing
    /// `[feed "URL"]`
    case section(url: String)
    /// `name = value`, or `name` alone.
    case setting(name: String, value: String?)

    /// `line` has no blanks at its ends.
    init(_ line: Substring) throws(UsageError) {
        if line.isEmpty {
            self = .nothing
        } else if line.hasPrefix("[") {
            self = .section(url: try Self.section(line))
        } else {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.trim(parts[0])
            guard !name.isEmpty else { throw UsageError("there is no name before the =") }
            // Shown as far as it is a name: what follows may be a password.
            if let blank = name.firstIndex(where: { $0 == " " || $0 == "\t" }) {
                let word = TerminalText.escape(String(name[..<blank]))
                throw UsageError("expected = after '\(word)'", hint: "an option is written NAME = VALUE")
            }
            self = .setting(name: String(name), value: parts.count < 2 ? nil : try Self.value(parts[1]))
        }
    }

    static func isComment(_ line: some Sequence<UInt8>) -> Bool {
        line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } == UInt8(ascii: "#")
    }

    static func trim(_ text: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    private static func section(_ line: Substring) throws(UsageError) -> String {
        let shape = UsageError("this is no section", hint: #"a section is written [feed "URL"]"#)
        guard line.hasSuffix("]") else { throw shape }
        let inner = trim(line.dropFirst().dropLast())
        guard inner.hasPrefix("feed") else { throw shape }
        let rest = inner.dropFirst("feed".count)
        let quoted = trim(rest)
        guard quoted.hasPrefix("\""), quoted.count > 2 else { throw shape }
        return try value(quoted)
    }

    /// A value may stand in double quotes: then blanks at its ends are its own, and a backslash goes before a quote or
    /// another backslash.
    private static func value(_ text: Substring) throws(UsageError) -> String {
        let text = trim(text)
        guard text.hasPrefix("\"") else { return String(text) }
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" {
                guard rest.isEmpty else { throw UsageError("there is more behind the closing quote") }
                return value
            }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            guard let escaped = rest.popFirst(), escaped == "\"" || escaped == "\\" else {
                throw UsageError(#"in quotes, a backslash goes before " or \ alone"#)
            }
            value.append(escaped)
        }
        throw UsageError("a quote is not closed")
    }
}
