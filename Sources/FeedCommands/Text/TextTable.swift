/// Text in columns, each as wide as it needs to be.
struct TextTable {
    let header: [String]
    /// The columns that are aligned on the right.
    let numbers: Set<Int>
    var rows: [[String]] = []

    private static let gap = "  "
    /// The width to which the first column can be shortened.
    private static let leastWidth = 12

    init(header: [String], numbers: Set<Int>) {
        self.header = header
        self.numbers = numbers
    }

    /// Returns the lines of the table.
    ///
    /// If they are wider than `width`, the texts of the first column are shortened.
    func lines(width: Int?) -> [String] {
        let all = ([header] + rows).map { $0.map(TerminalText.escape) }
        var widths = header.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        let total = widths.reduce(0, +) + Self.gap.count * (widths.count - 1)
        if let width, total > width { widths[0] = max(min(Self.leastWidth, widths[0]), widths[0] - (total - width)) }
        return all.map { row in
            let cells = row.enumerated().map { column, text in
                let text = text.shortened(toColumns: widths[column])
                let padding = String(repeating: " ", count: widths[column] - text.columns)
                return numbers.contains(column) ? padding + text : text + padding
            }
            return String(cells.joined(separator: Self.gap).trimmingSuffix(while: { $0 == " " }))
        }
    }
}

extension String {
    /// The number of columns of a terminal that the text takes.
    var columns: Int { utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columns } }

    /// Returns the text cut to a number of columns, with an ellipsis in place of the rest.
    func shortened(toColumns most: Int) -> String {
        guard columns > most else { return self }
        var (shown, room) = ("", most - 1)
        for character in self {
            room -= character.columns
            if room < 0 { break }
            shown.append(character)
        }
        return shown + "…"
    }
}

extension Character {
    /// Two for the characters that terminals draw twice as wide: those of East Asia, and emoji.
    fileprivate var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}

extension BidirectionalCollection {
    /// Returns the collection without the elements at its end that match.
    fileprivate func trimmingSuffix(while matches: (Element) -> Bool) -> SubSequence {
        self[..<(lastIndex { !matches($0) }.map(index(after:)) ?? startIndex)]
    }
}
