/// Whether a text is an XML document whose root element is `svg`. An HTML page with an `svg` somewhere in it is none.
struct SVGSignature {
    static func matches(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        var scanner = SVGSignature(rest: asciiOf(bytes)[...])
        return scanner.findsRoot()
    }

    private var rest: ArraySlice<UInt8>

    /// All that matters here is ASCII, so that of UTF-16 the rest may become anything.
    private static func asciiOf(_ bytes: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else {
            return Array(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes)
        }
        let units = bytes.dropFirst(2)
        return stride(from: units.startIndex, to: units.endIndex - 1, by: 2).map { index in
            let (high, low) = isBigEndian ? (units[index], units[index + 1]) : (units[index + 1], units[index])
            return high == 0 && low < 0x80 ? low : 0xFF
        }
    }

    private mutating func findsRoot() -> Bool {
        while true {
            rest = rest.drop(while: Self.isWhitespace)
            if skip("<?") {
                guard skip(through: "?>") else { return false }
            } else if skip("<!--") {
                guard skip(through: "-->") else { return false }
            } else if skip("<!DOCTYPE") {
                guard skipDoctype() else { return false }
            } else {
                return skip("<") && skipsSVGName()
            }
        }
    }

    /// A document type names the root element. Its internal subset may hold quotes, comments and brackets.
    private mutating func skipDoctype() -> Bool {
        guard let space = rest.first, Self.isWhitespace(space) else { return false }
        rest = rest.drop(while: Self.isWhitespace)
        guard skipsSVGName() else { return false }
        var isInSubset = false
        while let byte = rest.first {
            if skip("<!--") {
                guard skip(through: "-->") else { return false }
                continue
            }
            if isInSubset, skip("<?") {
                guard skip(through: "?>") else { return false }
                continue
            }
            rest = rest.dropFirst()
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): rest = rest.drop { $0 != byte }.dropFirst()
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">") where !isInSubset: return true
            default: break
            }
        }
        return false
    }

    /// `svg`, with or without a namespace's prefix, and then the end of the name.
    private mutating func skipsSVGName() -> Bool {
        let name = rest.prefix { !Self.isWhitespace($0) && !"/>[".utf8.contains($0) }
        guard name.endIndex < rest.endIndex else { return false }
        rest = rest[name.endIndex...]
        let pieces = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let local = pieces.last, pieces.count <= 2, pieces.allSatisfy({ !$0.isEmpty }) else { return false }
        return local.elementsEqual("svg".utf8)
    }

    private mutating func skip(_ literal: String) -> Bool {
        guard rest.starts(with: literal.utf8) else { return false }
        rest = rest.dropFirst(literal.utf8.count)
        return true
    }

    private mutating func skip(through end: String) -> Bool {
        while !rest.isEmpty {
            if skip(end) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
