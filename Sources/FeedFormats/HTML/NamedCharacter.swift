/// A reference to a character by its name, which browsers read so (the HTML standard, "named character reference state").
/// libxml2 knows the names of 1999, and all of them with a semicolon alone.
struct NamedCharacter {
    /// Where it ends.
    let end: Int
    /// What is meant, by number: the characters themselves might end a value or begin a tag.
    let text: String

    /// Nil where there is no reference. `isInValue`: in that of an attribute, which may be a URL whose query looks like one.
    init?(in bytes: Span<UInt8>, at start: Int, isInValue: Bool) {
        let first = start + 1
        var end = first
        while end < bytes.count, end - first < CharacterNames.longest, Self.isPart(bytes[end]) { end += 1 }
        if end < bytes.count, bytes[end] == UInt8(ascii: ";"),
            let meant = CharacterNames.all[Self.name(bytes, first..<end)]
        {
            self.init(end: end + 1, meaning: meant)
            return
        }
        // The longest that there is: "&notin" is "&not" and "in".
        while end > first, !CharacterNames.withoutSemicolon.contains(Self.name(bytes, first..<end)) { end -= 1 }
        guard end > first, let meant = CharacterNames.all[Self.name(bytes, first..<end)] else { return nil }
        let goesOn = end < bytes.count && (bytes[end] == UInt8(ascii: "=") || Self.isPart(bytes[end]))
        if isInValue, goesOn { return nil }
        self.init(end: end, meaning: meant)
    }

    private init(end: Int, meaning characters: String) {
        self.end = end
        text = characters.unicodeScalars.reduce(into: "") { $0 += "&#\($1.value);" }
    }

    private static func name(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }
}
