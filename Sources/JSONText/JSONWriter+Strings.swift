extension JSONWriter {
    /// Quotes text from elsewhere for a message. Control characters are escaped, so that none reaches a terminal, and the
    /// text is cut after `limit` characters.
    package static func quote(_ text: String, limit: Int) -> String {
        let shown = text.unicodeScalars.prefix(limit)
        var bytes: [UInt8] = []
        append(String(shown), to: &bytes)
        if shown.endIndex < text.unicodeScalars.endIndex {
            bytes.removeLast()
            bytes += "…\"".utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { utf8 in
            let plain = lengthOfPlainBeginning(utf8)
            if plain == utf8.count { return appendQuoted(utf8, to: &bytes) }
            bytes.append(UInt8(ascii: "\""))
            appendEscaped(utf8, plainUpTo: plain, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
    }

    /// For a text that needs no escapes, as most texts are.
    static func appendQuoted(_ plain: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes += plain
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscaped(
        _ utf8: UnsafeBufferPointer<UInt8>, plainUpTo beginning: Int, to bytes: inout [UInt8]
    ) {
        var plain = 0
        var position = beginning
        while position < utf8.count {
            guard let escaped = scalarToEscape(utf8, at: position) else {
                position += 1
                continue
            }
            bytes += UnsafeBufferPointer(rebasing: utf8[plain..<position])
            bytes += escape(escaped.code).utf8
            position += escaped.length
            plain = position
        }
        bytes += UnsafeBufferPointer(rebasing: utf8[plain...])
    }

    /// The length of the beginning that surely needs no escapes, most often the whole text. It looks at eight bytes at a
    /// time, of which the last eight overlap the ones before, and does not look at a text of fewer bytes.
    private static func lengthOfPlainBeginning(_ utf8: UnsafeBufferPointer<UInt8>) -> Int {
        let text = UnsafeRawBufferPointer(utf8)
        var position = 0
        while position + 8 <= text.count {
            if hasSpecialByte(text.loadUnaligned(fromByteOffset: position, as: UInt64.self)) { return position }
            position += 8
        }
        guard position > 0, position < text.count else { return position }
        let last = text.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self)
        return hasSpecialByte(last) ? position : text.count
    }

    /// Whether one of eight bytes is a quote, a backslash, or outside of 0x20 to 0x7E.
    private static func hasSpecialByte(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // The reader stops at all of these but U+007F.
        let deletes = word ^ (ones &* 0x7F)
        return JSONReader.specialBytes(of: word) | (deletes &- ones) & ~deletes & (ones &* 0x80) != 0
    }

    /// JSON wants only the control characters below U+0020 escaped, but a terminal obeys U+007F to U+009F, too, and some
    /// readers take U+2028 and U+2029 for the end of a line.
    private static func scalarToEscape(
        _ utf8: UnsafeBufferPointer<UInt8>, at position: Int
    ) -> (code: UInt16, length: Int)? {
        switch utf8[position] {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: return (UInt16(utf8[position]), 1)
        case 0xC2 where utf8[position + 1] < 0xA0: return (UInt16(utf8[position + 1]), 2)
        case 0xE2 where utf8[position + 1] == 0x80 && utf8[position + 2] & 0xFE == 0xA8:
            return (0x2000 + UInt16(utf8[position + 2] & 0x3F), 3)
        default: return nil
        }
    }

    private static func escape(_ code: UInt16) -> String {
        switch code {
        case 0x22: return "\\\""
        case 0x5C: return "\\\\"
        case 0x08: return "\\b"
        case 0x09: return "\\t"
        case 0x0A: return "\\n"
        case 0x0C: return "\\f"
        case 0x0D: return "\\r"
        default:
            let digits = String(code, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
