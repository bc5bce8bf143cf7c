/// The bytes before a document that are not part of it: blank lines, which scripts write although they are forbidden,
/// and byte order marks, one for each file that a script joined.
package enum LeadingBytes {
    /// Returns the index at which the document begins.
    package static func end(in bytes: [UInt8]) -> Int {
        var index = 0
        while index < bytes.count {
            if isWhitespace(bytes[index]) {
                index += 1
            } else if bytes[index...].starts(with: [0xEF, 0xBB, 0xBF]) {
                index += 3
            } else {
                break
            }
        }
        return index
    }

    /// Whether the document begins like HTML or XML.
    package static func areBeforeMarkup(in bytes: [UInt8]) -> Bool {
        isWideMarkup(bytes) || bytes[end(in: bytes)...].first == UInt8(ascii: "<")
    }

    /// The same for UTF-16 with a byte order mark or, as an XML declaration allows, without it.
    package static func isWideMarkup(_ bytes: [UInt8]) -> Bool {
        [[0xFE, 0xFF, 0, 0x3C], [0xFF, 0xFE, 0x3C, 0], [0, 0x3C, 0, 0x3F], [0x3C, 0, 0x3F, 0]].contains {
            bytes.starts(with: $0)
        }
    }

    package static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
