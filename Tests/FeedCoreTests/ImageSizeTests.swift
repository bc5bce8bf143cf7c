import FeedCore
import Testing

@Suite("The size of an image in its header")
struct ImageSizeTests {
    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] { big(number, count).reversed() }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + text(name) + content
    }

    /// Headers of images of 640 by 480 pixels. The EXIF data of the JPEG has a frame header of its own, of a thumbnail.
    private static let headers: [(ImageType, [UInt8])] = [
        (.png, [0x89] + text("PNG\r\n\u{1A}\n") + box("IHDR", big(640, 4) + big(480, 4))),
        (.gif, text("GIF89a") + little(640, 2) + little(480, 2)),
        (
            .jpeg,
            [0xFF, 0xD8, 0xFF, 0xE1] + big(12, 2) + [0xFF, 0xC0, 0, 17, 8, 0, 1, 0, 1, 0]
                + [0xFF, 0xFF, 0xC2, 0, 17, 8] + big(480, 2) + big(640, 2)
        ),
        (.webp, text("RIFF....WEBPVP8 ....") + [0, 0, 0, 0x9D, 0x01, 0x2A] + little(640, 2) + little(480, 2)),
        (.webp, text("RIFF....WEBPVP8L....") + [0x2F] + little(639 | 479 << 14, 4)),
        (.webp, text("RIFF....WEBPVP8X....") + [0, 0, 0, 0] + little(639, 3) + little(479, 3)),
        (.bmp, text("BM") + little(0, 12) + little(40, 4) + little(640, 4) + little(-480, 4)),
        (.bmp, text("BM") + little(0, 12) + little(12, 4) + little(640, 2) + little(480, 2)),
        (
            .avif,
            box("ftyp", text("avif")) + box("ispe", big(0, 4) + big(64, 4) + big(64, 4))
                + box("ispe", big(0, 4) + big(640, 4) + big(480, 4))
        ),
        (
            .tiff,
            text("II*\0") + little(8, 4) + little(2, 2) + little(256, 2) + little(3, 2) + little(1, 4) + little(640, 4)
                + little(257, 2) + little(4, 2) + little(1, 4) + little(480, 4)
        ),
        // The bits of a JPEG XL header: 0 for large, 0 and 9 bits for the height, and ratio 3, which is 4:3.
        (.jxl, [0xFF, 0x0A] + little(479 << 3 | 3 << 12, 8)),
    ]

    @Test("every format gives its width and height", arguments: headers.indices)
    func formats(index: Int) throws {
        let (type, bytes) = Self.headers[index]
        #expect(ImageSize(of: type, in: bytes) == ImageSize(width: 640, height: 480))
    }

    @Test("an icon has the size of its largest image, and a side of 0 means 256")
    func icon() {
        let bytes: [UInt8] = [0, 0, 1, 0, 2, 0, 16, 16] + Array(repeating: 0, count: 14) + [0, 0] + Self.big(0, 14)
        #expect(ImageSize(of: .ico, in: bytes) == ImageSize(width: 256, height: 256))
    }

    @Test("a header that is cut off gives no size", arguments: headers.indices)
    func cutOff(index: Int) {
        let (type, bytes) = Self.headers[index]
        for length in bytes.indices.dropLast(8) {
            let size = ImageSize(of: type, in: Array(bytes.prefix(length)))
            // The size of the first tile is complete earlier.
            #expect(size == nil || size == ImageSize(width: 64, height: 64), "\(type), \(length) bytes")
        }
    }

    @Test("a header of huge, zero or repeated numbers is harmless")
    func hostile() {
        let huge = Array(repeating: UInt8.max, count: 64)
        for type in ImageType.allCases {
            for start in [[], Self.text("II*\0"), [0xFF, 0xD8], Self.text("RIFF....WEBPVP8L"), [0xFF, 0x0A]] {
                _ = ImageSize(of: type, in: start + huge)
                #expect(ImageSize(of: type, in: start + Array(repeating: 0, count: 64)) == nil || type == .jxl)
            }
        }
        let boxes = (0..<1000).flatMap { _ in Self.box("ispe", huge) }
        #expect(ImageSize(of: .heic, in: boxes) == ImageSize(width: 0xFFFF_FFFF, height: 0xFFFF_FFFF))
    }

    @Test(
        "a size is written as its width, x and its height",
        arguments: [
            ("1920x1080", ImageSize(width: 1920, height: 1080)), ("1X2", ImageSize(width: 1, height: 2)),
            ("0x5", nil), ("5", nil), ("x5", nil), ("5x", nil), ("5x5x5", nil), ("+5x5", nil), ("-1x5", nil),
            ("99999999999x5", nil), ("", nil),
        ])
    func words(text: String, size: ImageSize?) {
        #expect(ImageSize(text) == size)
    }
}
