internal import FeedCore
internal import JSONText

/// The text of an XML document, and the range of it that is read.
struct XMLText {
    /// The most attributes of a tag.
    ///
    /// libxml2's time grows with the square of their number.
    static let mostAttributes = 1000

    /// The text in UTF-8 or, with `characters`, in an encoding that writes each character as one byte.
    let bytes: [UInt8]
    /// The UTF-8 characters of the bytes from 0x80 on.
    ///
    /// Converting the whole text could take three times the memory of the document.
    let characters: [[UInt8]]?
    /// The offset of the root element.
    ///
    /// The text before it is skipped: libxml2 rejects a slightly wrong XML declaration, and a malicious document type
    /// can occupy it for hours. Feeds need neither.
    let start: Int
    /// The offset at which reading ends: the end of the text, a NUL, which libxml2 takes for the end, or a tag with too
    /// many attributes.
    let end: Int
    /// The reason why the text from `end` on is skipped.
    let stop: DecodingFailure?
    private let breaks: [Int]

    /// Ends a CDATA section and begins another, because libxml2 holds a section in memory until its end.
    static let sectionBreak = Array("]]><![CDATA[".utf8)

    /// The position up to which the text has been copied.
    struct Cursor {
        fileprivate var offset = 0
        fileprivate var breaks: ArraySlice<Int>
    }

    var beginning: Cursor { Cursor(breaks: breaks[...]) }

    /// Determines the encoding.
    ///
    /// Bytes that are valid UTF-8 are UTF-8: text in other encodings hardly ever is, and labels are often wrong.
    /// Otherwise the server's label counts (RFC 7303), else the document's.
    init(_ document: FeedSource) throws(DecodingFailure) {
        var bytes = document.bytes
        var characters: [[UInt8]]?
        if let (encoding, label) = Self.encoding(of: document) {
            guard let decoder = encoding.flatMap(TextDecoder.init) else {
                let reason = "the encoding \(JSONWriter.quote(label, limit: 40)) is not supported"
                throw .malformed(reason, line: 1, column: 1)
            }
            characters = decoder.singleBytes()
            if let encoding { EncodingLabel.correct(&characters, of: encoding) }
            if characters == nil {
                guard let text = decoder.utf8(of: bytes) else {
                    let reason = "not text in the encoding \(JSONWriter.quote(label, limit: 40))"
                    throw .malformed(reason, line: 1, column: 1)
                }
                bytes = text
            }
        }
        self.bytes = bytes
        self.characters = characters
        let beginning = XMLDeclaration(in: bytes).end
        let outline = bytes.withUnsafeBufferPointer {
            TagScanner.outline(
                ofXML: $0, from: beginning, most: Self.mostAttributes, isUTF8: characters == nil)
        }
        guard let root = outline.root else { throw Self.withoutRoot(bytes, from: beginning) }
        start = root
        let nul = bytes[root...].firstIndex(of: 0)
        breaks = outline.breaks
        end = min(nul ?? bytes.count, outline.stop?.offset ?? bytes.count)
        var reason = "a NUL byte"
        if let found = outline.stop, found.offset == end { reason = "a tag with \(found.excess)" }
        stop = end < bytes.count ? Self.fault(reason, at: end, of: bytes).failure : nil
    }

    private static func withoutRoot(_ bytes: [UInt8], from start: Int) -> DecodingFailure {
        guard bytes[start...].contains(UInt8(ascii: "<")) || start > 0 else {
            return fault("no element", at: start, of: bytes).failure
        }
        if let nul = bytes.firstIndex(of: 0) { return fault("a NUL byte", at: nul, of: bytes).failure }
        return fault("cut off before its first element", at: bytes.count, of: bytes).failure
    }

    func fault(_ reason: String, at offset: Int) -> XMLFault { Self.fault(reason, at: offset, of: bytes) }

