internal import FeedCore

extension ImageSize {
    /// The size stands in the frame header, behind any number of other segments. One of those, EXIF, may tell that the
    /// picture lies on its side.
    static func jpeg(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        var offset = 2
        var isOnItsSide = false
        for _ in 0..<FileBytes.mostParts {
            guard try file.big(1, at: offset) == 0xFF, let marker = try file.big(1, at: offset + 1),
                let length = try file.big(2, at: offset + 2), length >= 2
            else { return nil }
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                let size = ImageSize(try file.big(2, at: offset + 7), try file.big(2, at: offset + 5))
                return isOnItsSide ? size?.turned : size
            case 0xE1 where try file.has("Exif\0\0", at: offset + 4):
                let orientation = try orientation(inEXIFAt: offset + 10, &file)
                // Of the eight ways a picture can lie, four swap its width and height.
                isOnItsSide = (5...8).contains(orientation ?? 1)
            default: break
            }
            offset += 2 + length
        }
        return nil
    }

    /// EXIF is a small TIFF file: its byte order, then where a list of tagged values begins.
    private static func orientation(inEXIFAt base: Int, _ file: inout FileBytes) throws(FeedError) -> Int? {
        let isLittle = try file.has("II", at: base)
        func number(_ size: Int, at offset: Int) throws(FeedError) -> Int? {
            try isLittle ? file.little(size, at: base + offset) : file.big(size, at: base + offset)
        }
        guard let list = try number(4, at: 4), let count = try number(2, at: list) else { return nil }
        for entry in 0..<min(count, FileBytes.mostParts) where try number(2, at: list + 2 + 12 * entry) == 0x0112 {
            return try number(2, at: list + 10 + 12 * entry)
        }
        return nil
    }
}
