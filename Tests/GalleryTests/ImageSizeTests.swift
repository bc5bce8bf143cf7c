import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Gallery

@Suite("The size of an image, from its header")
struct ImageSizeTests {
    struct Sample: CustomTestStringConvertible {
        let name: String
        let type: ImageType
        let bytes: [UInt8]
        let width: Int
        let height: Int

        init(_ name: String, _ type: ImageType, _ bytes: [UInt8], _ width: Int, _ height: Int) {
            (self.name, self.type, self.bytes, self.width, self.height) = (name, type, bytes, width, height)
        }

        var testDescription: String { name }
    }

    private static let long = [UInt8](repeating: 0, count: 65_000)
    private static func turn(_ quarters: UInt8) -> [UInt8] { Bytes.box("irot", [quarters]) }
    private static let turned = ("eXIf", Bytes.tiff([(274, 3, 6)], isBig: true))
    private static let gif = Bytes(.text("GIF89a"), .little(300, 2), .little(200, 2), .zeros(3)).all

    static let samples = [
        Sample("PNG", .png, Bytes(.zeros(12), .text("IHDR"), .big(70_000, 4), .big(3, 4)).all, 70_000, 3),
        Sample(
            "PNG on its side", .png, Bytes.png(640, 480, [("gAMA", [0, 0, 0, 1]), turned, ("IDAT", [])]), 480, 640),
        Sample("PNG upside down", .png, Bytes.png(640, 480, [("eXIf", Bytes.tiff([(274, 3, 3)]))]), 640, 480),
        Sample("PNG with EXIF behind the picture", .png, Bytes.png(640, 480, [("IDAT", [7]), turned]), 640, 480),
        Sample("GIF", .gif, gif, 300, 200),
        Sample("GIF with a frame that fits", .gif, gif + Bytes.gifFrame(x: 200, y: 100, 100, 100), 300, 200),
        Sample("GIF whose first frame is larger than its screen", .gif, gif + Bytes.gifFrame(400, 250), 400, 250),
        Sample("GIF whose first frame reaches beyond", .gif, gif + Bytes.gifFrame(x: 10, y: 0, 300, 200), 310, 200),
        Sample(
            "GIF whose second frame is larger", .gif, gif + Bytes.gifFrame(1, 1) + Bytes.gifFrame(9, 900), 300, 200),
        Sample(
            "GIF with colours and a comment before its frame", .gif,
            Bytes(
                .text("GIF89a"), .zeros(4), .raw([0x81, 0, 0]), .zeros(12), .raw([0x21, 0xFE, 2, 7, 7, 1, 7, 0]),
                .raw(Bytes.gifFrame(40, 30))
            ).all, 40, 30),
        Sample("JPEG", .jpeg, Bytes.jpeg(640, 480), 640, 480),
        Sample("progressive JPEG", .jpeg, Bytes.jpeg(640, 480, frame: 0xC2), 640, 480),
        Sample(
            "JPEG behind much else", .jpeg,
            Bytes.jpeg(1, 2, before: (0..<20).map { _ in Bytes.segment(0xE2, long) }), 1, 2),
        Sample("JPEG with fill bytes", .jpeg, Bytes.jpeg(5, 6, before: [[0xFF, 0xFF, 0xFF]]), 5, 6),
        Sample(
            "JPEG with Huffman tables first", .jpeg, Bytes.jpeg(5, 6, before: [Bytes.segment(0xC4, [0, 0, 9])]), 5, 6),
        Sample("JPEG upside down", .jpeg, Bytes.jpeg(640, 480, before: [Bytes.exif(orientation: 3)]), 640, 480),
        Sample("JPEG on its side", .jpeg, Bytes.jpeg(640, 480, before: [Bytes.exif(orientation: 6)]), 480, 640),
        Sample(
            "JPEG on its side, big-endian", .jpeg,
            Bytes.jpeg(640, 480, before: [Bytes.exif(orientation: 8, isBig: true)]), 480, 640),
        Sample(
            "JPEG with XMP", .jpeg,
            Bytes.jpeg(640, 480, before: [Bytes.exif(orientation: 6), Bytes.segment(0xE1, Array("http://x".utf8))]),
            480,
            640),
        Sample(
            "JPEG with EXIF twice", .jpeg,
            Bytes.jpeg(640, 480, before: [Bytes.exif(orientation: 6), Bytes.exif(orientation: 1)]), 480, 640),
        Sample(
            "JPEG with EXIF twice, the first upright", .jpeg,
            Bytes.jpeg(640, 480, before: [Bytes.exif(orientation: 1), Bytes.exif(orientation: 6)]), 640, 480),
        Sample(
            "JPEG with an orientation of another type", .jpeg,
            Bytes.jpeg(640, 480, before: [Bytes.exif(orientation: 6, type: 4)]), 640, 480),
        Sample(
            "JPEG on its side, said behind its frame header", .jpeg,
            Bytes.jpeg(640, 480) + Bytes.exif(orientation: 6) + [0xFF, 0xDA], 480, 640),
        Sample(
            "JPEG with EXIF behind its picture", .jpeg,
            Bytes.jpeg(640, 480) + Bytes.segment(0xDA, []) + Bytes.exif(orientation: 6), 640, 480),
        Sample(
            "WebP", .webp,
            Bytes(
                .text("RIFF"), .zeros(4), .text("WEBPVP8 "), .zeros(7), .raw([0x9D, 1, 0x2A]), .little(0x4000 | 500, 2),
                .little(250, 2)
            ).all, 500, 250),
        Sample(
            "lossless WebP", .webp,
            Bytes(.text("RIFF"), .zeros(4), .text("WEBPVP8L"), .zeros(4), .raw([0x2F]), .little(499 | 249 << 14, 4))
                .all,
            500, 250),
        Sample(
            "extended WebP", .webp,
            Bytes(.text("RIFF"), .zeros(4), .text("WEBPVP8X"), .zeros(8), .little(99_999, 3), .little(9, 3)).all,
            100_000,
            10),
        Sample("AVIF", .avif, Bytes.isoMedia(400, 300), 400, 300),
        Sample("AVIF turned by 90°", .avif, Bytes.isoMedia(400, 300, more: [turn(1)]), 300, 400),
        Sample(
            "HEIC turned by 180°", .heic, Bytes.isoMedia(400, 300, more: [Bytes.box("pixi", [0]), turn(2)]), 400, 300),
        Sample("BMP", .bmp, Bytes(.text("BM"), .zeros(12), .little(40, 4), .little(9, 4), .little(8, 4)).all, 9, 8),
        Sample(
            "BMP from top to bottom", .bmp,
            Bytes(.text("BM"), .zeros(12), .little(40, 4), .little(9, 4), .little(-8, 4)).all, 9, 8),
        Sample("old BMP", .bmp, Bytes(.text("BM"), .zeros(12), .little(12, 4), .little(9, 2), .little(8, 2)).all, 9, 8),
        Sample("TIFF", .tiff, Bytes.tiff([(256, 3, 30), (257, 4, 20)]), 30, 20),
        Sample("TIFF on its side", .tiff, Bytes.tiff([(256, 3, 30), (257, 3, 20), (274, 3, 5)], isBig: true), 20, 30),
        Sample(
            "TIFF with its header at the end", .tiff, Bytes.tiff([(256, 4, 30), (257, 4, 20)], gap: 90_000), 30, 20),
        Sample(
            "BigTIFF", .tiff,
            Bytes(
                .text("II"), .little(43, 2), .little(8, 2), .zeros(2), .little(16, 8), .little(2, 8), .little(256, 2),
                .little(4, 2), .little(1, 8), .little(30, 8), .little(257, 2), .little(16, 2), .little(1, 8),
                .little(20, 8)
            ).all, 30, 20),
        Sample(
            "ICO with three pictures", .ico,
            Bytes(
                .little(0, 2), .little(1, 2), .little(3, 2), .raw([16, 16]), .zeros(14), .raw([0, 0]), .zeros(14),
                .raw([32, 32]), .zeros(14)
            ).all, 256, 256),
        Sample("small JPEG XL", .jxl, Bytes.jpegXL([(1, 1), (7, 5), (1, 3), (1, 1)]), 64, 64),
        Sample("small JPEG XL, 16 by 9", .jxl, Bytes.jpegXL([(1, 1), (8, 5), (5, 3), (1, 1)]), 128, 72),
        Sample(
            "JPEG XL", .jxl, Bytes.jpegXL([(0, 1), (1, 2), (2999, 13), (0, 3), (2, 2), (3999, 18), (1, 1)]), 4000,
            3000),
        Sample(
            "JPEG XL on its side", .jxl,
            Bytes.jpegXL([(0, 1), (0, 2), (299, 9), (3, 3), (0, 1), (1, 1), (5, 3)]), 300, 400),
        Sample(
            "JPEG XL in a container", .jxl,
            Bytes.box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + Bytes.box("ftyp", Array("jxl ".utf8))
                + Bytes.box("jxlp", [0, 0, 0, 0], Bytes.jpegXL([(1, 1), (7, 5), (1, 3), (1, 1)])), 64, 64),
    ]

