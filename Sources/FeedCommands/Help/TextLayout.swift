/// Lays out plain text for a terminal of 80 columns.
enum TextLayout {
    static let width = 80
    /// The longest text that is kept on one line.
    ///
    /// Longer ones would leave ragged lines.
    static let longestUnbroken = 30
    private static let noBreakSpace: Character = "\u{A0}"

    /// Returns the text with no-break spaces, so that it stays on one line.
    static func unbroken(_ text: String) -> String {
        String(text.map { $0 == " " ? noBreakSpace : $0 })
    }

    static func paragraph(_ text: String, indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        return lines(of: text, width: width - indent).map { margin + $0 + "\n" }.joined()
    }

    /// Lays out two columns, and wraps the right one.
    static func columns(_ rows: [(left: String, right: String)], leftWidth: Int) -> String {
        let gap = 2
        let indent = leftWidth + gap
        let margin = String(repeating: " ", count: indent)
        var text = ""
        for (left, right) in rows {
            var wrapped = lines(of: right, width: width - indent)[...]
            if left.count > leftWidth {
                text += left + "\n"
            } else {
                let first = wrapped.popFirst() ?? ""
                text += left + String(repeating: " ", count: indent - left.count) + first + "\n"
            }
            for line in wrapped { text += margin + line + "\n" }
        }
        return text
    }

    private static func lines(of text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if line.count + 1 + word.count <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines.map { String($0.map { $0 == noBreakSpace ? " " : $0 }) }
    }
}

/// Lays out a help topic as plain text, without the marks of Markdown.
extension TextLayout {
    private static let widestLeft = 24

    static func text(_ markdown: Markdown) -> String {
        ([markdown.title + "\n"] + markdown.blocks.map(block)).joined(separator: "\n")
    }

    private static func block(_ block: Markdown.Block) -> String {
        switch block {
        case .heading(let text): return text + ":\n"
        case .paragraph(let spans): return paragraph(plain(spans), indent: 2)
        case .list(let items):
            return items.map { "  - " + paragraph(plain($0), indent: 4).dropFirst(4) }.joined()
        case .table(let rows):
            let cells = rows.map { (left: "  " + plain($0.left, unbroken: false), right: plain($0.right)) }
            return columns(cells, leftWidth: min(cells.map(\.left.count).max() ?? 0, widestLeft))
        case .code(let lines):
            return lines.map { $0.isEmpty ? "\n" : "      \($0)\n" }.joined()
        }
    }

    private static func plain(_ spans: [Markdown.Span], unbroken keepsTogether: Bool = true) -> String {
        spans.map { span in
            switch span {
            case .plain(let text), .bold(let text): text
            case .code(let text): keepsTogether && text.count <= longestUnbroken ? unbroken(text) : text
            }
        }.joined()
    }
}
