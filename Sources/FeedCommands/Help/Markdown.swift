/// A parsed help topic.
///
/// It supports the part of Markdown that the topics use: headings, paragraphs, bullet lists, tables of two columns,
/// indented code, and `code` and **bold** within a line.
struct Markdown {
    enum Block: Hashable {
        case heading(String)
        case paragraph([Span])
        case list([[Span]])
        case table([TableRow])
        case code([String])
    }

    struct TableRow: Hashable {
        let left: [Span]
        let right: [Span]
    }

    enum Span: Hashable {
        case plain(String)
        case code(String)
        case bold(String)
    }

    let title: String
    let blocks: [Block]

    init(_ title: String, _ blocks: [Block]) {
        self.title = title
        self.blocks = blocks
    }

    init(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        title = String(lines[0].drop { "# ".contains($0) })
        blocks = lines.dropFirst().split(separator: "").reduce(into: []) { blocks, lines in
            let block = Self.block(Array(lines))
            // Blocks of code that only a blank line separates are one block.
            if case .code(let more) = block, case .code(let code) = blocks.last {
                blocks[blocks.count - 1] = .code(code + [""] + more)
            } else {
                blocks.append(block)
            }
        }
    }

    /// Parses one block.
    ///
    /// `lines` contain no blank line.
    private static func block(_ lines: [Substring]) -> Block {
        let first = lines[0]
        if first.hasPrefix("#") { return .heading(String(first.drop { "# ".contains($0) })) }
        if first.hasPrefix(codeMargin) { return .code(lines.map { String($0.dropFirst(codeMargin.count)) }) }
        if first.hasPrefix("- ") { return .list(items(lines).map(spans)) }
        // The first two lines of a table are its header and a rule, which are left out.
        if first.hasPrefix("|") { return .table(lines.dropFirst(2).map(row)) }
        return .paragraph(spans(lines.joined(separator: " ")))
    }

    private static let codeMargin = "    "

    private static func items(_ lines: [Substring]) -> [String] {
        lines.reduce(into: []) { items, line in
            if line.hasPrefix("- ") {
                items.append(String(line.dropFirst(2)))
            } else {
                items[items.count - 1] += " " + line.drop { $0 == " " }
            }
        }
    }

    private static func row(_ line: Substring) -> TableRow {
        let cells = line.dropFirst().dropLast().split(separator: "|").map { cell in
            spans(cell.split(separator: " ").joined(separator: " "))
        }
        return TableRow(left: cells[0], right: cells[1])
    }

    private static func spans(_ text: String) -> [Span] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().flatMap { index, part -> [Span] in
            guard index.isMultiple(of: 2) else { return [.code(String(part))] }
            return part.split(separator: "**", omittingEmptySubsequences: false).enumerated().map { index, part in
                index.isMultiple(of: 2) ? .plain(String(part)) : .bold(String(part))
            }
        }.filter { $0 != .plain("") }
    }
}
