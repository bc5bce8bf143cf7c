/// The text of an element, with the elements in it written as HTML.
struct GatheredText {
    private static let piece = 1 << 16

    private(set) var text = ""
    private(set) var isCut = false
    /// The most bytes that are kept.
    let longest: Int
    private var open: [String] = []

    /// A text in another encoding may be far longer in UTF-8 than in its document. Plain text is a title or a name.
    init(isMarkup: Bool) { longest = isMarkup ? 64 << 20 : 1 << 20 }

    /// Adds text of the element itself, which may be escaped HTML and stays as it is, or text of an element in it, which is
    /// plain and is escaped.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        if open.isEmpty { add(text) } else { appendEscaped(text) }
    }

    /// `source` replaces the value of `src`.
    mutating func begin(_ element: XMLElement, source: String? = nil) {
        add("<\(element.name.local)")
        for (name, value) in element.plainAttributes {
            add(" \(name)=\"")
            var value = name == "src" ? source ?? value : value
            value.withUTF8 { appendEscaped($0) }
            add("\"")
        }
        add(">")
        open.append(element.name.local)
    }

    mutating func end() {
        if let name = open.popLast(), !Self.empty.contains(name) { add("</\(name)>") }
    }

    /// HTML has no end tags for these.
    private static let empty: Set<String> = [
        "img", "br", "hr", "source", "input", "link", "meta", "wbr", "col", "area",
    ]

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var plain = 0
        for (index, byte) in text.enumerated() {
            guard let escaped = Self.escaped(byte) else { continue }
            add(UnsafeBufferPointer(rebasing: text[plain..<index]))
            add(escaped)
            plain = index + 1
        }
        add(UnsafeBufferPointer(rebasing: text[plain...]))
    }

    private static func escaped(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        default: nil
        }
    }

    /// Copies piece by piece: the text of a CDATA section comes as a whole.
    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes[...]
        while !rest.isEmpty {
            var end = rest.prefix(Self.piece).endIndex
            // A character ends where no byte follows that goes on with it.
            while end < rest.endIndex, rest[end] & 0b1100_0000 == 0b1000_0000 { end += 1 }
            add(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[end...]
        }
    }

    private mutating func add(_ more: String) {
        if text.utf8.count + more.utf8.count <= longest, !isCut { text += more } else { isCut = true }
    }
}
