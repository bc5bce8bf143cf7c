/// HTML as libxml2 knows it, which is that of 1999: what came later it takes for text, or for an element whose end tag is
/// due.
struct HTMLDialect {
    /// These have no end. Each would else hold all that follows it.
    private static let empty = ["wbr", "source", "track", "embed", "keygen", "command"].map { Array($0.utf8) }
    private static let longestName = 32

    private var result: [UInt8] = []
    /// Up to where the given text is in the result.
    private var copied = 0
    private var isInEmptyTag = false
    private var quote: UInt8?

    static func translated(_ html: String) -> String {
        var dialect = HTMLDialect()
        let bytes = html.utf8Span.span
        for index in 0..<bytes.count { dialect.read(bytes, index) }
        guard dialect.copied > 0 else { return html }
        dialect.replace(bytes, bytes.count, bytes.count, with: [])
        return String(decoding: dialect.result, as: UTF8.self)
    }

    private mutating func replace(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, with text: some Sequence<UInt8>) {
        result.reserveCapacity(bytes.count)
        for index in copied..<start { result.append(bytes[index]) }
        result += text
        copied = end
    }

    private mutating func read(_ bytes: Span<UInt8>, _ index: Int) {
        let byte = bytes[index]
        switch byte {
        // It would be the end; whoever folds text takes it for a space.
        case 0: replace(bytes, index, index + 1, with: [0x20])
        case UInt8(ascii: "&"):
            if let (end, scalar) = Self.reference(in: bytes, at: index) {
                replace(bytes, index, end, with: "&#\(scalar.value);".utf8)
            }
        case UInt8(ascii: "<") where quote == nil:
            isInEmptyTag = Self.empty.contains { Self.begins(with: $0, bytes, index + 1) }
        case UInt8(ascii: ">") where quote == nil && isInEmptyTag:
            isInEmptyTag = false
            if bytes[index - 1] != UInt8(ascii: "/") { replace(bytes, index, index, with: " /".utf8) }
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            if quote == byte { quote = nil } else if isInEmptyTag { quote = quote ?? byte }
        default: break
        }
    }

    /// Where it ends, and what it stands for, if only later HTML has it.
    private static func reference(in bytes: Span<UInt8>, at start: Int) -> (end: Int, scalar: Unicode.Scalar)? {
        var end = start + 1
        while end < bytes.count, end - start <= longestName, isNameCharacter(bytes[end]) { end += 1 }
        guard end > start + 1, end < bytes.count, bytes[end] == UInt8(ascii: ";") else { return nil }
        var name = ""
        for index in start + 1..<end { name.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
        return CharacterNames.later[name].map { (end + 1, $0) }
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    /// In small letters or capitals, and nothing more.
    private static func begins(with name: [UInt8], _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        guard start + name.count < bytes.count else { return false }
        for offset in name.indices where bytes[start + offset] | 0x20 != name[offset] { return false }
        let next = bytes[start + name.count]
        return next <= 0x20 || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
    }
}