    /// Returns iconv's name for an encoding other than UTF-8, and the label of the document; nil for UTF-8.
    ///
    /// The repairer handles invalid bytes without a label.
    private static func encoding(of document: FeedSource) -> (encoding: String?, label: String)? {
        if let wide = WideText.encoding(of: document.bytes) { return (wide, wide) }
        guard !EncodingLabel.isUTF8(document.bytes) else { return nil }
        if let charset = EncodingLabel.decoder(inMediaType: document.contentType) { return (charset, charset) }
        guard let declared = XMLDeclaration(in: document.bytes).encoding, !declared.isEmpty,
            !EncodingLabel.isUnicode(declared)
        else { return nil }
        return (EncodingLabel.decoder(for: declared), declared)
    }

    /// Copies as much of the text from `cursor` on as fits into `room`, in UTF-8.
    ///
    /// Blanks replace the text before the root element, so that lines keep their numbers.
    func copy(from cursor: inout Cursor, to room: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while cursor.offset < end {
            if let run = unchangedRun(at: cursor) {
                let run = run.prefix(room.count - filled)
                guard !run.isEmpty else { break }
                UnsafeMutableRawBufferPointer(rebasing: room[filled...]).copyBytes(from: run)
                filled += run.count
                cursor.offset = run.endIndex
                continue
            }
            let byte = bytes[cursor.offset]
            let character = byte >= 0x80 && cursor.offset >= start ? characters?[Int(byte) - 0x80] : nil
            let isBreak = cursor.offset == cursor.breaks.first
            let length = (isBreak ? Self.sectionBreak.count : 0) + (character?.count ?? 1)
            guard filled + length <= room.count else { break }
            if isBreak {
                UnsafeMutableRawBufferPointer(rebasing: room[filled...]).copyBytes(from: Self.sectionBreak)
                cursor.breaks.removeFirst()
            }
            filled += length
            if let character {
                UnsafeMutableRawBufferPointer(rebasing: room[(filled - character.count)...]).copyBytes(from: character)
            } else {
                room[filled - 1] = cursor.offset >= start || byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " ")
            }
            cursor.offset += 1
        }
        return filled
    }

    /// Returns the bytes that are copied as they are; nil for none.
    private func unchangedRun(at cursor: Cursor) -> ArraySlice<UInt8>? {
        guard characters == nil, cursor.offset >= start, cursor.offset != cursor.breaks.first else { return nil }
        return bytes[cursor.offset..<min(cursor.breaks.first ?? end, end)]
    }

    private static func fault(_ reason: String, at offset: Int, of bytes: [UInt8]) -> XMLFault {
        let before = bytes[..<offset]
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return XMLFault(reason: reason, line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column)
    }
}

/// The declaration at the beginning of an XML document.
private struct XMLDeclaration {
    /// The encoding that the declaration names, or nil.
    private(set) var encoding: String?
    /// The offset behind the declaration; without a declaration, the beginning of the document.
    private(set) var end: Int

    init(in bytes: [UInt8]) {
        end = LeadingBytes.end(in: bytes)
        let rest = bytes[end...]
        // Instructions such as `xml-stylesheet` begin with the same characters.
        guard rest.starts(with: "<?xml".utf8), rest.dropFirst(5).first.map(LeadingBytes.isWhitespace) == true,
            let close = rest.prefix(1024).firstIndex(of: UInt8(ascii: ">"))
        else { return }
        end = close + 1
        let text = String(decoding: rest[..<close], as: UTF8.self)
        guard let found = text.firstRange(of: "encoding") else { return }
        let value = text[found.upperBound...].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return }
        encoding = String(value.dropFirst().prefix { $0 != quote }.trimmed)
    }
}

/// A fault in a document that can be repaired.
struct XMLFault {
    let reason: String
    let line: Int
    let column: Int
    /// The number of further faults.
    var others = 0
    /// Whether the document has the end tag of its channel, so that it is a whole feed even without an item.
    var isBehindChannel = false

    var failure: DecodingFailure { .malformed(reason, line: line, column: column) }

    var note: String {
        let more =
            switch others {
            case 0: ""
            case 1: ", and another fault"
            default: ", and \(others) more faults"
            }
        return "line \(line): \(reason)\(more); read for what it says"
    }
}
