/// One line of a config file.
enum ConfigLine: Hashable {
    /// Empty.
    case nothing
    /// `[feed "URL"]`
    case section(url: String)
    /// `name = value`, or `name` alone.
    case setting(name: String, value: String?)

    typealias Complaint = (_ reason: String, _ hint: String?) -> UsageError

    /// `line` has no blanks at its ends.
    init(_ line: Substring, _ wrong: Complaint) throws(UsageError) {
        if line.isEmpty {
            self = .nothing
        } else if line.hasPrefix("[") {
            self = .section(url: try Self.section(line, wrong))
        } else {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.trim(parts[0])
            guard !name.isEmpty else { throw wrong("there is no name before the =", nil) }
            // Shown as far as it is a name: what follows may be a password.
            if let blank = name.firstIndex(where: { $0 == " " || $0 == "\t" }) {
                let word = TerminalText.escape(String(name[..<blank]))
                throw wrong("expected = after '\(word)'", "an option is written NAME = VALUE")
            }
            self = .setting(name: String(name), value: parts.count < 2 ? nil : try Self.value(parts[1], wrong))
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

    private static func section(_ line: Substring, _ wrong: Complaint) throws(UsageError) -> String {
        let shape = wrong("this is no section", #"a section is written [feed "URL"]"#)
        guard line.hasSuffix("]") else { throw shape }
        let inner = trim(line.dropFirst().dropLast())
        guard inner.hasPrefix("feed") else { throw shape }
        let rest = inner.dropFirst("feed".count)
        let quoted = trim(rest)
        guard quoted.hasPrefix("\""), quoted.count > 2 else { throw shape }
        return try value(quoted, wrong)
    }

    /// A value may stand in double quotes: then blanks at its ends are its own, and a backslash goes before a quote or
    /// another backslash.
    private static func value(_ text: Substring, _ wrong: Complaint) throws(UsageError) -> String {
        let text = trim(text)
        guard text.hasPrefix("\"") else { return String(text) }
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" {
                guard rest.isEmpty else { throw wrong("there is more behind the closing quote", nil) }
                return value
            }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            guard let escaped = rest.popFirst(), escaped == "\"" || escaped == "\\" else {
                throw wrong(#"in quotes, a backslash goes before " or \ alone"#, nil)
            }
            value.append(escaped)
        }
        throw wrong("a quote is not closed", nil)
    }
}
