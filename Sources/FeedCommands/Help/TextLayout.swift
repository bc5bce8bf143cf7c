/// Plain text set to the width of a terminal.
enum TextLayout {
    static let width = 80
    /// A longer piece leaves ragged lines if it is kept on one line.
    static let longestUnbroken = 30
    private static let noBreakSpace: Character = "\u{A0}"

    /// A few words that stay on one line.
    static func unbroken(_ text: String) -> String {
        String(text.map { $0 == " " ? noBreakSpace : $0 })
    }

    static func paragraph(_ text: String, indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        return lines(of: text, width: width - indent).map { margin + $0 + "\n" }.joined()
    }

    /// Two columns, the right one wrapped beside the left one.
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
