/// What the web reads U+0080 to U+009F as, as nobody means these control characters: `&#146;`, and text in windows-1252
/// that is declared as ISO-8859-1 (the HTML standard, "numeric character reference end state").
enum Windows1252 {
    private static let characters: [String?] = [
        "€", nil, "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", nil, "Ž", nil,
        nil, "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", nil, "ž", "Ÿ",
    ]

    /// Nil if the text, which is UTF-8, has none of them at `index`.
    static func character(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> String.UTF8View? {
        guard text[index] == 0xC2, index + 1 < text.count, (0x80...0x9F).contains(text[index + 1]) else { return nil }
        return characters[Int(text[index + 1]) - 0x80]?.utf8
    }
}
