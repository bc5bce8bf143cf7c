internal import FeedCore
internal import Glibc
internal import JSONText

/// Repairs a document that is not well-formed, a piece at a time.
///
/// The result opens and closes the same elements for every version of libxml2, and each line keeps its number. Text
/// after the root element stays unchanged.
struct XMLRepairer {
    /// The number of bytes that are repaired at once.
    private static let piece = 4096

    let text: XMLText
    var index: Int
    /// The repaired text, and how much of it was taken.
    var repaired: [UInt8] = []
    private var taken = 0
    /// The offset of the end of the current CDATA section.
    private var sectionEnd: Int?
    var open: [OpenElement] = []
    /// Whether the root element has ended.
    var hasEnded = false
    /// Whether the text has the end tag of its channel.
    var isBehindChannel = false
    var root: String?
    private var firstFault: (reason: String, offset: Int)?
    private var faultCount = 0
    private var problem: DecodingFailure?

    struct OpenElement {
        let name: [UInt8]
        /// The hash of the name in lower case.
        ///
        /// It makes comparisons of long names fast.
        let hash: Int
        /// Whether the element contains other elements.
        var isParent = false
    }

    private init(_ text: XMLText) {
        self.text = text
        index = text.start
        repaired = text.bytes[..<text.start].filter { $0 == UInt8(ascii: "\n") }
    }

    /// Checks the whole document first: a document that is cut off must be rejected, rather than read as a shorter one.
    ///
    /// The returned fault is the first in the document.
    static func examine(
        _ text: XMLText, with fault: XMLFault
    ) throws(DecodingFailure) -> (repairer: XMLRepairer, fault: XMLFault) {
        var trial = XMLRepairer(text)
        var steps = 0
        while try trial.step() {
            trial.repaired.removeAll(keepingCapacity: true)
            steps += 1
            if steps % 256 == 0 { try DecodingFailure.check() }
        }
        // Nothing of an RSS feed follows its channel.
        guard trial.hasEnded || trial.isRSS && trial.isBehindChannel else { throw text.stop ?? trial.cutOff }
        var first = trial.first(besides: fault)
        first.isBehindChannel = trial.isBehindChannel
        return (XMLRepairer(text), first)
    }

    private var isRSS: Bool { root?.lowercased() == "rss" }

    /// The error for a document that is cut off.
    private var cutOff: DecodingFailure {
        guard let root else { return text.fault("cut off before its first element", at: text.end).failure }
        return text.fault("cut off: \(JSONWriter.quote("</\(root)>", limit: 40)) is missing", at: text.end).failure
    }

    /// Returns the first fault of this repairer or of libxml2.
    ///
    /// The repairer's own message comes first on the same line, because it is clearer.
    private func first(besides found: XMLFault) -> XMLFault {
        guard let firstFault else { return found }
        var first = text.fault(firstFault.reason, at: firstFault.offset)
        first.others = faultCount - 1
        guard found.line < first.line else { return first }
        return XMLFault(reason: found.reason, line: found.line, column: found.column, others: faultCount)
    }

    mutating func fault(_ reason: @autoclosure () -> String, at offset: Int) {
        if firstFault == nil { firstFault = (reason(), offset) }
        faultCount += 1
    }

    mutating func refuse(_ reason: String, at offset: Int) {
        problem = problem ?? text.fault(reason, at: offset).failure
    }

    // MARK: Steps