    private func size(_ type: ImageType, _ bytes: [UInt8]) throws -> ImageSize? {
        var file = FileBytes(OpenBytes(bytes))
        return try ImageSize.read(type, &file)
    }

    @Test("is read from every format", arguments: samples)
    func formats(_ sample: Sample) throws {
        #expect(try size(sample.type, sample.bytes) == ImageSize(sample.width, sample.height))
    }

    @Test(
        "is that of the fixtures",
        arguments: [
            ("dawn.png", .png), ("lake.jpg", .jpeg), ("night.gif", .gif), ("dunes.webp", .webp), ("coast.avif", .avif),
            ("coast.tiff", .tiff), ("meadow.bmp", .bmp), ("meadow.ico", .ico),
        ] as [(String, ImageType)])
    func fixtures(name: String, type: ImageType) throws {
        let expected = FixtureSizes.known[name]
        let found = try size(type, try Fixtures.bytes("images/\(name)"))
        #expect(found.map { [$0.width, $0.height] } == expected)
    }

    @Test("of a file that ends at once is unknown; cut off and damaged ones are withstood", arguments: samples)
    func damaged(_ sample: Sample) throws {
        for length in 0..<min(sample.bytes.count, 400) {
            let found = try size(sample.type, Array(sample.bytes.prefix(length)))
            #expect(length >= 4 || found == nil)
        }
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var damaged = Array(sample.bytes.prefix(400))
            for _ in 0..<4 {
                let place = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[place] = .random(in: 0...255, using: &generator)
            }
            _ = try size(sample.type, damaged)
        }
    }

    @Test("is never zero and never more than a picture can have") func limits() {
        #expect(ImageSize(0, 5) == nil)
        #expect(ImageSize(5, 0) == nil)
        #expect(ImageSize(-5, 5) == nil)
        #expect(ImageSize(1 << 25, 5) == nil)
        #expect(ImageSize(nil, 5) == nil)
        #expect(ImageSize(3, 4, isOnItsSide: true) == ImageSize(4, 3))
    }

    @Test("is found with a few short reads, wherever it stands", arguments: [0, 3_000_000])
    func reads(gap: Int) async throws {
        let store = InMemoryImageStore()
        let bytes = Bytes.tiff([(256, 4, 30), (257, 4, 20)], gap: gap)
        let staged = try store.stage()
        try staged.append(bytes)
        _ = try await store.publish([
            ReceivedImage(
                url: .image(0), bytes: staged, size: Int64(bytes.count), type: .tiff, validators: Validators(),
                fetchedAt: Timestamp(microseconds: 0))
        ])
        let image = try #require(try await store.find([.image(0)])[0])
        var file = FileBytes(try await store.files(lockWait: .zero).open(image))
        #expect(try ImageSize.read(.tiff, &file) == ImageSize(30, 20))
    }
}

