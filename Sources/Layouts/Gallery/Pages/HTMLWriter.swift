/// Makes the bytes of a page. A feed's words go through `text` or `attribute`, and stay text.
struct HTMLWriter {
    private(set) var bytes: [UInt8] = []

    /// Markup of our own.
    mutating func raw(_ markup: String) { bytes += markup.utf8 }

    mutating func raw(_ markup: [UInt8]) { bytes += markup }

    /// Nobody reads more than this of one text; it only makes a page heavy.
    static let longestText = 4000

    mutating func text(_ text: String, limit: Int = longestText) {
        var count = 0
        for scalar in text.unicodeScalars {
            count += 1
            if count > limit {
                bytes += "…".utf8
                return
            }
            append(scalar)
        }
    }

    mutating func attribute(_ name: String, _ value: String, limit: Int = longestText) {
        bytes += " \(name)=\"".utf8
        text(value, limit: limit)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a URL. Characters that may not stand in text are encoded, not replaced: it would be another URL without them.
    mutating func link(_ name: String, _ url: String) {
        bytes += " \(name)=\"".utf8
        for scalar in url.unicodeScalars {
            if Self.replacement(for: scalar) == nil {
                append(scalar)
            } else {
                for byte in String(scalar).utf8 {
                    bytes += "%\(Self.hex[Int(byte >> 4)])\(Self.hex[Int(byte & 15)])".utf8
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let hex = Array("0123456789ABCDEF")

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "<": bytes += "&lt;".utf8
        case ">": bytes += "&gt;".utf8
        case "&": bytes += "&amp;".utf8
        case "\"": bytes += "&quot;".utf8
        case "'": bytes += "&#39;".utf8
        default: bytes += Self.replacement(for: scalar)?.utf8 ?? String(scalar).utf8
        }
    }

    /// Nil for a text of which nothing can be seen: it is as good as none.
    static func visible(_ text: String?) -> String? {
        let isVisible = text?.unicodeScalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
                && replacement(for: scalar) == nil
        }
        return isVisible == true ? text : nil
    }

    /// Nil for a character that may stand as it is. Marks of text direction are left out, as they could reorder the words
    /// around them: the style sheet has each text find its own direction.
    private static func replacement(for scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: " "
        case 0x00...0x1F, 0x7F...0x9F: "\u{FFFD}"
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: ""
        case 0xFDD0...0xFDEF: "\u{FFFD}"
        case let code where code & 0xFFFE == 0xFFFE: "\u{FFFD}"
        default: nil
        }
    }

    /// `1 image`, `12,345 images`.
    static func count(_ number: Int, _ what: String) -> String { "\(grouped(number)) \(what)\(number == 1 ? "" : "s")" }

    /// `12,345`.
    static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }
}
