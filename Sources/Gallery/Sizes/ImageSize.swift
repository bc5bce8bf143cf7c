internal import FeedCore

/// Width and height as a browser shows the picture: turned upright, if its file says that it lies on its side.
struct ImageSize: Hashable {
    let width: Int
    let height: Int

    /// Nil unless both are sizes a picture can have.
    init?(_ width: Int?, _ height: Int?, isOnItsSide: Bool = false) {
        guard let width, let height, Self.possible.contains(width), Self.possible.contains(height) else { return nil }
        self.width = isOnItsSide ? height : width
        self.height = isOnItsSide ? width : height
    }

    private static let possible = 1...(1 << 24)
    /// More segments, chunks or blocks than this before the picture are no header but an attempt to keep us busy.
    static let mostParts = 1000

    var aspectRatio: Double { Double(width) / Double(height) }
}

extension ImageSize {
    /// From the file's header alone; nil if that can't be made sense of. SVG has none: see `SVGDrawing`.
    static func read(_ type: ImageType, _ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        switch type {
        case .jpeg: try jpeg(&file)
        case .png: try png(&file)
        case .gif: try gif(&file)
        case .webp: try webp(&file)
        case .avif, .heic: try isoMedia(&file)
        case .bmp: try bmp(&file)
        case .tiff: try tiff(&file)
        case .ico: try ico(&file)
        case .jxl: try jpegXL(&file)
        case .svg: nil
        }
    }

    private static func bmp(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        if try file.little(4, at: 14) == 12 { return ImageSize(try file.little(2, at: 18), try file.little(2, at: 20)) }
        // The height of one whose rows stand from top to bottom is negative.
        let height = try file.little(4, at: 22).map { Int(Int32(truncatingIfNeeded: $0).magnitude) }
        return ImageSize(try file.little(4, at: 18), height)
    }

    /// The largest of its pictures. A side of 256 is written as 0.
    private static func ico(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        var largest: ImageSize?
        for entry in 0..<min(try file.little(2, at: 4) ?? 0, 256) {
            guard let width = try file.little(1, at: 6 + 16 * entry),
                let height = try file.little(1, at: 7 + 16 * entry)
            else { break }
            let size = ImageSize(width == 0 ? 256 : width, height == 0 ? 256 : height)
            if let size, size.width > largest?.width ?? 0 { largest = size }
        }
        return largest
    }

    private static func webp(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        if try file.has("VP8X", at: 12) {
            return ImageSize(try file.little(3, at: 24).map { $0 + 1 }, try file.little(3, at: 27).map { $0 + 1 })
        }
        if try file.has("VP8L", at: 12), let bits = try file.little(4, at: 21) {
            return ImageSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        guard try file.has("VP8 ", at: 12), try file.big(3, at: 23) == 0x9D012A else { return nil }
        return ImageSize(try file.little(2, at: 26).map { $0 & 0x3FFF }, try file.little(2, at: 28).map { $0 & 0x3FFF })
    }
}
