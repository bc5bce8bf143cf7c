internal import FeedCore

/// Cuts a feed document between its images, so that a long one is never in memory as a whole. It only finds the places:
/// whether what lies between them is JSON is for a reader to say, which gets to see every byte but the commas at the
/// cuts.
struct DocumentSplitter {
    private static let groupSize = 64 * 1024
    private static let member = Array("images".utf8)

    /// The document with no image in its list.
    private(set) var rest: [UInt8] = []
    /// Set where the list ends in a comma.
    private(set) var endsInComma = false
    private var group: [UInt8] = []
    /// At the end of the document: the list has none.
    private(set) var isInList = false
    private var hadList = false
    private var followsCut = false
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The string at the top that ended last, and the member's name that it turned out to be.
    private var text: [UInt8] = []
    private var name: [UInt8] = []

    /// `visit` gets images, with the commas between them.
    mutating func take(_ chunk: [UInt8], _ visit: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) {
        for byte in chunk {
            if isInString {
                takeInString(byte)
            } else if isInList {
                try takeInList(byte, visit)
            } else {
                takeOutside(byte)
            }
        }
    }

    private mutating func takeInString(_ byte: UInt8) {
        keep(byte)
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            return
        }
        if !isInList, depth == 1, text.count <= Self.member.count { text.append(byte) }
    }

    private mutating func takeInList(
        _ byte: UInt8, _ visit: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        switch byte {
        case UInt8(ascii: ",") where depth == 0 && group.count >= Self.groupSize:
            try visit(group)
            group.removeAll(keepingCapacity: true)
            followsCut = true
            return
        case UInt8(ascii: "]") where depth == 0:
            if !followsCut || !group.allSatisfy(Self.isBlank) { try visit(group) } else { endsInComma = true }
            group = []
            (isInList, depth) = (false, 1)
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: "\""): isInString = true
        default: break
        }
        keep(byte)
    }

    private mutating func takeOutside(_ byte: UInt8) {
        keep(byte)
        switch byte {
        case UInt8(ascii: "["):
            if depth == 1, name == Self.member, !hadList {
                (isInList, hadList, depth) = (true, true, 0)
            } else {
                depth += 1
            }
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: ":") where depth == 1: name = text
        case UInt8(ascii: ",") where depth == 1: name = []
        case UInt8(ascii: "\""):
            isInString = true
            text = []
        default: break
        }
    }

    private mutating func keep(_ byte: UInt8) {
        if isInList { group.append(byte) } else { rest.append(byte) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }
}
