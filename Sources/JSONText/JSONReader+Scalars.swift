extension JSONReader {
    /// Reads the string whose opening quote is next, of at most `longest` bytes.
    ///
    /// It scans plain text eight bytes at a time and decodes only escapes.
    mutating func scanString(longest: Int = .max) throws(JSONError) -> String {
        let quote = position
        position += 1
        let start = position
        try skipPlain()
        if next == UInt8(ascii: "\"") {
            let text = start..<position
            try checkLength(text.count, longest, at: quote)
            position += 1
            return bytes.withUnsafeBufferPointer { String(decoding: $0[text], as: UTF8.self) }
        }
        var decoded: [UInt8] = []
        var plain = start
        while next != UInt8(ascii: "\"") {
            try checkLength(decoded.count + position - plain, longest, at: quote)
            decoded += bytes[plain..<position]
            let scalar = try scanEscape()
            decoded += Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter
            plain = position
            try skipPlain()
        }
        try checkLength(decoded.count + position - plain, longest, at: quote)
        decoded += bytes[plain..<position]
        position += 1
        return String(decoding: decoded, as: UTF8.self)
    }

    private func checkLength(_ length: Int, _ longest: Int, at start: Int) throws(JSONError) {
        guard length <= longest else { throw mismatch("longer than \(longest) bytes", at: start) }
    }

    mutating func skipString() throws(JSONError) {
        position += 1
        try skipPlain()
        while next != UInt8(ascii: "\"") {
            _ = try scanEscape()
            try skipPlain()
        }
        position += 1
    }

    /// Moves to the next quote or backslash.
    private mutating func skipPlain() throws(JSONError) {
        while true {
            position = endOfPlainASCII()
            guard position < bytes.count else { throw expected("'\"'") }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            guard byte >= 0x80 else { throw malformed("expected no control character in a string") }
            try skipMultiByteScalar(byte)
        }
    }

    private func endOfPlainASCII() -> Int {
        let span = bytes.span
        var offset = position
        while offset + 8 <= span.count {
            let word = UInt64(littleEndian: span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let special = Self.specialBytes(of: word)
            if special != 0 { return offset + special.trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < span.count {
            let byte = span[offset]
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            offset += 1
        }
        return offset
    }

    /// Returns a word whose lowest set bit is the top bit of the first quote, backslash, control character or non-ASCII
    /// byte. (`x - 0x01…` borrows into the top bit of a byte that is zero; the bits above the first hit may be wrong.)
    private static func specialBytes(of word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let hits =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | ((word &- ones &* 0x20) & ~word)
            | word
        return hits & (ones &* 0x80)
    }

    /// Skips a character of several bytes by the Unicode standard's table 3-7, which excludes overlong forms,
    /// surrogates, and values past U+10FFFF.
    private mutating func skipMultiByteScalar(_ lead: UInt8) throws(JSONError) {
        let second: ClosedRange<UInt8>
        let length: Int
        switch lead {
        case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
        case 0xE0: (second, length) = (0xA0...0xBF, 3)
        case 0xED: (second, length) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
        case 0xF0: (second, length) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
        case 0xF4: (second, length) = (0x80...0x8F, 4)
        default: throw expected("UTF-8")
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]),
            (2..<length).allSatisfy({ bytes[position + $0] & 0b1100_0000 == 0b1000_0000 })
        else { throw expected("UTF-8") }
        position += length
    }

    /// Reads the escape here, and returns its scalar.
    private mutating func scanEscape() throws(JSONError) -> Unicode.Scalar {
        position += 1
        let letter = next
        if letter == UInt8(ascii: "u") { return try scanUnicodeEscape() }
        guard let scalar = Self.shortEscape(letter) else {
            throw expected("one of \"\\/bfnrtu after a backslash")
        }
        position += 1
        return scalar
    }

    private static func shortEscape(_ letter: UInt8) -> Unicode.Scalar? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(letter)
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: nil
        }
    }

    /// Reads a \u escape.
    ///
    /// A scalar past U+FFFF has two escapes, and programs that cut a text inside an emoji leave only one of them.
    private mutating func scanUnicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try scanHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let half: Unicode.Scalar = "\u{FFFD}"
        guard first < 0xDC00, next == UInt8(ascii: "\\"), position + 1 < bytes.count,
            bytes[position + 1] == UInt8(ascii: "u")
        else { return half }
        let end = position
        position += 1
        let second = try scanHexDigits()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else {
            // The second escape is a character of its own.
            position = end
            return half
        }
        return scalar
    }

    /// Reads the four digits after the `u` here.
    private mutating func scanHexDigits() throws(JSONError) -> UInt32 {
        position += 1
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch next {
            case 0x30...0x39: digit = next - 0x30
            case 0x41...0x46: digit = next - 0x41 + 10
            case 0x61...0x66: digit = next - 0x61 + 10
            default: throw expected("four hex digits after \\u")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}

extension JSONReader {
    mutating func skipWord(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[offset] else { throw expected("'\(word)'") }
            position += 1
        }
    }

    mutating func skipNumber() throws(JSONError) {
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") {
            position += 1
            guard !isDigit(next) else { throw malformed("a number must not begin with 0") }
        } else {
            try skipDigits()
        }
        if next == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONError) {
        guard isDigit(next) else { throw expected("a digit") }
        while isDigit(next) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
