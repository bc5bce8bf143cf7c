/// A WebP file: after the head come chunks, each with four letters, a size and its content.
enum WebPFile {
    static let head = 12
    /// What tells of the image, and not what it is: where it was taken, and by whom.
    private static let telling: Set<String> = ["EXIF", "XMP "]
    /// The bits of `VP8X` that announce those.
    private static let announcing: UInt8 = 0x08 | 0x04

    /// The image alone. Nil for what is no whole WebP file.
    static func imageAlone(_ file: [UInt8]) -> [UInt8]? {
        guard size(Array(file.prefix(head))) == file.count else { return nil }
        var image = Array(file[..<head])
        var offset = head
        while offset < file.count {
            guard offset + 8 <= file.count else { return nil }
            let size = number(file, at: offset + 4)
            let end = offset + 8 + size + size % 2
            guard size > 0, end <= file.count else { return nil }
            let name = String(decoding: file[offset..<offset + 4], as: UTF8.self)
            if !telling.contains(name) {
                let start = image.count
                image += file[offset..<end]
                if name == "VP8X" { image[start + 8] &= ~announcing }
            }
            offset = end
        }
        let size = UInt32(image.count - 8)
        for place in 0..<4 { image[4 + place] = UInt8(truncatingIfNeeded: size >> (8 * place)) }
        return image
    }

    /// How long the file is that begins so; nil for one that is no WebP file.
    static func size(_ start: [UInt8]) -> Int? {
        guard start.count == head, start.starts(with: "RIFF".utf8), start[8...].elementsEqual("WEBP".utf8) else {
            return nil
        }
        return number(start, at: 4) + 8
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
