/// Text from outside, made safe to show: it can neither drive the terminal nor break a line nor reorder what is read.
enum TerminalText {
    static func escape(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isActive) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isActive(scalar) {
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029: true  // line and paragraph separator
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // text direction
        default: false
        }
    }
}
