/// A help topic as plain text: no mark of Markdown is left in it.
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
