internal import FeedCore

/// Width and height as a browser shows the picture, from the file's header alone. A picture whose header can't be made
/// sense of, or whose format is rare on the web, has none, and shows all the same.
struct ImageSize: Hashable {
    let width: Int
    let height: Int

    /// Nil unless both are sizes a picture can have.
    init?(_ width: Int?, _ height: Int?) {
        guard let width, let height, Self.possible.contains(width), Self.possible.contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    private static let possible = 1...(1 << 24)

    var turned: ImageSize? { ImageSize(height, width) }

    static func read(_ type: ImageType, _ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        switch type {
        case .jpeg: try jpeg(&file)
        case .png: ImageSize(try file.big(4, at: 16), try file.big(4, at: 20))
        case .gif: ImageSize(try file.little(2, at: 6), try file.little(2, at: 8))
        case .webp: try webp(&file)
        case .avif, .heic: try isoMedia(&file)
        case .bmp, .ico, .jxl, .svg, .tiff: nil
        }
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
