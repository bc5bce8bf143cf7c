/// Whether an SVG file is a picture and nothing more. Within a page a browser runs no script of a picture; but the file
/// can be opened by itself, and would then act in the name of the site that the gallery lies on.
///
/// Nothing is parsed, so that no browser can see a structure that isn't seen here. Whatever looks like something active
/// counts as that, in a comment or a text too.
struct SVGCheck {
    /// With references replaced and letters in lower case.
    private let text: [UInt8]

    /// Nil if the file may read differently in a browser.
    private init?(_ bytes: [UInt8]) {
        // UTF-16 and UTF-32 have zeros in them.
        guard !bytes.contains(0), Self.hasPlainEncoding(bytes), let text = Self.withoutReferences(bytes) else {
            return nil
        }
        self.text = text.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
    }

    static func isPassive(_ bytes: [UInt8]) -> Bool {
        guard let check = SVGCheck(bytes) else { return false }
        return check.hasPassiveElements && !check.hasHandlers && check.hasPassiveLinks
    }

    private static let activeElements: Set<String> = [
        "script", "foreignobject", "handler", "listener", "iframe", "frame", "object", "embed", "meta", "base", "link",
        "form", "template",
    ]

    /// They bring another document's elements into this one, or can make another element do so.
    private static let bringingElements: Set<String> = ["use", "set", "animate"]

    /// What follows each `<`, without a namespace's prefix.
    private var elements: some Sequence<String> {
        text.split(separator: UInt8(ascii: "<")).lazy.map { tag in
            let name = tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
            return String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        }
    }

    /// Declarations could make references or attributes, and a processing instruction a whole document.
    private var hasPassiveElements: Bool {
        elements.allSatisfy { name in
            switch name.utf8.first {
            case UInt8(ascii: "!"): ["!--", "![cdata[", "!doctype"].contains { name.hasPrefix($0) }
            case UInt8(ascii: "?"): name == "?xml"
            default: !Self.activeElements.contains(name)
            }
        }
    }

    /// A name before `=` that begins with `on`.
    private var hasHandlers: Bool {
        text.split(separator: UInt8(ascii: "=")).contains { piece in
            let name = piece.reversed().drop { $0 <= 0x20 }.prefix { $0 > 0x20 && !"\"'/".utf8.contains($0) }
            return name.count > 2 && name.reversed().starts(with: "on".utf8)
        }
    }

    private var hasPassiveLinks: Bool {
        let text = self.text.filter { $0 > 0x20 }
        if text.contains("script:".utf8) { return false }
        guard elements.contains(where: Self.bringingElements.contains) else { return true }
        return text.ranges(of: "data:".utf8).allSatisfy { range in
            ["png", "jpeg", "jpg", "gif", "webp"].contains { type in
                text[range.upperBound...].starts(with: "image/\(type)".utf8)
            }
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

    /// Nil if there is a reference that isn't known: a document type of XHTML's has a browser know others, such as a
    /// colon.
    private static func withoutReferences(_ bytes: [UInt8]) -> [UInt8]? {
        var pieces = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)[...]
        var text = Array(pieces.removeFirst())
        for piece in pieces {
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
        // A number may have a sign in Swift.
        guard !digits.hasPrefix("+") else { return nil }
        return UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
}
