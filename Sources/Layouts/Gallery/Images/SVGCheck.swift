/// Decides whether an SVG file is passive: it only draws, and only from what the file itself contains.
///
/// As an image of a page, any SVG file is harmless: the browser neither runs its scripts nor loads other files for it.
/// But a visitor can open the file directly, and the page's policy does not apply there. An active file could then act
/// in the name of the site, or tell another server about the visitor. The gallery therefore shows only passive files.
///
/// The check works on text instead of a parsed document, so that it cannot miss a structure that some browser sees.
/// Anything that looks active counts as active, even in a comment or a text.
struct SVGCheck {
    /// The file in lower case, with its character references replaced.
    private let text: [UInt8]
    /// The text without blanks and quotes.
    private let dense: [UInt8]
    private let bytes: [UInt8]

    /// Returns nil if a browser may read the file differently.
    private init?(_ bytes: [UInt8]) {
        // A zero byte means UTF-16 or UTF-32.
        guard !bytes.contains(0), Self.hasPlainEncoding(bytes), let text = Self.withoutReferences(bytes[...]) else {
            return nil
        }
        self.bytes = bytes
        self.text = text.map(Self.lowercased)
        dense = self.text.filter { $0 > 0x20 && !Self.isQuote($0) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte + 32 : byte
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    static func isPassive(_ bytes: [UInt8]) -> Bool {
        guard let check = SVGCheck(bytes) else { return false }
        return check.hasPassiveElements && !check.hasHandlers && check.hasPassiveLinks && check.loadsNothing
    }

    private static let activeElements: Set<String> = [
        "script", "foreignobject", "handler", "listener", "iframe", "frame", "object", "embed", "meta", "base", "link",
        "form", "template",
    ]

    /// The elements that bring elements of another document into this one, or that can make another element do so.
    private static let referencingElements: Set<String> = ["use", "set", "animate"]

    /// The name after each `<`, without the prefix of a namespace.
    private var elements: some Sequence<String> {
        text[...].pieces(between: "<").lazy.filter { !$0.isEmpty }.map(Self.name)
    }

    private static func name(of tag: some Collection<UInt8>) -> String {
        let name = tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
        return String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
    }

    /// Whether every element, declaration and instruction is passive.
    ///
    /// A declaration can define references and attributes, and a processing instruction can produce a whole document.
    private var hasPassiveElements: Bool {
        elements.allSatisfy { name in
            switch name.utf8.first {
            case UInt8(ascii: "!"): ["!--", "![cdata[", "!doctype"].contains { name.hasPrefix($0) }
            case UInt8(ascii: "?"): name == "?xml"
            default: !Self.activeElements.contains(name)
            }
        }
    }

    /// Whether there is an event handler: a name before `=` that begins with `on`.
    private var hasHandlers: Bool {
        text[...].pieces(between: "=").contains { piece in
            let name = piece.reversed().drop { $0 <= 0x20 }.prefix { $0 > 0x20 && !"\"'/".utf8.contains($0) }
            return name.count > 2 && name.reversed().starts(with: "on".utf8)
        }
    }

    private var hasPassiveLinks: Bool {
        if dense.contains("script:".utf8) { return false }
        guard elements.contains(where: Self.referencingElements.contains) else { return true }
        return dense.ranges(of: "data:".utf8).allSatisfy { range in
            ["png", "jpeg", "jpg", "gif", "webp"].contains { type in
                dense[range.upperBound...].starts(with: "image/\(type)".utf8)
            }
        }
    }

    /// Words that load a file without a reference, or with a reference that a style hides.
    private static let loadingWords = ["@import", "image-set(", "src(", "1999/xhtml", "xml:base", "srcset="]

    /// Whether every reference leads into the file itself.
    ///
    /// Only a link, which a visitor has to click, may lead elsewhere.
    private var loadsNothing: Bool {
        !Self.loadingWords.contains { dense.contains($0.utf8) } && !hasHiddenWords
            && dense.ranges(of: "url(".utf8).allSatisfy { Self.isWithin(dense[$0.upperBound...]) }
            && bytes[...].pieces(between: "<").allSatisfy(Self.loadsNothing)
    }

    /// Returns whether a tag, given with the text behind it, loads nothing.
    ///
    /// A `<` written as a character reference starts text instead of a tag.
    private static func loadsNothing(_ tag: ArraySlice<UInt8>) -> Bool {
        guard let plain = withoutReferences(tag) else { return false }
        let lower = plain.map(lowercased)
        let text = lower.filter { $0 > 0x20 }
        // An animation can change the reference of an element.
        let animations = text.ranges(of: "attributename=".utf8).allSatisfy { range in
            let name = text[range.upperBound...].dropFirst().prefix { !isQuote($0) }
            return !name.contains("href".utf8)
        }
        guard animations, name(of: lower) != "a" else { return animations }
        return text.ranges(of: "href=".utf8).allSatisfy { isWithin(text[$0.upperBound...].drop(while: isQuote)) }
    }

    private static func isWithin(_ reference: ArraySlice<UInt8>) -> Bool {
        reference.first == UInt8(ascii: "#") || reference.starts(with: "data:".utf8)
    }

    /// Whether a style may hide a word: a backslash before a letter or a digit represents another letter.
    private var hasHiddenWords: Bool {
        zip(text, text.dropFirst()).contains { first, second in
            guard first == UInt8(ascii: "\\") else { return false }
            return second >= 0x80 || (0x30...0x39).contains(second) || (0x61...0x7A).contains(second)
        }
    }

    private static func hasPlainEncoding(_ bytes: [UInt8]) -> Bool {
        guard let end = bytes.firstRange(of: "?>".utf8) else { return true }
        let declaration = bytes[..<end.lowerBound].filter { $0 > 0x20 && !"\"'".utf8.contains($0) }
        guard let name = declaration.firstRange(of: "encoding=".utf8) else { return true }
        let encoding = String(decoding: declaration[name.upperBound...], as: UTF8.self).lowercased()
        return ["utf-8", "us-ascii", "ascii", "iso-8859-1", "windows-1252"].contains { encoding.hasPrefix($0) }
    }

    private static let namedCharacters: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]

    /// Replaces the character references.
    ///
    /// Returns nil if a reference is unknown: with a document type of XHTML, a browser knows many more of them, such as
    /// that of a colon.
    private static func withoutReferences(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        var isFirst = true
        for piece in bytes.pieces(between: "&") {
            if isFirst {
                text += piece
                isFirst = false
                continue
            }
            guard let end = piece.firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: piece[..<end], as: UTF8.self))
            else { return nil }
            text += String(character).utf8
            text += piece[(end + 1)...]
        }
        return text
    }

    private static func character(_ reference: String) -> Unicode.Scalar? {
        guard reference.hasPrefix("#") else { return namedCharacters[reference] }
        let isHex = reference.hasPrefix("#x")
        let digits = reference.dropFirst(isHex ? 2 : 1)
        // Swift's initializer accepts a sign, and a browser rejects it.
        guard !digits.hasPrefix("+") else { return nil }
        return UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
}

extension ArraySlice<UInt8> {
    /// Returns the pieces between the separators one at a time, because a large file has too many to hold at once.
    fileprivate func pieces(between separator: Unicode.Scalar) -> some Sequence<ArraySlice<UInt8>> {
        sequence(state: Optional(self)) { rest in
            guard let current = rest else { return nil }
            guard let end = current.firstIndex(of: UInt8(ascii: separator)) else {
                rest = nil
                return current
            }
            rest = current[(end + 1)...]
            return current[..<end]
        }
    }
}
