/// The opening tags of an XML document, one after another. It refuses what would need a whole parser to be sure of:
/// entities other than XML's own, processing instructions, encodings in which ASCII is something else.
struct SVGTags {
    struct Tag {
        /// In lower case, without a namespace's prefix.
        let name: String
        let attributes: [(name: String, value: String)]
    }

    private let bytes: [UInt8]
    private var position = 0
    private(set) var isWellFormed = true
    /// There is one at most, and before the root.
    private var mayHaveDoctype = true

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        // UTF-16 and UTF-32 have zeros, or marks that UTF-8 hasn't.
        if bytes.prefix(64).contains(0) || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            isWellFormed = false
        } else if skip("<?xml ") {
            isWellFormed = skipDeclaration()
        }
    }

    mutating func next() -> Tag? {
        while isWellFormed, let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = open
            if skip("<!--") {
                isWellFormed = skip(through: "-->")
            } else if skip("<![CDATA[") {
                isWellFormed = skip(through: "]]>")
            } else if skip("</") {
                isWellFormed = skipEndTag()
            } else if mayHaveDoctype, skip("<!DOCTYPE") {
                mayHaveDoctype = false
                isWellFormed = skipDoctype()
            } else if bytes[position...].starts(with: "<!".utf8) || bytes[position...].starts(with: "<?".utf8) {
                isWellFormed = false
            } else {
                position += 1
                mayHaveDoctype = false
                return readTag()
            }
        }
        return nil
    }

    private static let plainEncodings: Set<String> = ["utf-8", "us-ascii", "ascii", "iso-8859-1", "windows-1252"]

    private mutating func skipDeclaration() -> Bool {
        let start = position
        guard skip(through: "?>") else { return false }
        let text = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
        guard let name = text.firstRange(of: "encoding") else { return true }
        let value = text[name.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return false }
        return Self.plainEncodings.contains(String(value.dropFirst().prefix { $0 != quote }))
    }

    /// To the letter, so that a browser sees its end where it is seen here. What recognises an SVG file also passes by a
    /// subset of declarations, which is refused here: it can make entities.
    private mutating func skipDoctype() -> Bool {
        guard skipWhitespace(), !readName().isEmpty else { return false }
        guard skipWhitespace() else { return skip(">") }
        if skip("SYSTEM") {
            guard skipWhitespace(), skipLiteral() else { return false }
        } else if skip("PUBLIC") {
            guard skipWhitespace(), skipLiteral(), skipWhitespace(), skipLiteral() else { return false }
        }
        skipWhitespace()
        return skip(">")
    }

    private mutating func skipEndTag() -> Bool {
        guard !readName().isEmpty else { return false }
        skipWhitespace()
        return skip(">")
    }

    private mutating func readTag() -> Tag? {
        let name = readName()
        var attributes: [(name: String, value: String)] = []
        while isWellFormed {
            skipWhitespace()
            if skip(">") || skip("/>") { return Tag(name: name, attributes: attributes) }
            let attribute = readName()
            skipWhitespace()
            guard !attribute.isEmpty, skip("="), let value = readValue() else { break }
            attributes.append((attribute, value))
        }
        isWellFormed = false
        return nil
    }

    private mutating func readName() -> String {
        let name = bytes[position...].prefix { !Self.isWhitespace($0) && !"=/><\"'".utf8.contains($0) }
        position = name.endIndex
        let local = name.split(separator: UInt8(ascii: ":")).last ?? []
        return String(decoding: local, as: UTF8.self).lowercased()
    }

    private mutating func readValue() -> String? {
        skipWhitespace()
        guard let value = readLiteral(), !value.contains(UInt8(ascii: "<")) else { return nil }
        return XMLReferences.decode(value)
    }

    private mutating func skipLiteral() -> Bool { readLiteral() != nil }

    /// What stands between quotes.
    private mutating func readLiteral() -> ArraySlice<UInt8>? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
        else { return nil }
        let rest = bytes[(position + 1)...]
        guard let end = rest.firstIndex(of: bytes[position]) else { return nil }
        position = end + 1
        return rest[..<end]
    }

    /// False if there is none.
    @discardableResult
    private mutating func skipWhitespace() -> Bool {
        let start = position
        while position < bytes.count, Self.isWhitespace(bytes[position]) { position += 1 }
        return position > start
    }

    private mutating func skip(_ literal: String) -> Bool {
        guard bytes[position...].starts(with: literal.utf8) else { return false }
        position += literal.utf8.count
        return true
    }

    private mutating func skip(through end: String) -> Bool {
        while position < bytes.count {
            if skip(end) { return true }
            position += 1
        }
        return false
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
