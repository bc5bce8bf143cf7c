/// Builds the bytes of a page.
///
/// Text from a feed goes through `text` or `attribute`, which escape it.
struct HTMLWriter {
    private(set) var bytes: [UInt8] = []

    /// Writes markup that feedsync itself made.
    mutating func raw(_ markup: String) { bytes += markup.utf8 }

    mutating func raw(_ markup: some Collection<UInt8>) { bytes += markup }

    /// The maximum number of characters of one text.
    ///
    /// The rest would only make the page heavy.
    static let maxTextLength = 4000

    mutating func text(_ text: String, limit: Int = maxTextLength) {
        write(text, limit: limit) { scalar in
            switch scalar {
            case "<": "&lt;"
            case ">": "&gt;"
            case "&": "&amp;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: Self.replacement(for: scalar)
            }
        }
    }

    /// Returns a text without the characters that are forbidden in text.
    static func plain(_ text: String, limit: Int = maxTextLength) -> String {
        var plain = HTMLWriter()
        plain.write(text, limit: limit, substitute: replacement)
        return String(decoding: plain.bytes, as: UTF8.self)
    }

    mutating func attribute(_ name: String, _ value: String, limit: Int = maxTextLength) {
        bytes += " \(name)=\"".utf8
        text(value, limit: limit)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a URL as an attribute.
    ///
    /// Characters that are forbidden in text are percent-encoded: replacing them would make another URL.
    mutating func link(_ name: String, _ url: String) {
        var encoded = HTMLWriter()
        encoded.write(url, limit: .max) { scalar in
            guard Self.replacement(for: scalar) != nil else { return nil }
            return String(scalar).utf8.map { "%\(Self.hex[Int($0 >> 4)])\(Self.hex[Int($0 & 15)])" }.joined()
        }
        attribute(name, String(decoding: encoded.bytes, as: UTF8.self), limit: .max)
    }

    private static let hex = Array("0123456789ABCDEF")

    /// Writes a text.
    ///
    /// Characters for which `substitute` returns nil are copied, a whole run of them at a time.
    private mutating func write(_ text: String, limit: Int, substitute: (Unicode.Scalar) -> String?) {
        let scalars = text.unicodeScalars
        var text = text
        text.withUTF8 { utf8 in
            var (runStart, end, count) = (0, 0, 0)
            for scalar in scalars {
                if count == limit {
                    bytes += utf8[runStart..<end]
                    bytes += "…".utf8
                    return
                }
                count += 1
                let next = end + UTF8.width(scalar)
                if let replacement = substitute(scalar) {
                    bytes += utf8[runStart..<end]
                    bytes += replacement.utf8
                    runStart = next
                }
                end = next
            }
            bytes += utf8[runStart...]
        }
    }

    /// Returns the text, or nil for a text in which every character is invisible.
    static func visible(_ text: String?) -> String? {
        let isVisible = text?.unicodeScalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
                && replacement(for: scalar) == nil
        }
        return isVisible == true ? text : nil
    }

    /// Returns what replaces a character that is forbidden in text; nil for any other.
    ///
    /// Marks of text direction are dropped, because they could reorder the words around them: with the style sheet,
    /// each text finds its own direction.
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

    /// Returns a number with its noun, such as `1 image` or `12,345 images`.
    static func count(_ number: Int, _ noun: String) -> String { "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")" }

    /// Returns a number with its digits in groups of three, such as `12,345`.
    static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
        return String(digits)
    }
}
