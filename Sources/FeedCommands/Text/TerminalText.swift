/// Makes text from outside safe to print: it cannot control the terminal, break a line or change the reading direction.
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

/// Removes user names and passwords from the URLs in a text.
///
/// This is the last check before a line is printed, for URLs in unexpected positions such as a file name.
enum Passwords {
    static func hidden(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var shown: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let authority = rest.firstRange(of: "://".utf8)?.upperBound {
            shown += rest[..<authority]
            rest = rest[authority...]
            let end = rest.firstIndex(where: endsAuthority) ?? rest.endIndex
            guard let at = rest[..<end].lastIndex(of: UInt8(ascii: "@")) else { continue }
            shown += "***".utf8
            rest = rest[at...]
        }
        return String(decoding: shown + rest, as: UTF8.self)
    }

    /// Returns whether the byte ends the authority of a URL.
    ///
    /// A quotation mark may be a part of the password.
    private static func endsAuthority(_ byte: UInt8) -> Bool { byte <= 0x20 || "/?#".utf8.contains(byte) }
}
