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
        try chunk.withUnsafeBufferPointer { bytes throws(FeedError) in
            // What stands before it is in the group or the rest by now.
            var start = 0
            var position = 0
            while position < bytes.count {
                if isInString {
                    position = takeString(bytes, from: position)
                } else if isInList {
                    try takeInList(bytes, position, from: &start, visit)
                    position += 1
                } else {
                    takeOutside(bytes[position])
                    position += 1
                    if isInList { move(bytes, &start, to: position, into: &rest) }
                }
            }
            if isInList { group += bytes[start...] } else { rest += bytes[start...] }
        }
    }

    private func move(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: inout Int, to end: Int, into target: inout [UInt8]
    ) {
        target += UnsafeBufferPointer(rebasing: bytes[start..<end])
        start = end
    }

    /// Answers where the string ends, or the chunk.
    private mutating func takeString(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                break
            }
        }
        keepText(bytes[start..<(isInString ? position : position - 1)])
        return position
    }

    /// Of a string at the top, as much as tells whether it is the name that is looked for.
    private mutating func keepText(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        if !isInList, depth == 1 { text += bytes.prefix(max(0, Self.member.count + 1 - text.count)) }
    }

    private mutating func takeInList(
        _ bytes: UnsafeBufferPointer<UInt8>, _ position: Int, from start: inout Int,
        _ visit: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        switch bytes[position] {
        case UInt8(ascii: ",") where depth == 0 && group.count + position - start >= Self.groupSize:
            move(bytes, &start, to: position, into: &group)
            try visit(group)
            group.removeAll(keepingCapacity: true)
            followsCut = true
            start += 1
        case UInt8(ascii: "]") where depth == 0:
            move(bytes, &start, to: position, into: &group)
            if !followsCut || !group.allSatisfy(Self.isBlank) { try visit(group) } else { endsInComma = true }
            group = []
            (isInList, depth) = (false, 1)
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: "\""): isInString = true
        default: break
        }
    }

    private mutating func takeOutside(_ byte: UInt8) {
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

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }
}
