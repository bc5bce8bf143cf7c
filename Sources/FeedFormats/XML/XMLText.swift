internal import FeedCore
internal import JSONText

/// An XML document's text, and where to begin and to end reading it.
struct XMLText {
    /// No tag of a feed has more attributes. libxml2 needs time that grows with the square of their number.
    static let mostAttributes = 1000

    /// The text in UTF-8 or, with `characters`, in an encoding that writes each character as one byte.
    let bytes: [UInt8]
    /// The bytes from 0x80 on in UTF-8. A whole text in UTF-8 may need three times the memory of the document.
    let characters: [[UInt8]]?
    /// The place of the root element. Nothing before it is read: libxml2 stumbles over an XML declaration that is not quite
    /// right, and a document type can be made to take it hours. Feeds need neither.
    let start: Int
    /// The end of what is read: the end of the text, or the place of a NUL, which libxml2 takes for the end, or of a tag
    /// with too many attributes.
    let end: Int
    /// Why nothing from `end` on is read.
    let stop: DecodingFailure?
    private let entities: Set<[UInt8]>
    private let breaks: [Int]

    /// Ends a CDATA section and begins another: libxml2 holds a section in memory until its end.
    static let sectionBreak = Array("]]><![CDATA[".utf8)

    /// How far the text was handed over.
    struct Cursor {
        fileprivate var place = 0
        fileprivate var breaks: ArraySlice<Int>
    }

    var beginning: Cursor { Cursor(breaks: breaks[...]) }

    /// Bytes that are valid UTF-8 are UTF-8: text in other encodings all but never is, and labels are often wrong. Of other
    /// bytes the server tells the encoding (RFC 7303), else the document.
    init(_ document: FeedSource) throws(DecodingFailure) {
        var bytes = document.bytes
        var characters: [[UInt8]]?
        if let (encoding, label) = Self.encoding(of: document) {
            guard let decoder = encoding.flatMap(TextDecoder.init) else {
                let reason = "the encoding \(JSONWriter.quote(label, limit: 40)) is not supported"
                throw .malformed(reason, line: 1, column: 1)
            }
            characters = decoder.singleBytes()
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
        entities = outline.entities
        let nul = bytes[root...].firstIndex(of: 0)
        breaks = outline.breaks
        end = min(nul ?? bytes.count, outline.stop?.place ?? bytes.count)
        var reason = "a NUL byte"
        if let found = outline.stop, found.place == end { reason = "a tag with \(found.excess)" }
        stop = end < bytes.count ? Self.fault(reason, at: end, of: bytes).failure : nil
    }

    private static func withoutRoot(_ bytes: [UInt8], from start: Int) -> DecodingFailure {
        guard bytes[start...].contains(UInt8(ascii: "<")) || start > 0 else {
            return fault("no element", at: start, of: bytes).failure
        }
        if let nul = bytes.firstIndex(of: 0) { return fault("a NUL byte", at: nul, of: bytes).failure }
        return fault("cut off before its first element", at: bytes.count, of: bytes).failure
    }

    /// Whether the document declares this entity itself. Such an entity is not expanded.
    func declares(entity name: ArraySlice<UInt8>) -> Bool {
        name.count <= TagScanner.longestEntity && entities.contains(Array(name))
    }

    func fault(_ reason: String, at place: Int) -> XMLFault { Self.fault(reason, at: place, of: bytes) }

    /// The encoding of a text that is not in UTF-8, under the name that iconv knows and as the document has it; nil for
    /// UTF-8. Without a label, bytes that are not UTF-8 are left to the repairer.
    private static func encoding(of document: FeedSource) -> (encoding: String?, label: String)? {
        if let wide = wide(document.bytes) { return (wide, wide) }
        guard !isUTF8(document.bytes) else { return nil }
        if let charset = charset(in: document.contentType) { return (charset, charset) }
        guard let declared = XMLDeclaration(in: document.bytes).encoding, !declared.isEmpty,
            !EncodingLabel.isUnicode(declared)
        else { return nil }
        return (EncodingLabel.decoder(for: declared), declared)
    }

    /// Copies the text from `cursor` on in UTF-8, as much of it as fits into `room`. Blanks stand for what is before the
    /// root element, so that lines keep their numbers.
    func copy(from cursor: inout Cursor, to room: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while cursor.place < end {
            let byte = bytes[cursor.place]
            let character = byte >= 0x80 && cursor.place >= start ? characters?[Int(byte) - 0x80] : nil
            let isBreak = cursor.place == cursor.breaks.first
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
                room[filled - 1] = cursor.place >= start || byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " ")
            }
            cursor.place += 1
        }
        return filled
    }

    private static func fault(_ reason: String, at offset: Int, of bytes: [UInt8]) -> XMLFault {
        let before = bytes[..<offset]
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return XMLFault(reason: reason, line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column)
    }

    /// UTF-16 with a byte order mark or, as an XML declaration allows, without.
    private static func wide(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0, 0x3C]) { return "UTF-16BE" }
        return bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0x3C, 0]) ? "UTF-16LE" : nil
    }

    /// Japanese mail's encoding is ASCII byte by byte, and tells it by an escape, which XML forbids.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return !bytes.contains(0x1B)
        } catch {
            return false
        }
    }

    /// The encoding that a media type such as `text/xml; charset="koi8-r"` names; nil for one that is not read, and for
    /// UTF-8, which the bytes have proved wrong.
    private static func charset(in contentType: String?) -> String? {
        for parameter in contentType?.split(separator: ";").dropFirst() ?? [] {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed.lowercased() == "charset" else { continue }
            let label = parts[1].trimmed.filter { $0 != "\"" && $0 != "'" }
            if let decoder = EncodingLabel.decoder(for: label) { return decoder }
        }
        return nil
    }
}

/// The declaration at the beginning of an XML document.
private struct XMLDeclaration {
    /// Nil if the declaration names none.
    private(set) var encoding: String?
    /// Where what follows the declaration begins. Without a declaration, that is where the document does.
    private(set) var end: Int

    init(in bytes: [UInt8]) {
        end = LeadingBytes.end(in: bytes)
        let rest = bytes[end...]
        // Instructions such as `xml-stylesheet` begin alike.
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

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
