/// The known types of images.
///
/// The bytes of an image decide, rather than what a server says.
package enum ImageType: String, CaseIterable, Sendable {
    case jpeg, png, gif, webp, avif, heic, bmp, tiff, ico, jxl, svg

    package var mediaType: String {
        switch self {
        case .ico: "image/vnd.microsoft.icon"
        case .svg: "image/svg+xml"
        default: "image/\(rawValue)"
        }
    }

    /// The suffix of file names, without the dot.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// A table, because every image of a run is looked up.
    private static let byMediaType = Dictionary(uniqueKeysWithValues: allCases.map { ($0.mediaType, $0) })

    package init?(mediaType: String) {
        guard let type = Self.byMediaType[mediaType] else { return nil }
        self = type
    }
}

extension ImageType {
    /// The number of bytes that decide.
    ///
    /// It is fixed, so that the result is the same however a body is divided into chunks.
    package static let signatureLength = 16_384

    /// Returns the type of the image that begins with these bytes; nil for an unknown type.
    package init?(signatureOf bytes: [UInt8]) {
        guard let type = bytes.withUnsafeBytes({ ImageType(signatureOf: $0) }) else { return nil }
        self = type
    }

    package init?(signatureOf bytes: UnsafeRawBufferPointer) {
        guard let type = ImageSignature(bytes: bytes.prefix(Self.signatureLength)).type else { return nil }
        self = type
    }
}

private struct ImageSignature {
    /// The bytes, whose first index is 0.
    let bytes: Slice<UnsafeRawBufferPointer>

    var type: ImageType? {
        if has([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if has("GIF87a") || has("GIF89a") { return .gif }
        if has("RIFF"), has("WEBP", at: 8) { return .webp }
        if has("ftyp", at: 4) { return isoMediaType }
        if isBitmap { return .bmp }
        if isTIFF { return .tiff }
        if has([0x00, 0x00, 0x01, 0x00]), let count = littleEndian(at: 4, size: 2), count > 0 { return .ico }
        if has([0xFF, 0x0A]) || has([0, 0, 0, 0x0C] + Array("JXL \r\n".utf8) + [0x87, 0x0A]) { return .jxl }
        return SVGSignature.matches(bytes) ? .svg : nil
    }

    /// Returns AVIF or HEIC by the brands in the file type box, four letters each.
    ///
    /// Both are ISO media files, as MP4 is.
    private var isoMediaType: ImageType? {
        guard let boxSize = bigEndian(at: 0, size: 4), boxSize >= 16 else { return nil }
        let end = min(boxSize, bytes.count)
        // The major brand, then a version, then the compatible brands.
        let brands = ([8] + stride(from: 16, to: end, by: 4)).filter { $0 + 4 <= end }.map { bytes[$0..<$0 + 4] }
        func lists(_ names: [String]) -> Bool {
            brands.contains { brand in names.contains { brand.elementsEqual($0.utf8) } }
        }
        if lists(["avif", "avis"]) { return .avif }
        return lists(["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"]) ? .heic : nil
    }

    /// Whether this is a bitmap.
    ///
    /// Many texts begin with "BM", so the reserved field must be zero and the second header must have a known size.
    private var isBitmap: Bool {
        guard has("BM"), littleEndian(at: 6, size: 4) == 0, let header = littleEndian(at: 14, size: 4) else {
            return false
        }
        return [12, 16, 40, 52, 56, 64, 108, 124].contains(header)
    }

    private var isTIFF: Bool {
        has([0x49, 0x49, 0x2A, 0x00]) || has([0x4D, 0x4D, 0x00, 0x2A])
            || has([0x49, 0x49, 0x2B, 0x00, 0x08, 0x00, 0x00, 0x00])
            || has([0x4D, 0x4D, 0x00, 0x2B, 0x00, 0x08, 0x00, 0x00])
    }

    private func has(_ magic: [UInt8], at offset: Int = 0) -> Bool {
        bytes.dropFirst(offset).starts(with: magic)
    }

    private func has(_ magic: StaticString, at offset: Int = 0) -> Bool {
        let wanted = UnsafeBufferPointer(start: magic.utf8Start, count: magic.utf8CodeUnitCount)
        return bytes.dropFirst(offset).starts(with: wanted)
    }

    private func littleEndian(at offset: Int, size: Int) -> Int? {
        guard offset + size <= bytes.count else { return nil }
        return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func bigEndian(at offset: Int, size: Int) -> Int? {
        guard offset + size <= bytes.count else { return nil }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Decides whether a text is an XML document whose root element is `svg`.
///
/// An HTML page that contains an `svg` is not an image.
private struct SVGSignature {
    static func matches(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        var scanner = SVGSignature(rest: Array(bytes)[...])
        return scanner.findsRoot()
    }

    private var rest: ArraySlice<UInt8>

    private mutating func findsRoot() -> Bool {
        _ = skip("\u{FEFF}")
        while true {
            rest = rest.drop(while: LeadingBytes.isWhitespace)
            if skip("<?") {
                guard skip(through: "?>") else { return false }
            } else if skip("<!--") {
                guard skip(through: "-->") else { return false }
            } else if skip("<!DOCTYPE svg") {
                guard skipDocumentType() else { return false }
            } else {
                return skip("<") && isAtName
            }
        }
    }

    /// Skips a document type.
    ///
    /// Drawing programs declare namespaces in brackets within it.
    private mutating func skipDocumentType() -> Bool {
        rest = rest.drop { !"[>".utf8.contains($0) }
        if rest.first == UInt8(ascii: "["), !skip(through: "]") { return false }
        return skip(through: ">")
    }

    /// Whether the full name of the root, which may have a namespace prefix, begins here.
    private var isAtName: Bool {
        let name = rest.prefix { !LeadingBytes.isWhitespace($0) && !"/>".utf8.contains($0) }
        return name.count < rest.count && (name.elementsEqual("svg".utf8) || name.suffix(4).elementsEqual(":svg".utf8))
    }

    private mutating func skip(_ literal: String) -> Bool {
        guard rest.starts(with: literal.utf8) else { return false }
        rest = rest.dropFirst(literal.utf8.count)
        return true
    }

    private mutating func skip(through end: String) -> Bool {
        while !rest.isEmpty {
            if skip(end) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

/// The bytes before a document that are not part of it: blank lines, which scripts write although they are forbidden,
/// and byte order marks, one for each file that a script joined.
package enum LeadingBytes {
    /// Returns the index at which the document begins.
    package static func end(in bytes: [UInt8]) -> Int {
        var index = 0
        while index < bytes.count {
            if isWhitespace(bytes[index]) {
                index += 1
            } else if bytes[index...].starts(with: [0xEF, 0xBB, 0xBF]) {
                index += 3
            } else {
                break
            }
        }
        return index
    }

    /// Whether the document begins like HTML or XML.
    package static func areBeforeMarkup(in bytes: [UInt8]) -> Bool {
        isWideMarkup(bytes) || bytes[end(in: bytes)...].first == UInt8(ascii: "<")
    }

    /// The same for UTF-16 with a byte order mark or, as an XML declaration allows, without it.
    package static func isWideMarkup(_ bytes: [UInt8]) -> Bool {
        [[0xFE, 0xFF, 0, 0x3C], [0xFF, 0xFE, 0x3C, 0], [0, 0x3C, 0, 0x3F], [0x3C, 0, 0x3F, 0]].contains {
            bytes.starts(with: $0)
        }
    }

    package static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
