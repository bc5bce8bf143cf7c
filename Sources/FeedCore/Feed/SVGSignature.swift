/// Decides whether a text is an XML document whose root element is `svg`. An HTML page that contains an `svg` is not an
/// image.
struct SVGSignature {
    static func matches(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        var scanner = SVGSignature(rest: Array(bytes)[...])
        return scanner.findsRoot()
    }

    private var rest: ArraySlice<UInt8>

    private mutating func findsRoot() -> Bool {
        _ = skip("\u{FEFF}")
        while true {
            rest = rest.drop(while: LeadingBytes.isWhitespace)
            if skip("<?") {
                guard skip(through: "?>") else { return false }
            } else if skip("<!--") {
                guard skip(through: "-->") else { return false }
            } else if skip("<!DOCTYPE svg") {
                guard skipDocumentType() else { return false }
            } else {
                return skip("<") && isAtName
            }
        }
    }

    /// Skips a document type. Drawing programs declare namespaces in brackets within it.
    private mutating func skipDocumentType() -> Bool {
        rest = rest.drop { !"[>".utf8.contains($0) }
        if rest.first == UInt8(ascii: "["), !skip(through: "]") { return false }
        return skip(through: ">")
    }

    /// Whether the full name of the root, which may have a namespace prefix, begins here.
    private var isAtName: Bool {
        let name = rest.prefix { !LeadingBytes.isWhitespace($0) && !"/>".utf8.contains($0) }
        return name.count < rest.count && (name.elementsEqual("svg".utf8) || name.suffix(4).elementsEqual(":svg".utf8))
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
}
