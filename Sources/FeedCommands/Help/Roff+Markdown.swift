/// A help topic as a section of the manual page.
extension Roff {
    static func section(_ markdown: Markdown) -> String {
        var body = ""
        var isFirst = true
        for block in markdown.blocks {
            let text = self.block(block)
            body += isFirst ? withoutBreak(text) : text
            if case .heading = block { isFirst = true } else { isFirst = false }
        }
        return section("\"\(escape(markdown.title.uppercased()))\"", body)
    }

    private static func block(_ block: Markdown.Block) -> String {
        switch block {
        case .heading(let text): subsection("\"\(escape(text))\"")
        case .paragraph(let spans): ".PP\n\(text(spans))\n"
        case .list(let items): items.map { ".IP \\(bu 2\n\(text($0))\n" }.joined()
        case .table(let rows): rows.map { ".TP\n\(text($0.left))\n\(text($0.right))\n" }.joined()
        case .code(let lines): verbatim(lines)
        }
    }

    private static func text(_ spans: [Markdown.Span]) -> String {
        spans.map { span in
            switch span {
            case .plain(let text): escape(text)
            case .code(let text), .bold(let text): bold(text)
            }
        }.joined()
    }
}
