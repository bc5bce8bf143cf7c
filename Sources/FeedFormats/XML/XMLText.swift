internal import FeedCore
internal import JSONText

/// An XML document's text in UTF-8, and where to begin and to end reading it.
struct XMLText {
    /// No tag of a feed has more attributes. libxml2 needs time that grows with the square of their number.
    static let mostAttributes = 1000

    let bytes: [UInt8]
    /// The place of the root element. Nothing before it is read: libxml2 stumbles over an XML declaration that is not quite
    /// right, and a document type can be made to take it hours. Feeds need neither.
    let start: Int
    /// The end of what is read: the end of the text, or the place of a NUL, which libxml2 takes for the end, or of a tag
    /// with too many attributes.
    let end: Int
    /// Why nothing from `end` on is read.
    let stop: DecodingFailure?
    private let entities: Set<[UInt8]>

    /// Bytes that are valid UTF-8 are UTF-8: text in other encodings all but never is, and labels are often wrong. Of other
    /// bytes the server tells the encoding (RFC 7303), else the document.
    init(_ document: FeedSource) throws(DecodingFailure) {
        var bytes = document.bytes
        if let wide = Self.wide(bytes) {
            bytes = try Self.decoded(bytes, from: wide, label: wide)
        } else if !Self.isUTF8(bytes) {
            let declared = XMLDeclaration(in: bytes).encoding
            if let decoder = Self.charset(in: document.contentType) {
                bytes = try Self.decoded(bytes, from: decoder, label: decoder)
            } else if let declared, !declared.isEmpty, !EncodingLabel.isUnicode(declared) {
                bytes = try Self.decoded(bytes, from: EncodingLabel.decoder(for: declared), label: declared)
            }
        }
        self.bytes = bytes
        let beginning = XMLDeclaration(in: bytes).end
        let outline = bytes.withUnsafeBufferPointer {
            TagScanner.outline(ofXML: $0, from: beginning, most: Self.mostAttributes)
        }
        guard let root = outline.root else { throw Self.withoutRoot(bytes, from: beginning) }
        start = root
        entities = outline.entities
        let nul = bytes[root...].firstIndex(of: 0)
        end = min(nul ?? bytes.count, outline.excess ?? bytes.count)
        let reason = end == outline.excess ? "a tag with more than \(Self.mostAttributes) attributes" : "a NUL byte"
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

    private static func decoded(
        _ bytes: [UInt8], from decoder: String?, label: String
    ) throws(DecodingFailure) -> [UInt8] {
        if let text = decoder.flatMap({ TextDecoder.utf8(of: bytes, in: $0) }) { return text }
        let reason = "the encoding \(JSONWriter.quote(label, limit: 40)) is not supported"
        throw .malformed(reason, line: 1, column: 1)
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
