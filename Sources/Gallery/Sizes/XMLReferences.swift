/// References are the only way left to write something that it doesn't look like. Of those by name only XML's own are
/// known: a document type of XHTML's has a browser know others, such as a colon. By the bytes: whatever stands beside
/// it, an ampersand begins a reference.
enum XMLReferences {
    /// Nil if it holds a reference that isn't known.
    static func decode(_ value: ArraySlice<UInt8>) -> String? {
        var pieces = value.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)[...]
        var decoded = Array(pieces.removeFirst())
        for piece in pieces {
            guard let end = piece.firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: piece[..<end], as: UTF8.self))
            else { return nil }
            decoded += String(character).utf8
            decoded += piece[(end + 1)...]
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static let namedCharacters: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]

    private static func character(_ reference: String) -> Unicode.Scalar? {
        guard reference.utf8.first == UInt8(ascii: "#") else { return namedCharacters[reference] }
        let number = Substring(reference.utf8.dropFirst())
        let isHex = number.hasPrefix("x")
        let digits = number.dropFirst(isHex ? 1 : 0)
        // A number may have a sign in Swift.
        guard let first = digits.utf8.first, first >= UInt8(ascii: "0") else { return nil }
        return UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
}
