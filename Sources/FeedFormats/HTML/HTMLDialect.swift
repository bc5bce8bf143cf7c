/// HTML as libxml2 knows it, which is that of 1999: what came later it takes for text, or for an element whose end tag is
/// due; what browsers have long agreed upon it reads otherwise.
struct HTMLDialect {
    /// These have no end. Each would else hold all that follows it.
    private static let empty = ["wbr", "source", "track", "embed", "keygen", "command"].map { Array($0.utf8) }
    /// These end at their own end tags, whatever else is in them.
    private static let raw = ["script", "style"].map { Array($0.utf8) }
    /// To browsers, another name of `img`.
    private static let image = Array("image".utf8)
    /// White space in tags, which libxml2 doesn't know as that.
    private static let formFeed: UInt8 = 0x0C
    /// libxml2 compares each attribute of a tag with all before it: a tag of a hundred thousand takes minutes, and so do
    /// many of two thousand.
    private static let mostAttributes = 250

    private enum Place {
        case text
        /// In a tag: its name, what separates attributes, the name of one, and the space behind that.
        case tag, gap, name, named
        /// Behind an equals sign, and in the value.
        case assigned, unquoted
        case quoted(UInt8)
    }

    private var isInTag: Bool {
        if case .text = place { false } else { true }
    }

    /// Whether white space here stands between attributes.
    private var separates: Bool {
        if case .quoted = place { false } else { isInTag }
    }

    private var result: [UInt8] = []
    /// Up to where the given text is in the result.
    private var copied = 0
    private var place = Place.text
    /// Where the name of the tag at hand begins, and where the tag does in the result.
    private var name = 0
    private var tagInResult = 0
    private var attributes = 0

    /// Up to the first tag with more attributes than any should have, or that the end cuts off, if there is one.
    static func translated(_ html: String) -> (text: String, cut: String?) {
        var dialect = HTMLDialect()
        let bytes = html.utf8Span.span
        var index = 0
        while index < bytes.count {
            index = dialect.read(bytes, index)
            guard dialect.attributes <= mostAttributes else {
                return (dialect.untilTag(bytes), "a tag with more than \(mostAttributes) attributes")
            }
        }
        guard !dialect.isInTag else { return (dialect.untilTag(bytes), nil) }
        guard dialect.copied > 0 else { return (html, nil) }
        dialect.replace(bytes, bytes.count, bytes.count, with: [])
        return (String(decoding: dialect.result, as: UTF8.self), nil)
    }

    private mutating func untilTag(_ bytes: Span<UInt8>) -> String {
        if copied < name { replace(bytes, name, name, with: []) }
        return String(decoding: result.prefix(tagInResult), as: UTF8.self)
    }

    private mutating func replace(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, with text: some Sequence<UInt8>) {
        result.reserveCapacity(bytes.count)
        for index in copied..<start { result.append(bytes[index]) }
        result += text
        copied = end
    }

    /// Gives back where to go on.
    private mutating func read(_ bytes: Span<UInt8>, _ index: Int) -> Int {
        let byte = bytes[index]
        // It would be the end; whoever folds text takes it for a space.
        if byte == 0 { replace(bytes, index, index + 1, with: [0x20]) }
        // What was replaced with what stands before it is done with.
        if byte == UInt8(ascii: "&"), index >= copied {
            if let character = NamedCharacter(in: bytes, at: index, isInValue: isInTag) {
                replace(bytes, index, character.end, with: character.text.utf8)
            } else if let character = NumberedCharacter(in: bytes, at: index) {
                replace(bytes, index, character.end, with: character.text.utf8)
            }
        }
        if byte == Self.formFeed, separates { replace(bytes, index, index + 1, with: [0x20]) }
        switch (place, byte) {
        case (.text, UInt8(ascii: "<")): return open(bytes, index)
        case (.text, _): break
        case (.quoted(let quote), _): if byte == quote { place = .gap }
        case (_, UInt8(ascii: ">")): return close(bytes, index)
        case (.assigned, 0...0x20): break
        case (.assigned, UInt8(ascii: "\"")), (.assigned, UInt8(ascii: "'")): place = .quoted(byte)
        case (.assigned, _): place = .unquoted
        case (.name, 0...0x20), (.named, 0...0x20): place = .named
        case (_, 0...0x20): place = .gap
        case (.unquoted, _): break
        case (_, UInt8(ascii: "/")): separate(bytes, index)
        case (.name, UInt8(ascii: "=")), (.named, UInt8(ascii: "=")): place = .assigned
        case (.gap, _), (.named, _):
            place = .name
            attributes += 1
        case (.tag, _), (.name, _): break
        }
        return index + 1
    }

    private mutating func open(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        name = start + 1
        guard name < bytes.count else { return name }
        if Self.isComment(bytes, start) {
            let end = Self.endOfComment(bytes, start + 4)
            replace(bytes, start + 4, end, with: "-->".utf8)
            return end
        }
        if (0x61...0x7A).contains(bytes[name] | 0x20) {
            place = .tag
            attributes = 0
            tagInResult = result.count + start - copied
            if Self.begins(with: Self.image, bytes, name) {
                replace(bytes, name, name + Self.image.count, with: "img".utf8)
            }
        }
        return name
    }

    private mutating func close(_ bytes: Span<UInt8>, _ end: Int) -> Int {
        var isEnded = bytes[end - 1] == UInt8(ascii: "/")
        if case .unquoted = place { isEnded = false }
        place = .text
        guard !isEnded else { return end + 1 }
        if Self.empty.contains(where: { Self.begins(with: $0, bytes, name) }) {
            replace(bytes, end, end, with: " /".utf8)
        } else if let raw = Self.raw.first(where: { Self.begins(with: $0, bytes, name) }) {
            let endTag = Self.endTag(of: raw, bytes, end + 1)
            replace(bytes, end + 1, endTag, with: [])
            return endTag
        }
        return end + 1
    }

    /// A slash does so between attributes, but for the one that ends a tag.
    private mutating func separate(_ bytes: Span<UInt8>, _ index: Int) {
        guard index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: ">") else { return }
        replace(bytes, index, index + 1, with: [0x20])
        place = .gap
    }

    private static func isComment(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        start + 3 < bytes.count && bytes[start + 1] == UInt8(ascii: "!") && bytes[start + 2] == UInt8(ascii: "-")
            && bytes[start + 3] == UInt8(ascii: "-")
    }

    /// Behind `-->`, to which the hyphens that it begins with count, or `--!>`.
    private static func endOfComment(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: ">") {
                let last = bytes[index - 1] == UInt8(ascii: "!") && index > start + 2 ? index - 2 : index - 1
                if bytes[last] == UInt8(ascii: "-"), bytes[last - 1] == UInt8(ascii: "-") { return index + 1 }
            }
            index += 1
        }
        return index
    }

    /// Where it begins; if there is none, the end of all.
    private static func endTag(of name: [UInt8], _ bytes: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "<"), bytes[index + 1] == UInt8(ascii: "/"),
                begins(with: name, bytes, index + 2)
            {
                return index
            }
            index += 1
        }
        return bytes.count
    }

    /// In small letters or capitals, and nothing more.
    private static func begins(with name: [UInt8], _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        guard start + name.count < bytes.count else { return false }
        for offset in name.indices where bytes[start + offset] | 0x20 != name[offset] { return false }
        let next = bytes[start + name.count]
        return next <= 0x20 || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
    }
}