    /// Fills the buffer with repaired text, and returns the number of bytes.
    ///
    /// The number is smaller than the buffer only at the end.
    mutating func fill(_ room: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int {
        var filled = 0
        while filled < room.count {
            if taken == repaired.count {
                repaired.removeAll(keepingCapacity: true)
                taken = 0
                guard try step() else { break }
            }
            let piece = repaired[taken...].prefix(room.count - filled)
            UnsafeMutableRawBufferPointer(rebasing: room[filled...]).copyBytes(from: piece)
            filled += piece.count
            taken += piece.count
        }
        return filled
    }

    /// Repairs the next piece, and returns whether there was one.
    private mutating func step() throws(DecodingFailure) -> Bool {
        if let problem { throw problem }
        guard index < text.end else { return endOpenElements() }
        let start = index
        defer { StepCounter.add(index - start) }
        if hasEnded {
            let rest = text.bytes[index..<text.end].prefix(Self.piece)
            repaired += rest
            index += rest.count
        } else if let sectionEnd {
            repairSection(to: sectionEnd)
        } else if text.bytes[index] == UInt8(ascii: "<") {
            repairMarkup()
        } else {
            repairText()
        }
        return true
    }

    /// Ends the elements that are still open behind the channel, and returns whether there were any.
    private mutating func endOpenElements() -> Bool {
        guard !hasEnded, isRSS, isBehindChannel else { return false }
        end(through: 0, at: text.end)
        return true
    }

    private mutating func repairText() {
        let limit = min(index + Self.piece, text.end)
        while index < limit, text.bytes[index] != UInt8(ascii: "<") {
            let byte = text.bytes[index]
            if byte == UInt8(ascii: "&") {
                reference()
            } else if byte == UInt8(ascii: ">"), text.bytes[..<index].suffix(2).elementsEqual("]]".utf8) {
                replace(1, with: "&gt;", "a raw \"]]>\"")
            } else {
                character()
            }
        }
    }

    private mutating func repairSection(to end: Int) {
        let limit = min(index + Self.piece, end)
        let megabyte = index >> 20
        while index < limit { character() }
        if index >> 20 != megabyte { repaired += XMLText.sectionBreak }
        guard index == end else { return }
        repaired += "]]>".utf8
        index += 3
        sectionEnd = nil
    }

    private mutating func repairMarkup() {
        let next = index + 1 < text.end ? text.bytes[index + 1] : 0
        if begins(with: "<!--") {
            drop(to: Array("-->".utf8), from: index + 4)
        } else if next == UInt8(ascii: "?") {
            drop(to: Array("?>".utf8), from: index + 2)
        } else if next == UInt8(ascii: "/") {
            endTag()
        } else if Self.beginsName(next) {
            startTag()
        } else if index + 1 == text.end {
            index += 1
        } else if begins(with: "<![CDATA[") {
            repaired += "<![CDATA[".utf8
            index += 9
            sectionEnd = find(Array("]]>".utf8), from: index)
            if sectionEnd == nil { index = text.end }
        } else {
            replace(1, with: "&lt;", "a raw \"<\"")
        }
    }
}

extension XMLRepairer {
    static let slash = UInt8(ascii: "/")
    static let close = UInt8(ascii: ">")

    /// Reads a name, and makes it valid in any XML document: `_` replaces each forbidden character, and each colon
    /// except the one after a prefix.
    mutating func name() -> [UInt8] {
        let start = index
        while index < text.end, !Self.endsName(text.bytes[index]), text.bytes[index] != UInt8(ascii: "="),
            !(text.bytes[index] == Self.slash && isAtEmptyEnd)
        {
            index += 1
        }
        StepCounter.add(index - start)
        let given = text.bytes[start..<index]
        var name: [UInt8] = []
        var hasPrefix = false
        for (offset, byte) in given.enumerated() {
            let isColon = byte == UInt8(ascii: ":")
            let follows = start + offset + 1
            let isKept =
                isColon
                ? offset > 0 && !hasPrefix && follows < index && Self.beginsName(text.bytes[follows])
                : byte < 0x80 && (offset == 0 ? Self.beginsName(byte) : Self.isNamePart(byte))
            if isKept, isColon { hasPrefix = true }
            if !isKept, byte < 0x80 { fault("a name with other characters", at: start) }
            name.append(isKept ? byte : UInt8(ascii: "_"))
        }
        return name
    }

    static func beginsName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    static func isNamePart(_ byte: UInt8) -> Bool {
        beginsName(byte) || (0x30...0x3A).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    static func endsName(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == close || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "\"")
            || byte == UInt8(ascii: "'")
    }

    static func isSame(_ name: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        StepCounter.add(name.count)
        return name.count == other.count && zip(name, other).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    /// Returns the hash of a name, which is the same for names that `isSame` considers equal.
    static func hash(_ name: [UInt8]) -> Int {
        var hasher = Hasher()
        for byte in name { hasher.combine(byte | 0x20) }
        return hasher.finalize()
    }

    func begins(with mark: StaticString) -> Bool {
        text.bytes[index..<text.end].starts(
            with: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
    }

    /// Returns the offset of the mark, or nil.
    func find(_ mark: [UInt8], from start: Int) -> Int? {
        text.bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let first = mark.first else { return nil }
            var offset = start
            while offset + mark.count <= text.end, let found = memchr(base + offset, CInt(first), text.end - offset) {
                StepCounter.add(UnsafeRawPointer(found) - base - offset)
                offset = UnsafeRawPointer(found) - base
                if bytes[offset..<text.end].starts(with: mark) { return offset }
                offset += 1
            }
            return nil
        }
    }

    /// Drops the text through the mark, or to the end of the text, and keeps its line breaks.
    mutating func drop(to mark: [UInt8], from start: Int) {
        keepLineBreaks(to: find(mark, from: start).map { $0 + mark.count } ?? text.end)
    }

    mutating func keepLineBreaks(to end: Int) {
        repaired += text.bytes[index..<end].lazy.filter { $0 == UInt8(ascii: "\n") }
        index = end
    }
}
