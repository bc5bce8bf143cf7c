internal import FeedCore

extension ImageSize {
    /// The size stands at the beginning; a chunk between it and the picture may tell that that one lies on its side.
    static func png(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        guard try file.has("IHDR", at: 12) else { return nil }
        let orientation = try exif(&file)
        return ImageSize(
            try file.big(4, at: 16), try file.big(4, at: 20), isOnItsSide: orientation?.isOnItsSide ?? false)
    }

    private static func exif(_ file: inout FileBytes) throws(FeedError) -> TIFFDirectory? {
        var offset = 33
        for _ in 0..<mostParts {
            guard let length = try file.big(4, at: offset), try !file.has("IDAT", at: offset + 4) else { return nil }
            if try file.has("eXIf", at: offset + 4) { return try TIFFDirectory(at: offset + 8, &file) }
            // Behind the content is a checksum.
            offset += 12 + length
        }
        return nil
    }
}
