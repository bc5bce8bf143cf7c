internal import FeedCore

extension ImageSize {
    /// More segments than this before the picture are no header but an attempt to keep us busy.
    private static let mostSegments = 1000

    /// The size stands in the frame header, which any number of other segments may precede; one of them may tell that
    /// the picture lies on its side.
    static func jpeg(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        var offset = 2
        var isOnItsSide = false
        for _ in 0..<mostSegments {
            guard try file.big(1, at: offset) == 0xFF, let marker = try file.big(1, at: offset + 1) else { return nil }
            // A marker may be preceded by any number of fill bytes.
            if marker == 0xFF {
                offset += 1
                continue
            }
            guard let length = try file.big(2, at: offset + 2), length >= 2 else { return nil }
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                return ImageSize(
                    try file.big(2, at: offset + 7), try file.big(2, at: offset + 5), isOnItsSide: isOnItsSide)
            case 0xE1:
                if try file.has("Exif\0\0", at: offset + 4) {
                    isOnItsSide = try TIFFDirectory(at: offset + 10, &file)?.isOnItsSide ?? isOnItsSide
                }
            case 0xD8, 0xD9, 0xDA: return nil
            default: break
            }
            offset += 2 + length
        }
        return nil
    }

    static func tiff(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        guard let directory = try TIFFDirectory(at: 0, &file) else { return nil }
        return ImageSize(directory.width, directory.height, isOnItsSide: directory.isOnItsSide)
    }
}

/// The first directory of a TIFF, which is also what EXIF is made of.
private struct TIFFDirectory {
    private(set) var width: Int?
    private(set) var height: Int?
    private var orientation: Int?

    /// Of the eight ways a picture can lie, four swap its width and height.
    var isOnItsSide: Bool { orientation.map { (5...8).contains($0) } ?? false }

    private static let mostEntries = 4096

    init?(at base: Int, _ file: inout FileBytes) throws(FeedError) {
        let isLittle = try file.has("II", at: base)
        let isBig = try file.has("MM", at: base)
        guard isLittle || isBig else { return nil }
        func number(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
            try isLittle ? file.little(size, at: base + offset) : file.big(size, at: base + offset)
        }
        // In a BigTIFF, offsets and counts have eight bytes.
        let isWide = try number(2, at: 2) == 43
        let (countSize, entrySize, valueAt) = isWide ? (8, 20, 12) : (2, 12, 8)
        guard let start = try isWide ? number(8, at: 8) : number(4, at: 4), start <= file.count,
            let count = try number(countSize, at: start)
        else { return nil }
        for entry in 0..<min(count, Self.mostEntries) {
            let offset = start + countSize + entry * entrySize
            guard let tag = try number(2, at: offset) else { break }
            guard [256, 257, 274].contains(tag), let type = try number(2, at: offset + 2) else { continue }
            let size = type == 3 ? 2 : type == 4 ? 4 : type == 16 ? 8 : 0
            guard size > 0, let value = try number(size, at: offset + valueAt) else { continue }
            switch tag {
            case 256: width = value
            case 257: height = value
            default: orientation = value
            }
        }
    }
}
