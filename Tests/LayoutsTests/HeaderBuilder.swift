/// Builds the bytes of image headers for tests.
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

    /// Returns an ISO media box.
    static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        let all = content.flatMap { $0 }
        return Bytes(.big(all.count + 8, 4), .text(type), .raw(all)).all
    }

    /// Returns a TIFF file with one list of entries (tag, type, value), which is the content of EXIF.
    static func tiff(_ entries: [(Int, Int, Int)], isBig: Bool) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            Bytes(isBig ? .big(value, size) : .little(value, size)).all
        }
        var bytes = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        bytes += number(entries.count, 2)
        for (tag, type, value) in entries {
            let size = type == 3 ? 2 : 4
            bytes += number(tag, 2) + number(type, 2) + number(1, 4) + number(value, size)
            bytes += [UInt8](repeating: 0, count: 4 - size)
        }
        return bytes + number(0, 4)
    }

    /// Returns the segments of a JPEG up to its frame header.
    static func jpeg(_ width: Int, _ height: Int, frame: UInt8 = 0xC0, before segments: [[UInt8]] = []) -> [UInt8] {
        [0xFF, 0xD8] + segments.flatMap { $0 }
            + segment(frame, Bytes(.raw([8]), .big(height, 2), .big(width, 2), .zeros(10)).all)
    }

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + Bytes(.big(content.count + 2, 2), .raw(content)).all
    }

    static func exif(orientation: Int, isBig: Bool = false) -> [UInt8] {
        segment(0xE1, Array("Exif\0\0".utf8) + tiff([(271, 2, 0), (274, 3, orientation)], isBig: isBig))
    }

    /// Returns an AVIF or HEIC file that contains a thumbnail and the image.
    static func isoMedia(_ width: Int, _ height: Int, more: [[UInt8]] = []) -> [UInt8] {
        func extent(_ width: Int, _ height: Int) -> [UInt8] {
            box("ispe", Bytes(.zeros(4), .big(width, 4), .big(height, 4)).all)
        }
        let container = box("ipco", extent(16, 16), extent(width, height), extent(32, 32), more.flatMap { $0 })
        let meta = box("meta", [0, 0, 0, 0], box("hdlr", [1, 2, 3]), box("iprp", container))
        return box("ftyp", Array("avif".utf8), [0, 0, 0, 0]) + meta
    }
}
