/// Text with folded white space: each run of it becomes one space, and both ends are trimmed.
struct FoldedText {
    private var bytes: [UInt8] = []
    private var spaceIsDue = false
    /// The number of bytes after which further text is dropped.
    private let longest: Int

    init(longest: Int = .max) { self.longest = longest }

    /// The folded text; nil if it is only white space.
    var text: String? { bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }

    static func fold(_ text: String) -> String? {
        var folded = FoldedText()
        var text = text
        text.withUTF8 { folded.add($0) }
        return folded.text
    }

    mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < text.count, bytes.count < longest {
            if let character = Self.windows1252(text, index) {
                append(character)
                index += 2
                continue
            }
            if let width = Self.whitespace(text, index) {
                separate()
                index += width
                continue
            }
            let end = Self.endOfPlain(text, index)
            append(UnsafeBufferPointer(rebasing: text[index..<end]))
            index = end
        }
    }

    /// Returns where the run of characters that are surely printable ASCII ends.
    private static func endOfPlain(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] > 0x20, text[end] < 0x7F { end += 1 }
        return end
    }

    private mutating func append(_ plain: some Collection<UInt8>) {
        if spaceIsDue { bytes.append(0x20) }
        spaceIsDue = false
        bytes += plain
    }

    mutating func separate() { spaceIsDue = !bytes.isEmpty }

    /// Separates words at a tag, except at inline tags, which may occur inside a word.
    mutating func separate(at tag: String) {
        if !spaceIsDue, bytes.count < longest, !Self.inline.contains(tag) { separate() }
    }

    private static let inline: Set<String> = [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
        "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
        "var", "wbr",
    ]

    /// Returns the windows-1252 character that a control character from U+0080 to U+009F means, or nil.
    ///
    /// Browsers read `&#146;`, and windows-1252 that is declared as ISO-8859-1, in this way.
    private static func windows1252(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> [UInt8]? {
        guard text[index] == 0xC2, index + 1 < text.count, (0x80...0x9F).contains(text[index + 1]) else { return nil }
        let character = windows1252[Int(text[index + 1]) - 0x80]
        return character == TextDecoder.replacement ? nil : character
    }

    private static let windows1252: [[UInt8]] =
        TextDecoder("CP1252")?.singleBytes() ?? Array(repeating: TextDecoder.replacement, count: 0x20)

    /// Returns the length of the white space here in bytes; nil for other text.
    ///
    /// Control characters count as white space.
    private static func whitespace(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        switch text[index] {
        case 0...0x20, 0x7F: 1
        // These are U+0080 to U+00A0: control characters and the no-break space.
        case 0xC2 where index + 1 < text.count && text[index + 1] <= 0xA0: 2
        // These are U+2000 to U+200A, U+2028, U+2029 and U+3000. U+200B has zero width and shows no space.
        case 0xE2 where index + 2 < text.count && text[index + 1] == 0x80 && isSpace(text[index + 2]): 3
        case 0xE3 where index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] == 0x80: 3
        default: nil
        }
    }

    private static func isSpace(_ last: UInt8) -> Bool { last <= 0x8A || last == 0xA8 || last == 0xA9 }
}
