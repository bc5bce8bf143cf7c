/// The width and the height of an image, in pixels.
package struct ImageSize: Hashable, Sendable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Parses `1920x1080`.
    package init?(_ text: String) {
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = DecimalDigits.number(sides[0]), let height = DecimalDigits.number(sides[1]),
            width > 0, height > 0, max(width, height) <= Int64(Int32.max)
        else { return nil }
        self.init(width: Int(width), height: Int(height))
    }

    /// The number of pixels. It is a floating-point number, because the sides that a file claims may be huge.
    fileprivate var area: Double { Double(width) * Double(height) }

    package var text: String { "\(width)x\(height)" }

    /// Returns whether either side is smaller.
    package func isSmaller(than other: ImageSize) -> Bool { width < other.width || height < other.height }
}

extension ImageSize {
    /// Reads the size from the beginning of an image's bytes. Returns nil for a format whose header gives no size, and
    /// if the size comes later.
    package init?(of type: ImageType, in bytes: [UInt8]) {
        let header = ImageHeader(bytes: bytes)
        guard let size = header.size(of: type), size.width > 0, size.height > 0 else { return nil }
        self = size
    }
}

/// The beginning of an image file, which gives the size of the image. A file is untrusted: every offset is checked.
private struct ImageHeader {
    let bytes: [UInt8]

    func size(of type: ImageType) -> ImageSize? {
        switch type {
        case .png: size(width: big(16, 4), height: big(20, 4))
        case .gif: size(width: little(6, 2), height: little(8, 2))
        case .jpeg: jpeg
        case .webp: webp
        case .bmp: bitmap
        case .avif, .heic: isoMedia
        case .ico: icon
        case .tiff: tiff
        case .jxl: jpegXL
        case .svg: nil
        }
    }

    private func size(width: Int?, height: Int?) -> ImageSize? {
        guard let width, let height else { return nil }
        return ImageSize(width: width, height: height)
    }

    private func big(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func has(_ text: String, at offset: Int) -> Bool {
        offset >= 0 && offset <= bytes.count && bytes[offset...].starts(with: text.utf8)
    }

    /// Reads the frame header of a JPEG, which follows segments such as EXIF data.
    private var jpeg: ImageSize? {
        var offset = 2
        while let marker = big(offset, 2), marker >> 8 == 0xFF {
            let code = marker & 0xFF
            switch code {
            // A byte that fills the space before a marker, and markers without a segment.
            case 0xFF: offset += 1
            case 0x01, 0xD0...0xD8: offset += 2
            // The codes between C0 and CF, except those of tables, begin a frame.
            case 0xC0...0xCF where code != 0xC4 && code != 0xC8 && code != 0xCC:
                return size(width: big(offset + 7, 2), height: big(offset + 5, 2))
            default:
                guard let length = big(offset + 2, 2), length >= 2, code != 0xDA else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }

    private var webp: ImageSize? {
        if has("VP8X", at: 12) {
            return size(width: little(24, 3).map { $0 + 1 }, height: little(27, 3).map { $0 + 1 })
        }
        if has("VP8L", at: 12) {
            guard let bits = little(21, 4) else { return nil }
            return ImageSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        }
        guard has("VP8 ", at: 12) else { return nil }
        return size(width: little(26, 2).map { $0 & 0x3FFF }, height: little(28, 2).map { $0 & 0x3FFF })
    }

    private var bitmap: ImageSize? {
        guard let length = little(14, 4) else { return nil }
        if length == 12 { return size(width: little(18, 2), height: little(20, 2)) }
        // A negative height means that the first row is the top one.
        let height = little(22, 4).map { abs(Int(Int32(truncatingIfNeeded: $0))) }
        return size(width: little(18, 4), height: height)
    }

    /// Returns the largest size of an AVIF or HEIC file. Its `ispe` boxes also give the sizes of tiles and previews.
    private var isoMedia: ImageSize? {
        var largest: ImageSize?
        var rest = bytes[...]
        while let found = rest.firstRange(of: Array("ispe".utf8)) {
            if let size = size(width: big(found.upperBound + 4, 4), height: big(found.upperBound + 8, 4)),
                size.area > largest?.area ?? 0
            {
                largest = size
            }
            rest = rest[found.upperBound...]
        }
        return largest
    }

    /// Returns the largest size of an icon, which may contain several. A side of 256 pixels is written as 0.
    private var icon: ImageSize? {
        guard let count = little(4, 2) else { return nil }
        let sizes = (0..<count).compactMap { index -> ImageSize? in
            func side(_ offset: Int) -> Int? { little(6 + 16 * index + offset, 1).map { $0 == 0 ? 256 : $0 } }
            return size(width: side(0), height: side(1))
        }
        return sizes.max { $0.area < $1.area }
    }

    /// Reads the first directory of a TIFF file, if it is near the beginning.
    private var tiff: ImageSize? {
        let isLittle = has("II", at: 0)
        func number(_ offset: Int, _ count: Int) -> Int? { isLittle ? little(offset, count) : big(offset, count) }
        guard number(2, 2) == 42, let start = number(4, 4), let count = number(start, 2) else { return nil }
        func value(of tag: Int) -> Int? {
            let entry = (0..<count).map { start + 2 + 12 * $0 }.first { number($0, 2) == tag }
            // A value of type 3 has two bytes.
            return entry.flatMap { number($0 + 8, number($0 + 2, 2) == 3 ? 2 : 4) }
        }
        return size(width: value(of: 256), height: value(of: 257))
    }

    /// Reads the size header of a JPEG XL codestream, bare or in a container.
    private var jpegXL: ImageSize? {
        var offset = 2
        if !has("\u{C}JXL ", at: 3) {
            guard bytes.starts(with: [0xFF, 0x0A]) else { return nil }
        } else if let box = bytes.firstRange(of: Array("jxlc".utf8)) {
            offset = box.upperBound + 2
        } else if let box = bytes.firstRange(of: Array("jxlp".utf8)) {
            offset = box.upperBound + 6
        } else {
            return nil
        }
        return little(offset, 8).map { JPEGXLSizeBits(bits: UInt64(truncatingIfNeeded: $0)).size }
    }
}

/// The bits of a JPEG XL size header, the lowest bit first.
private struct JPEGXLSizeBits {
    private var bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// The ratios of width to height that the header can name.
    private static let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]

    var size: ImageSize {
        var reader = self
        let isSmall = reader.take(1) == 1
        let height = reader.side(isSmall)
        let ratio = reader.take(3)
        guard ratio > 0 else { return ImageSize(width: reader.side(isSmall), height: height) }
        let (across, down) = Self.ratios[ratio - 1]
        return ImageSize(width: height * across / down, height: height)
    }

    private mutating func side(_ isSmall: Bool) -> Int {
        isSmall ? (take(5) + 1) * 8 : take([9, 13, 18, 30][take(2)]) + 1
    }

    private mutating func take(_ count: Int) -> Int {
        defer { bits >>= UInt64(count) }
        return Int(bits & (1 << UInt64(count) - 1))
    }
}
