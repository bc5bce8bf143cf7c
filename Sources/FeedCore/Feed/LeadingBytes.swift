/// What stands before a document and is no part of it: blank lines, as scripts leave them, forbidden and frequent, and
/// byte order marks, one for each file that a script was put together from.
package enum LeadingBytes {
    /// Where the document begins, and whether a mark says that it is UTF-8.
    package static func end(in bytes: [UInt8]) -> (end: Int, isMarked: Bool) {
        var index = 0
        var isMarked = false
        while index < bytes.count {
            if isWhitespace(bytes[index]) {
                index += 1
            } else if bytes[index...].starts(with: [0xEF, 0xBB, 0xBF]) {
                index += 3
                isMarked = true
            } else {
                break
            }
        }
        return (index, isMarked)
    }

    /// The same of one that a mark says is UTF-16; nil of any other.
    package static func wideEnd(in bytes: [UInt8]) -> (end: Int, isBig: Bool)? {
        let isBig = bytes.starts(with: [0xFE, 0xFF])
        guard isBig || bytes.starts(with: [0xFF, 0xFE]) else { return nil }
        var index = 2
        while index + 1 < bytes.count {
            let (high, low) = isBig ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
            guard (high == 0 && isWhitespace(low)) || (high == 0xFE && low == 0xFF) else { break }
            index += 2
        }
        return (index, isBig)
    }

    /// Whether the document begins as HTML, XML and their like do.
    package static func areBeforeMarkup(in bytes: [UInt8]) -> Bool {
        areBeforeWideMarkup(in: bytes) || bytes[end(in: bytes).end...].first == UInt8(ascii: "<")
    }

    /// The same in UTF-16, with a byte order mark or, as an XML declaration allows, without.
    package static func areBeforeWideMarkup(in bytes: [UInt8]) -> Bool {
        if let (end, isBig) = wideEnd(in: bytes) { return bytes[end...].starts(with: isBig ? [0, 0x3C] : [0x3C, 0]) }
        return bytes.starts(with: [0, 0x3C, 0, 0x3F]) || bytes.starts(with: [0x3C, 0, 0x3F, 0])
    }

    package static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
