/// Text in the language of manual pages, man(7).
enum Roff {
    /// Text that is shown as it is.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            // A hyphen may be set as another character than the one to be typed.
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            default: escaped.append(character)
            }
        }
        // At the beginning of a line a full stop would be a command.
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }

    /// `body` is roff already.
    static func section(_ title: String, _ body: String) -> String { ".SH \(title)\n" + withoutBreak(body) }

    /// A section begins a paragraph by itself, and one more would be a mistake.
    static func withoutBreak(_ body: String) -> String {
        let mark = ".PP\n"
        return body.hasPrefix(mark) ? String(body.dropFirst(mark.count)) : body
    }

    static func subsection(_ title: String) -> String { ".SS \(title)\n" }

    static func paragraph(_ text: String) -> String { ".PP\n\(escape(text))\n" }

    /// An entry of a list; `term` is roff already.
    static func entry(_ term: String, _ text: String) -> String { ".TP\n\(term)\n\(escape(text))\n" }

    static func bold(_ text: String) -> String { "\\fB\(escape(text))\\fR" }

    static func italic(_ text: String) -> String { "\\fI\(escape(text))\\fR" }

    /// Lines that stay as they are.
    static func verbatim(_ lines: [String]) -> String {
        ".PP\n.RS 4\n.nf\n" + lines.map { escape($0) + "\n" }.joined() + ".fi\n.RE\n"
    }
}
