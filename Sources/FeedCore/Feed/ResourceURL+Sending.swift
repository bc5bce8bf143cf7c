extension ResourceURL {
    /// The URL as it is sent to its server. Strict servers refuse the characters that browsers percent-encode (the
    /// "path" and "query percent-encode set" of the URL standard).
    package var textToSend: String {
        guard needsEncoding, let authority else { return text }
        var sent: [UInt8] = []
        var isInQuery = false
        for (index, byte) in text.utf8.enumerated() {
            // The fragment stays here.
            if byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "?") { isInQuery = true }
            let isEncoded = index >= authority.end && Self.isEncoded(byte, inQuery: isInQuery)
            PercentEncoding.append(byte, to: &sent, isEncoded: isEncoded)
        }
        return String(decoding: sent, as: UTF8.self)
    }

    /// Whether any character needs encoding. One pass answers for most URLs.
    private var needsEncoding: Bool {
        let bytes = text.utf8Span.span
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if Self.isEncoded(byte, inQuery: false) || Self.isEncoded(byte, inQuery: true) { return true }
        }
        return false
    }

    private static func isEncoded(_ byte: UInt8, inQuery: Bool) -> Bool {
        switch byte {
        case 0...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        case UInt8(ascii: "'"): inQuery
        case UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"): !inQuery
        default: false
        }
    }
}
