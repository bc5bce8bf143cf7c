/// A reference to a character by its number, where libxml2 would take the number for the end of the value that it
/// stands in: there is no such character, or no number.
struct NumberedCharacter {
    /// Where it ends, and what is meant.
    let end: Int
    let text: String

    /// Nil where there is no reference, or one that libxml2 reads as browsers do.
    init?(in bytes: Span<UInt8>, at start: Int) {
        guard start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "#") else { return nil }
        guard let (end, value) = Self.number(in: bytes, at: start) else {
            self.end = start + 1
            text = "&amp;"
            return
        }
        guard let scalar = Unicode.Scalar(value) else {
            let pair = Self.pair(value, before: end, in: bytes)
            self.end = pair?.end ?? end
            text = Self.reference(to: pair?.scalar ?? Self.replacement)
            return
        }
        guard !Self.isCharacter(scalar) else { return nil }
        self.end = end
        // Control characters are as good as white space to whoever folds text.
        text = Self.reference(to: (1..<0x20).contains(value) ? " " : Self.replacement)
    }

    /// The character itself might end a value.
    private static func reference(to scalar: Unicode.Scalar) -> String { "&#\(scalar.value);" }

    private static let replacement: Unicode.Scalar = "\u{FFFD}"

    /// As XML has it.
    private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD: true
        case 0..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    /// Nil if there is no digit. With or without a semicolon.
    private static func number(in bytes: Span<UInt8>, at start: Int) -> (end: Int, value: UInt32)? {
        guard start + 2 < bytes.count, bytes[start] == UInt8(ascii: "&"), bytes[start + 1] == UInt8(ascii: "#") else {
            return nil
        }
        let isHexadecimal = bytes[start + 2] | 0x20 == UInt8(ascii: "x")
        let first = isHexadecimal ? start + 3 : start + 2
        var end = first
        var value: UInt32 = 0
        while end < bytes.count, let digit = digit(bytes[end]), isHexadecimal || digit < 10 {
            // Larger than any is large enough.
            value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x110000)
            end += 1
        }
        guard end > first else { return nil }
        return (end < bytes.count && bytes[end] == UInt8(ascii: ";") ? end + 1 : end, value)
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46, 0x61...0x66: UInt32((byte | 0x20) - 0x61) + 10
        default: nil
        }
    }

    /// Programs that count in UTF-16 write one character as two numbers.
    private static func pair(
        _ high: UInt32, before next: Int, in bytes: Span<UInt8>
    ) -> (end: Int, scalar: Unicode.Scalar)? {
        guard (0xD800...0xDBFF).contains(high), let (end, low) = number(in: bytes, at: next),
            (0xDC00...0xDFFF).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)).map { (end, $0) }
    }
}
