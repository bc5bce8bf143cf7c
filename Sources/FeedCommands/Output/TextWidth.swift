/// How many columns of a terminal a text takes. The locale is not asked: under LANG=C it would know ASCII alone.
enum TextWidth {
    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// As much of the text as fits, with `..` for the rest.
    static func cut(_ text: String, to limit: Int) -> String {
        if columns(text) <= limit { return text }
        let mark = limit >= 3 ? ".." : ""
        var width = mark.count
        var kept = ""
        for character in text {
            width += columns(character)
            if width > limit { break }
            kept.append(character)
        }
        return kept + mark
    }

    /// Of what is drawn in one place: a letter with its accents, an emoji of several parts.
    static func columns(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        // A letter or symbol that is asked to be drawn as a picture.
        if scalars.count > 1, scalars.contains("\u{FE0F}") { return 2 }
        return scalars.map(columns).max() ?? 0
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        if (0x20...0x7E).contains(scalar.value) { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    /// East Asian Width W and F (Unicode Standard Annex 11), in blocks.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F,  // Hangul
            0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,  // CJK, kana, Yi
            0xA960...0xA97F, 0xAC00...0xD7A3,  // Hangul
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}