enum FixtureSizes {
    static let known = [
        "dawn.png": [160, 120], "lake.jpg": [160, 120], "night.gif": [128, 96], "dunes.webp": [160, 120],
        "coast.avif": [96, 72], "coast.tiff": [96, 72], "meadow.bmp": [64, 48], "meadow.ico": [32, 32],
    ]
}

@Suite("The room of a picture in the grid")
struct ProportionsTests {
    @Test(
        "is its own proportions, unless it is extreme or tiny",
        arguments: [
            (1500, 1000, 150, false), (1000, 1500, 67, false), (100, 100, 100, false), (3000, 1000, 300, false),
            (9000, 1000, 300, true), (100, 4000, 50, true), (16, 16, 100, true), (95, 95, 100, true),
            (96, 20, 300, true),
        ])
    func proportions(width: Int, height: Int, ratio: Int, isWhole: Bool) throws {
        let found = Proportions(try #require(ImageSize(width, height)))
        #expect(found.ratio == ratio)
        #expect(found.isWhole == isWhole)
    }

    @Test("is a rule of the style sheet", arguments: [(50, ".r50{--r:0.50}\n"), (105, ".r105{--r:1.05}\n")])
    func rules(ratio: Int, rule: String) { #expect(Proportions.rule(ratio) == rule) }
}
