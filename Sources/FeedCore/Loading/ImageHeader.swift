/// Reads the size of an image from the header of its file.
extension ImageSize {
    package static func read(_ type: ImageType, _ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        switch type {
        case .jpeg: try jpeg(&file)
        case .png: ImageSize(try file.big(4, at: 16), try file.big(4, at: 20))
        case .gif: ImageSize(try file.little(2, at: 6), try file.little(2, at: 8))
        case .webp: try webp(&file)
        case .avif, .heic: try isoMedia(&file)
        case .bmp: try bitmap(&file)
        case .ico, .jxl, .svg, .tiff: nil
        }
    }

    private static func bitmap(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        guard let header = try file.little(4, at: 14), header >= 40 else { return nil }
        // A negative height means that the first row is the top one.
        return ImageSize(try file.little(4, at: 18), try file.little(4, at: 22).map { min($0, (1 << 32) - $0) })
    }

    private static func webp(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        if try file.has("VP8X", at: 12) {
            return ImageSize(try file.little(3, at: 24).map { $0 + 1 }, try file.little(3, at: 27).map { $0 + 1 })
        }
        if try file.has("VP8L", at: 12), let bits = try file.little(4, at: 21) {
            return ImageSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        guard try file.has("VP8 ", at: 12), try file.big(3, at: 23) == 0x9D012A else { return nil }
        return ImageSize(try file.little(2, at: 26).map { $0 & 0x3FFF }, try file.little(2, at: 28).map { $0 & 0x3FFF })
    }
}

extension ImageSize {
    /// Reads the size of a JPEG from its frame header.
    ///
    /// Other segments precede this header. The EXIF segment can contain an orientation, by which a browser turns the
    /// image.
    static func jpeg(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        var offset = 2
        var isOnItsSide = false
        for _ in 0..<FileBytes.maxParts {
            guard try file.big(1, at: offset) == 0xFF, let marker = try file.big(1, at: offset + 1),
                let length = try file.big(2, at: offset + 2), length >= 2
            else { return nil }
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                let size = ImageSize(try file.big(2, at: offset + 7), try file.big(2, at: offset + 5))
                return isOnItsSide ? size?.turned : size
            case 0xE1 where try file.has("Exif\0\0", at: offset + 4):
                let orientation = try orientation(inEXIFAt: offset + 10, &file)
                // Four of the eight orientations swap width and height.
                isOnItsSide = (5...8).contains(orientation ?? 1)
            default: break
            }
            offset += 2 + length
        }
        return nil
    }

    /// Reads the orientation from EXIF data, which is a small TIFF file: the byte order, the offset of a list, and the
    /// list of tagged values.
    private static func orientation(inEXIFAt base: Int, _ file: inout FileBytes) throws(FeedError) -> Int? {
        let isLittle = try file.has("II", at: base)
        func number(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
            try isLittle ? file.little(size, at: base + offset) : file.big(size, at: base + offset)
        }
        guard let list = try number(4, at: 4), let count = try number(2, at: list) else { return nil }
        for entry in 0..<min(count, FileBytes.maxParts) where try number(2, at: list + 2 + 12 * entry) == 0x0112 {
            return try number(2, at: list + 10 + 12 * entry)
        }
        return nil
    }
}

extension ImageSize {
    /// Reads the size of an AVIF or HEIC image.
    ///
    /// The file also contains thumbnails and tiles; the image is the largest of them.
    static func isoMedia(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        var largest: ImageSize?
        var isOnItsSide = false
        for box in try file.boxes(below: ["meta", "iprp", "ipco"]) {
            if box.type == "ispe" {
                let size = ImageSize(try file.big(4, at: box.content + 4), try file.big(4, at: box.content + 8))
                if let size, size.width * size.height > largest.map({ $0.width * $0.height }) ?? 0 { largest = size }
            } else if box.type == "irot" {
                isOnItsSide = try (file.big(1, at: box.content) ?? 0) % 2 == 1
            }
        }
        return isOnItsSide ? largest?.turned : largest
    }
}

/// A part of an ISO media file: a size, a name of four letters, and the content.
private struct MediaBox {
    let type: String
    let content: Int
    let end: Int
}

extension FileBytes {
    /// Returns the boxes inside nested boxes: `path` gives the names of the enclosing boxes, the outermost first.
    fileprivate mutating func boxes(below path: [String]) throws(FeedError) -> [MediaBox] {
        var boxes = try boxes(from: 0, to: count)
        for name in path {
            guard let outer = boxes.first(where: { $0.type == name }) else { return [] }
            // The content of this box begins with a version and flags.
            boxes = try self.boxes(from: outer.content + (name == "meta" ? 4 : 0), to: outer.end)
        }
        return boxes
    }

    private mutating func boxes(from start: Int, to end: Int) throws(FeedError) -> [MediaBox] {
        var boxes: [MediaBox] = []
        var offset = start
        while boxes.count < Self.maxParts, let size = try big(4, at: offset), let type = try bytes(4, at: offset + 4),
            size >= 8, size <= end - offset
        {
            boxes.append(
                MediaBox(type: String(decoding: type, as: UTF8.self), content: offset + 8, end: offset + size))
            offset += size
        }
        return boxes
    }
}

/// The bytes of an image file.
///
/// Pieces of the file are read on demand, because parts of a header can be far from the start.
package struct FileBytes {
    private static let pieceSize = 4096
    /// The maximum number of parts of a header.
    ///
    /// A header with more parts is an attack on the run's time.
    static let maxParts = 1000

    private typealias Read = (_ count: Int, _ offset: Int) throws(FeedError) -> [UInt8]

    let count: Int
    /// Reads bytes of the file; nil if all bytes are in memory.
    private let read: Read?
    private var piece: [UInt8] = []
    private var pieceStart = 0

    package init(_ file: any OpenImage) {
        count = file.size
        read = { count, offset throws(FeedError) in try file.read(count, at: offset) }
    }

    /// Reads the bytes that are at the beginning of a file.
    package init(beginning bytes: [UInt8]) {
        count = bytes.count
        read = nil
        piece = bytes
    }

    /// Returns some bytes of the file; nil if the file ends before them.
    mutating func bytes(_ wanted: Int, at offset: Int) throws(FeedError) -> ArraySlice<UInt8>? {
        guard offset <= count - wanted else { return nil }
        if let read, offset < pieceStart || offset + wanted > pieceStart + piece.count {
            piece = try read(max(wanted, Self.pieceSize), offset)
            pieceStart = offset
        }
        let start = offset - pieceStart
        return start >= 0 && start + wanted <= piece.count ? piece[start..<start + wanted] : nil
    }

    /// Returns a number of up to four bytes, the most significant byte first; nil if the file ends before it.
    mutating func big(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
        try bytes(size, at: offset)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns a number of up to four bytes, the least significant byte first; nil if the file ends before it.
    mutating func little(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
        try bytes(size, at: offset)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func has(_ text: String, at offset: Int) throws(FeedError) -> Bool {
        try bytes(text.utf8.count, at: offset)?.elementsEqual(text.utf8) == true
    }
}
