internal import FeedCore

extension ImageSize {
    /// The size stands in the frame header, around which any number of other segments may stand; the first of them with
    /// EXIF tells whether the picture lies on its side.
    static func jpeg(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        var offset = 2
        var frame: Int?
        var isOnItsSide: Bool?
        segments: for _ in 0..<mostParts {
            guard try file.big(1, at: offset) == 0xFF, let marker = try file.big(1, at: offset + 1) else { break }
            // A marker may be preceded by any number of fill bytes.
            if marker == 0xFF {
                offset += 1
                continue
            }
            guard let length = try file.big(2, at: offset + 2), length >= 2 else { break }
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: frame = frame ?? offset
            case 0xE1 where isOnItsSide == nil:
                if try file.has("Exif\0\0", at: offset + 4) {
                    isOnItsSide = try TIFFDirectory(at: offset + 10, &file)?.isOnItsSide ?? false
                }
            case 0xD8, 0xD9, 0xDA: break segments
            default: break
            }
            offset += 2 + length
        }
        guard let frame else { return nil }
        return ImageSize(
            try file.big(2, at: frame + 7), try file.big(2, at: frame + 5), isOnItsSide: isOnItsSide ?? false)
    }

    static func tiff(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        guard let directory = try TIFFDirectory(at: 0, &file) else { return nil }
        return ImageSize(directory.width, directory.height, isOnItsSide: directory.isOnItsSide)
    }
}
