/// Bytes of image headers, put together by hand.
struct Bytes {
    var all: [UInt8] = []

    init(_ parts: Part...) { for part in parts { append(part) } }

    enum Part {
        case text(String)
        case raw([UInt8])
        case big(Int, Int)
        case little(Int, Int)
        case zeros(Int)
    }

    mutating func append(_ part: Part) {
        switch part {
        case .text(let text): all += text.utf8
        case .raw(let bytes): all += bytes
        case .big(let value, let size): all += Self.bytes(value, size).reversed()
        case .little(let value, let size): all += Self.bytes(value, size)
        case .zeros(let count): all += [UInt8](repeating: 0, count: count)
        }
    }

    private static func bytes(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// An ISO media box.
    static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        let all = content.flatMap { $0 }
        return Bytes(.big(all.count + 8, 4), .text(type), .raw(all)).all
    }

    /// A TIFF with one directory of entries (tag, type, value), the directory behind `gap` bytes.
    static func tiff(_ entries: [(Int, Int, Int)], isBig: Bool = false, gap: Int = 0) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            Bytes(isBig ? .big(value, size) : .little(value, size)).all
        }
        var bytes = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8 + gap, 4)
        bytes += [UInt8](repeating: 0, count: gap) + number(entries.count, 2)
        for (tag, type, value) in entries {
            let size = type == 3 ? 2 : 4
            bytes += number(tag, 2) + number(type, 2) + number(1, 4) + number(value, size)
            bytes += [UInt8](repeating: 0, count: 4 - size)
        }
        return bytes + number(0, 4)
    }

    /// A JPEG's segments up to its frame header.
    static func jpeg(_ width: Int, _ height: Int, frame: UInt8 = 0xC0, before segments: [[UInt8]] = []) -> [UInt8] {
        [0xFF, 0xD8] + segments.flatMap { $0 }
            + segment(frame, Bytes(.raw([8]), .big(height, 2), .big(width, 2), .zeros(10)).all)
    }

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + Bytes(.big(content.count + 2, 2), .raw(content)).all
    }

    static func exif(orientation: Int, type: Int = 3, isBig: Bool = false) -> [UInt8] {
        segment(0xE1, Array("Exif\0\0".utf8) + tiff([(271, 2, 0), (274, type, orientation)], isBig: isBig))
    }

    /// A PNG's header, and the chunks behind it, with checksums of zeros.
    static func png(_ width: Int, _ height: Int, _ chunks: [(type: String, content: [UInt8])]) -> [UInt8] {
        let header = Bytes(.big(width, 4), .big(height, 4), .raw([8, 2, 0, 0, 0])).all
        return ([("IHDR", header)] + chunks).reduce([0x89] + Array("PNG\r\n\u{1A}\n".utf8)) { bytes, chunk in
            bytes + Bytes(.big(chunk.1.count, 4), .text(chunk.0), .raw(chunk.1), .zeros(4)).all
        }
    }

    /// A frame of a GIF with no data, and what says how long it is shown.
    static func gifFrame(x: Int = 0, y: Int = 0, _ width: Int, _ height: Int) -> [UInt8] {
        Bytes(
            .raw([0x21, 0xF9, 4, 0, 9, 0, 0, 0]), .raw([0x2C]), .little(x, 2), .little(y, 2), .little(width, 2),
            .little(height, 2), .raw([0, 2, 0])
        ).all
    }

    /// Bits of a JPEG XL codestream, the least significant first: (value, how many).
    static func jpegXL(_ fields: [(Int, Int)]) -> [UInt8] {
        let bits = fields.flatMap { value, count in (0..<count).map { UInt8(value >> $0 & 1) } }
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            (start..<min(start + 8, bits.count)).reduce(0 as UInt8) { $0 | bits[$1] << ($1 - start) }
        }
        return [0xFF, 0x0A] + bytes + [0, 0, 0]
    }

    /// An AVIF or HEIC whose first item is a thumbnail, and whose second, the primary one, has these properties.
    static func isoMedia(_ width: Int, _ height: Int, more: [[UInt8]] = []) -> [UInt8] {
        func extent(_ width: Int, _ height: Int) -> [UInt8] {
            box("ispe", Bytes(.zeros(4), .big(width, 4), .big(height, 4)).all)
        }
        let container = box("ipco", extent(16, 16), extent(width, height), more.flatMap { $0 })
        let mine = (0...more.count).map { UInt8(0x80 | ($0 + 2)) }
        let associations = box(
            "ipma",
            Bytes(.zeros(4), .big(2, 4), .big(1, 2), .raw([1, 1]), .big(2, 2), .raw([UInt8(mine.count)] + mine)).all)
        let meta = box(
            "meta", [0, 0, 0, 0], box("hdlr", [1, 2, 3]), box("pitm", Bytes(.zeros(4), .big(2, 2)).all),
            box("iprp", container, associations))
        return box("ftyp", Array("avif".utf8), [0, 0, 0, 0]) + meta
    }
}
