extension LibXML {
    /// The text with characters in place of their references, such as `&amp;` and `&#8217;`. Nil where one is not whole or
    /// not known: HTML has rules of its own for such.
    static func decodingReferences(in text: String) -> String? {
        var decoded = ""
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            let reference = rest[start...].dropFirst()
            guard let end = reference.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = character(of: Substring(reference[..<end]))
            else { return nil }
            decoded += Substring(rest[..<start])
            decoded += character
            rest = rest[end...].dropFirst()
        }
        return decoded + Substring(rest)
    }

    private static func character(of reference: Substring) -> String? {
        guard reference.first == "#" else { return character(named: String(reference)) }
        let isHex = reference.dropFirst().first.map { $0 == "x" || $0 == "X" } == true
        let number = isHex ? UInt32(reference.dropFirst(2), radix: 16) : UInt32(reference.dropFirst())
        return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }.map { String($0) }
    }
}
