internal import FeedCore

extension ImageSize {
    /// AVIF and HEIC: boxes within boxes. The primary item's properties tell its size, and whether it is turned.
    static func isoMedia(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        guard let meta = try Boxes.find("meta", in: 0..<file.count, &file) else { return nil }
        let inside = meta.dropFirst(4)
        guard let properties = try Boxes.find("iprp", in: inside, &file),
            let container = try Boxes.find("ipco", in: properties, &file)
        else { return nil }
        let all = try Boxes.all(in: container, &file)
        let mine = try associations(of: primaryItem(in: inside, &file), in: properties, &file)
        let own = mine.compactMap { all.indices.contains($0 - 1) ? all[$0 - 1] : nil }
        guard let extent = (own + all).first(where: { $0.type == "ispe" })?.content else { return nil }
        let turn = try own.first { $0.type == "irot" }.flatMap { box throws(FeedError) in
            try file.big(1, at: box.content.lowerBound)
        }
        return ImageSize(
            try file.big(4, at: extent.lowerBound + 4), try file.big(4, at: extent.lowerBound + 8),
            isOnItsSide: (turn ?? 0) % 2 == 1)
    }

    private static func primaryItem(in meta: Range<Int>, _ file: inout FileBytes) throws(FeedError) -> Int? {
        guard let box = try Boxes.find("pitm", in: meta, &file), let version = try file.big(1, at: box.lowerBound)
        else { return nil }
        return try file.big(version == 0 ? 2 : 4, at: box.lowerBound + 4)
    }

    /// Numbers of properties, counted from 1.
    private static func associations(
        of item: Int?, in properties: Range<Int>, _ file: inout FileBytes
    ) throws(FeedError) -> [Int] {
        guard let item, let box = try Boxes.find("ipma", in: properties, &file),
            let version = try file.big(1, at: box.lowerBound), let flags = try file.big(3, at: box.lowerBound + 1),
            let entries = try file.big(4, at: box.lowerBound + 4)
        else { return [] }
        let (idSize, numberSize) = (version < 1 ? 2 : 4, flags & 1 == 1 ? 2 : 1)
        var offset = box.lowerBound + 8
        for _ in 0..<min(entries, Boxes.most) where offset < box.upperBound {
            guard let id = try file.big(idSize, at: offset), let count = try file.big(1, at: offset + idSize) else {
                return []
            }
            offset += idSize + 1
            if id == item {
                var numbers: [Int] = []
                for place in 0..<count {
                    guard let number = try file.big(numberSize, at: offset + place * numberSize) else { break }
                    // The highest bit says whether a reader may ignore the property.
                    numbers.append(number & (numberSize == 2 ? 0x7FFF : 0x7F))
                }
                return numbers
            }
            offset += count * numberSize
        }
        return []
    }
}

/// The boxes of ISO media files, which JPEG XL uses too: a size, four letters, the content.
enum Boxes {
    static let most = 1000

    struct Box {
        let type: String
        let content: Range<Int>
    }

    static func all(in range: Range<Int>, _ file: inout FileBytes) throws(FeedError) -> [Box] {
        var boxes: [Box] = []
        var offset = range.lowerBound
        while boxes.count < most, offset < range.upperBound, let box = try box(at: offset, in: range, &file) {
            boxes.append(box)
            offset = box.content.upperBound
        }
        return boxes
    }

    static func find(_ type: String, in range: Range<Int>, _ file: inout FileBytes) throws(FeedError) -> Range<Int>? {
        try all(in: range, &file).first { $0.type == type }?.content
    }

    private static func box(
        at offset: Int, in range: Range<Int>, _ file: inout FileBytes
    ) throws(FeedError) -> Box? {
        guard var size = try file.big(4, at: offset), let type = try file.bytes(4, at: offset + 4) else { return nil }
        let name = String(decoding: type, as: UTF8.self)
        var header = 8
        if size == 1 {
            guard let wide = try file.big(8, at: offset + 8) else { return nil }
            (size, header) = (wide, 16)
        } else if size == 0 {
            size = range.upperBound - offset
        }
        guard size >= header, size <= range.upperBound - offset else { return nil }
        return Box(type: name, content: offset + header..<offset + size)
    }
}

extension Range<Int> {
    /// What is left of a box behind its version and flags.
    fileprivate func dropFirst(_ count: Int) -> Range<Int> { Swift.min(lowerBound + count, upperBound)..<upperBound }
}
