/// Percent-encoding in URLs (RFC 3986, section 2.1).
package enum PercentEncoding {
    package static func encodePath(_ path: String) -> String {
        var encoded: [UInt8] = []
        for byte in path.utf8 { append(byte, to: &encoded, isEncoded: !isPlain(byte)) }
        return String(decoding: encoded, as: UTF8.self)
    }

    package static func append(_ byte: UInt8, to encoded: inout [UInt8], isEncoded: Bool) {
        if isEncoded {
            encoded += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
        } else {
            encoded.append(byte)
        }
    }

    /// Returns nil if a `%` lacks two hex digits after it, or if the result is not UTF-8.
    package static func decode(_ text: Substring.UTF8View) -> String? {
        var decoded: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                return nil
            }
            decoded.append(high << 4 | low)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Whether the text contains a control character from %00 to %1F.
    package static func hidesControlCharacter(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.dropLast(2).contains { index in
            bytes[index] == UInt8(ascii: "%") && hexValue(bytes[index + 1]).map { $0 < 2 } == true
                && hexValue(bytes[index + 2]) != nil
        }
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "/-._~!$&'()*+,;=:@".utf8.contains(byte)
        }
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
