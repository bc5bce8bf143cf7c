internal import FeedCore

extension ImageSize {
    /// A codestream, or a container of boxes with one in it, whole or in parts.
    static func jpegXL(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        if try file.big(2, at: 0) == 0xFF0A { return try codestream(at: 2, &file) }
        for box in try Boxes.all(in: 0..<file.count, &file) {
            // A part begins with its number.
            let start = box.content.lowerBound + (box.type == "jxlp" ? 4 : 0)
            guard box.type == "jxlc" || box.type == "jxlp" else { continue }
            return try file.big(2, at: start) == 0xFF0A ? codestream(at: start + 2, &file) : nil
        }
        return nil
    }

    private static func codestream(at offset: Int, _ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        var bits = Bits(try file.bytes(min(12, max(0, file.count - offset)), at: offset) ?? [])
        let isSmall = bits.take(1) == 1
        let height = side(isSmall, &bits)
        let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
        let ratio = bits.take(3)
        let width = ratio == 0 ? side(isSmall, &bits) : height * ratios[ratio - 1].0 / ratios[ratio - 1].1
        let hasOrientation = bits.take(1) == 0 && bits.take(1) == 1
        let orientation = hasOrientation ? bits.take(3) + 1 : 1
        return bits.areEnough ? ImageSize(width, height, isOnItsSide: orientation > 4) : nil
    }

    private static func side(_ isSmall: Bool, _ bits: inout Bits) -> Int {
        if isSmall { return (bits.take(5) + 1) * 8 }
        return bits.take([9, 13, 18, 30][bits.take(2)]) + 1
    }
}

/// Bits, the least significant of each byte first.
private struct Bits {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    var areEnough: Bool { position <= bytes.count * 8 }

    /// Zero where there are none any more.
    mutating func take(_ count: Int) -> Int {
        var value = 0
        for place in 0..<count {
            if position / 8 < bytes.count { value |= Int(bytes[position / 8] >> (position % 8) & 1) << place }
            position += 1
        }
        return value
    }
}
