internal import FeedCore
internal import JSONText

/// Makes a document that is not well-formed one that is and says the same, a piece at a time. It opens and closes the same
/// elements for every version of libxml2, and each line keeps its number. Behind the root element it changes nothing.
struct XMLRepairer {
    /// How much text is mended at once.
    private static let piece = 4096

    let text: XMLText
    var index: Int
    /// What is mended, and how much of it was taken.
    var ready: [UInt8] = []
    private var taken = 0
    /// Where the CDATA section at hand ends.
    private var sectionEnd: Int?
    var open: [OpenElement] = []
    /// Whether the root element was closed.
    var hasEnded = false
    var root: String?
    private var firstFault: (reason: String, place: Int)?
    private var faultCount = 0
    private var problem: DecodingFailure?

    struct OpenElement {
        let name: [UInt8]
        /// The hash of the name in small letters: most names differ in it, and long names take long to compare.
        let hash: Int
        /// Whether it holds other elements, and not text alone.
        var isParent = false
    }

    private init(_ text: XMLText) {
        self.text = text
        index = text.start
        ready = text.bytes[..<text.start].filter { $0 == UInt8(ascii: "\n") }
    }

    /// Goes over the whole document first: one that doesn't come to its end must not be read as a shorter one. The fault is
    /// the first that libxml2 found.
    static func examine(
        _ text: XMLText, with fault: XMLFault
    ) throws(DecodingFailure) -> (mender: XMLRepairer, fault: XMLFault) {
        var scout = XMLRepairer(text)
        var steps = 0
        while try scout.step() {
            scout.ready.removeAll(keepingCapacity: true)
            steps += 1
            if steps % 256 == 0 { try DecodingFailure.check() }
        }
        guard scout.hasEnded else { throw text.stop ?? scout.cutOff }
        return (XMLRepairer(text), scout.first(besides: fault))
    }

    /// Why a document without an end is none.
    private var cutOff: DecodingFailure {
        guard let root else { return text.fault("cut off before its first element", at: text.end).failure }
        return text.fault("cut off: \(JSONWriter.quote("</\(root)>", limit: 40)) is missing", at: text.end).failure
    }

    /// libxml2 may find what is no fault here, but has fewer words for people.
    private func first(besides found: XMLFault) -> XMLFault {
        guard let firstFault else { return found }
        var first = text.fault(firstFault.reason, at: firstFault.place)
        first.others = faultCount - 1
        guard found.line < first.line else { return first }
        return XMLFault(reason: found.reason, line: found.line, column: found.column, others: faultCount)
    }

    mutating func fault(_ reason: @autoclosure () -> String, at place: Int) {
        if firstFault == nil { firstFault = (reason(), place) }
        faultCount += 1
    }

    mutating func refuse(_ reason: String, at place: Int) { problem = problem ?? text.fault(reason, at: place).failure }

    // MARK: Steps

    /// Gives how much was written: less than there is room for only at the end.
    mutating func fill(_ room: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int {
        var filled = 0
        while filled < room.count {
            if taken == ready.count {
                ready.removeAll(keepingCapacity: true)
                taken = 0
                guard try step() else { break }
            }
            let piece = ready[taken...].prefix(room.count - filled)
            UnsafeMutableRawBufferPointer(rebasing: room[filled...]).copyBytes(from: piece)
            filled += piece.count
            taken += piece.count
        }
        return filled
    }

    /// Mends the next piece, and gives back whether there is one.
    private mutating func step() throws(DecodingFailure) -> Bool {
        if let problem { throw problem }
        guard index < text.end else { return false }
        let start = index
        defer { StepCounter.add(index - start) }
        if hasEnded {
            let rest = text.bytes[index..<text.end].prefix(Self.piece)
            ready += rest
            index += rest.count
        } else if let sectionEnd {
            section(to: sectionEnd)
        } else if text.bytes[index] == UInt8(ascii: "<") {
            markup()
        } else {
            words()
        }
        return true
    }

    private mutating func words() {
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

    private mutating func section(to end: Int) {
        let limit = min(index + Self.piece, end)
        let megabyte = index >> 20
        while index < limit { character() }
        if index >> 20 != megabyte { ready += XMLText.sectionBreak }
        guard index == end else { return }
        ready += "]]>".utf8
        index += 3
        sectionEnd = nil
    }

    private mutating func markup() {
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
            ready += "<![CDATA[".utf8
            index += 9
            sectionEnd = find(Array("]]>".utf8), from: index)
            if sectionEnd == nil { index = text.end }
        } else {
            replace(1, with: "&lt;", "a raw \"<\"")
        }
    }
}
