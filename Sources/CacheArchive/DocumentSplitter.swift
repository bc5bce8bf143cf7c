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
            var rest = bytes
            while let byte = rest.first {
                let run = UnsafeBufferPointer(rebasing: rest.prefix(lengthOfRun(rest)))
                if run.isEmpty {
                    try take(byte, visit)
                } else {
                    takeRun(run)
                }
                rest = UnsafeBufferPointer(rebasing: rest.dropFirst(max(run.count, 1)))
            }
        }
    }

    /// How many bytes change nothing: most of a document is in strings.
    private func lengthOfRun(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        if isEscaped { return 0 }
        let end =
            isInString
            ? bytes.firstIndex { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
            : bytes.firstIndex(where: Self.isStructural)
        return end ?? bytes.count
    }

    private mutating func takeRun(_ run: UnsafeBufferPointer<UInt8>) {
        if isInList { group += run } else { rest += run }
        if isInString { keepText(run) }
    }

    private mutating func take(
        _ byte: UInt8, _ visit: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        if isInString {
            takeInString(byte)
        } else if isInList {
            try takeInList(byte, visit)
        } else {
            takeOutside(byte)
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
        keepText(CollectionOfOne(byte))
    }

    /// Of a string at the top, as much as tells whether it is the name that is looked for.
    private mutating func keepText(_ bytes: some Collection<UInt8>) {
        if !isInList, depth == 1 { text += bytes.prefix(max(0, Self.member.count + 1 - text.count)) }
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

    private static func isStructural(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: ","), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }
}
