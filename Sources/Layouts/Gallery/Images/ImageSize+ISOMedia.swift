internal import FeedCore

extension ImageSize {
    /// AVIF and HEIC. A file holds thumbnails and tiles besides the picture, which is the largest of them.
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

/// Part of an ISO media file: a size, four letters, the content.
private struct Box {
    let type: String
    let content: Int
    let end: Int
}

extension FileBytes {
    /// The boxes within the first box of this name, within the first one of that name.
    fileprivate mutating func boxes(below path: [String]) throws(FeedError) -> [Box] {
        var boxes = try boxes(from: 0, to: count)
        for name in path {
            guard let outer = boxes.first(where: { $0.type == name }) else { return [] }
            // A version and flags stand before the boxes in this one.
            boxes = try self.boxes(from: outer.content + (name == "meta" ? 4 : 0), to: outer.end)
        }
        return boxes
    }

    private mutating func boxes(from start: Int, to end: Int) throws(FeedError) -> [Box] {
        var boxes: [Box] = []
        var offset = start
        while boxes.count < Self.mostParts, let size = try big(4, at: offset), let type = try bytes(4, at: offset + 4),
            size >= 8, size <= end - offset
        {
            boxes.append(
                Box(type: String(decoding: type, as: UTF8.self), content: offset + 8, end: offset + size))
            offset += size
        }
        return boxes
    }
}
