/// How many attributes the tag at hand has, told from the document as it goes by: libxml2 compares each with every other
/// before it tells of any. What stands in a document's own declarations counts as one tag.
struct AttributeCount {
    private static let most = 10_000

    private enum Place {
        case text
        /// Behind `<`, and behind `<!`.
        case opened, declared
        case tag, singleQuoted, doubleQuoted
        case comment, characters, instruction
    }

    private var place = Place.text
    /// Of what ends a comment, a section or an instruction.
    private var matched = 0
    private var count = 0

    static var excess: String { "a tag with more than \(most) attributes" }

    /// Whether one has too many.
    mutating func exceeds(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for byte in bytes {
            switch place {
            case .text: if byte == UInt8(ascii: "<") { place = .opened }
            case .opened: open(byte)
            case .declared: declare(byte)
            case .tag: readTag(byte)
            case .singleQuoted: if byte == UInt8(ascii: "'") { place = .tag }
            case .doubleQuoted: if byte == UInt8(ascii: "\"") { place = .tag }
            case .comment: end(byte, after: UInt8(ascii: "-"), 2)
            case .characters: end(byte, after: UInt8(ascii: "]"), 2)
            case .instruction: end(byte, after: UInt8(ascii: "?"), 1)
            }
            if count > Self.most { return true }
        }
        return false
    }

    private mutating func open(_ byte: UInt8) {
        matched = 0
        switch byte {
        case UInt8(ascii: "!"): place = .declared
        case UInt8(ascii: "?"): place = .instruction
        default:
            count = 0
            place = .tag
            readTag(byte)
        }
    }

    private mutating func declare(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "-"):
            // The second one is due, and none of the end's.
            matched = -1
            place = .comment
        case UInt8(ascii: "["): place = .characters
        default:
            place = .tag
            readTag(byte)
        }
    }

    private mutating func readTag(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: ">"): place = .text
        case UInt8(ascii: "<"): place = .opened
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            count += 1
            place = byte == UInt8(ascii: "'") ? .singleQuoted : .doubleQuoted
        default: break
        }
    }

    private mutating func end(_ byte: UInt8, after mark: UInt8, _ times: Int) {
        if byte == mark {
            matched = min(matched + 1, times)
        } else if byte == UInt8(ascii: ">"), matched == times {
            place = .text
        } else {
            matched = 0
        }
    }
}
