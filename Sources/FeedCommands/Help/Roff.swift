/// Writes text in man(7), the language of man pages.
enum Roff {
    static func section(_ markdown: Markdown) -> String {
        var body = ".SH \"\(escape(markdown.title.uppercased()))\"\n"
        var isFirst = true
        for block in markdown.blocks {
            // A section starts with a paragraph by itself, and mandoc reports a second one as a mistake.
            let text = self.block(block)
            body += isFirst && text.hasPrefix(paragraph) ? String(text.dropFirst(paragraph.count)) : text
            if case .heading = block { isFirst = true } else { isFirst = false }
        }
        return body
    }

    private static let paragraph = ".PP\n"

    private static func block(_ block: Markdown.Block) -> String {
        switch block {
        case .heading(let text): ".SS \"\(escape(text))\"\n"
        case .paragraph(let spans): "\(paragraph)\(text(spans))\n"
        case .list(let items): items.map { ".IP \\(bu 2\n\(text($0))\n" }.joined()
        case .table(let rows): rows.map { ".TP\n\(text($0.left))\n\(text($0.right))\n" }.joined()
        case .code(let lines): "\(paragraph).RS 4\n.nf\n" + lines.map { escape($0) + "\n" }.joined() + ".fi\n.RE\n"
        }
    }

    private static func text(_ spans: [Markdown.Span]) -> String {
        spans.map { span in
            switch span {
            case .plain(let text): escape(text)
            case .code(let text), .bold(let text): "\\fB\(escape(text))\\fR"
            }
        }.joined()
    }

    /// Escapes text so that it is shown unchanged.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            // An unescaped hyphen may be printed as another character than the one that users type.
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            default: escaped.append(character)
            }
        }
        // A full stop at the beginning of a line would start a request.
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}
