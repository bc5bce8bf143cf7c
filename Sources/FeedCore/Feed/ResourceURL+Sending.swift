extension ResourceURL {
    /// The URL as its server is asked for it. Strict servers refuse the characters that browsers percent-encode (the URL
    /// standard, "path" and "query percent-encode set"). The host is ASCII by now.
    package var textToSend: String {
        guard needsEncoding, let authority else { return text }
        var sent: [UInt8] = []
        var isInQuery = false
        for (index, byte) in text.utf8.enumerated() {
            // A fragment is not sent.
            if byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "?") { isInQuery = true }
            let isEncoded = index >= authority.end && Self.isEncoded(byte, inQuery: isInQuery)
            PercentEncoding.append(byte, to: &sent, isEncoded: isEncoded)
        }
        return String(decoding: sent, as: UTF8.self)
    }

    /// One look, as each image's URL is sent, and most are plain.
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
