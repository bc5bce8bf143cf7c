import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite struct ImageSignatureTests {
    /// The start of a file: bytes by number, text and its length by letter.
    private static func ftyp(_ brands: [String], size: Int? = nil) -> [UInt8] {
        let size = size ?? 12 + 4 * brands.count
        var bytes = [UInt8(size >> 24 & 255), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)]
        bytes += Array("ftyp".utf8) + Array((brands.first ?? "").utf8) + [0, 0, 0, 0]
        for brand in brands.dropFirst() { bytes += Array(brand.utf8) }
        return bytes + [0, 0, 0, 8] + Array("mdat".utf8)
    }

    private static func bmp(header: UInt8, reserved: UInt8 = 0) -> [UInt8] {
        Array("BM".utf8) + [70, 0, 0, 0, 0, 0, 0, reserved, 54, 0, 0, 0, header, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    }

    private static func riff(_ kind: String) -> [UInt8] {
        Array("RIFF".utf8) + [36, 0, 0, 0] + Array("\(kind)VP8 ".utf8)
    }

    private static let signatures: [(ImageType, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xDB]), (.jpeg, [0xFF, 0xD8, 0xFF]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
        (.webp, riff("WEBP")), (.avif, ftyp(["avif"])), (.avif, ftyp(["avis", "msf1"])),
        (.avif, ftyp(["mif1", "miaf", "avif"])),
        (.avif, ftyp(["heic", "mif1", "avif"])), (.heic, ftyp(["heic"])), (.heic, ftyp(["heix"])),
        (.heic, ftyp(["hevc"])),
        (.heic, ftyp(["hevx"])), (.heic, ftyp(["heim"])), (.heic, ftyp(["heis"])), (.heic, ftyp(["mif1"])),
        (.heic, ftyp(["msf1", "iso8"])),
        (.heic, ftyp(["abcd", "efgh", "heic"])), (.heic, ftyp(["heic"], size: 0x7FFF_FFFF)), (.bmp, bmp(header: 12)),
        (.bmp, bmp(header: 40)),
        (.bmp, bmp(header: 108)), (.bmp, bmp(header: 124)), (.tiff, [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]),
        (.tiff, [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8]),
        (.tiff, [0x49, 0x49, 0x2B, 0, 8, 0, 0, 0]), (.tiff, [0x4D, 0x4D, 0, 0x2B, 0, 8, 0, 0]),
        (.ico, [0, 0, 1, 0, 1, 0]), (.ico, [0, 0, 1, 0, 0, 1]),
        (.jxl, [0xFF, 0x0A]), (.jxl, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
    ]

    private static let svgs: [String] = [
        "<svg>", "<svg/>", "<svg xmlns=\"http://www.w3.org/2000/svg\">", "<svg\n", "\u{FEFF}<svg ", " \t\r\n<svg>",
        "<svg:svg xmlns:svg=\"x\">",
        "<?xml version=\"1.0\"?><svg>",
        "<?xml version='1.0' encoding='utf-8'?>\n<?xml-stylesheet href=\"a>b\"?>\n<svg>",
        "<!-- <html> -- > --><svg>", "<!----><!-- a --><svg>", "<!DOCTYPE svg><svg>",
        "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n<svg>",
        "<!DOCTYPE svg [\n<!ENTITY ns_svg \"http://www.w3.org/2000/svg\">\n<!-- it's -->\n<!ENTITY b 'c'>\n]>\n<svg>",
        "<!DOCTYPE svg[]><svg>",
    ]

    private static let otherTexts: [String] = [
        "", " ", "<", "<svg", "<svgx>", "<xsvg>", "<SVG>", "svg>", "<svg:>", "<svg:g>", "</svg>",
        "<!svg>", "< svg>",
        "<html><svg>", "<!DOCTYPE html><svg>", "<!doctype html>\n<html><body><svg></svg></body></html>",
        "<!doctype svg><svg>",
        "<!DOCTYPE html SYSTEM \"svg\"><svg>", "<!DOCTYPEsvg><svg>", "<!DOCTYPE><svg>", "<!DOCTYPE svg",
        "<!DOCTYPE svg [", "<!DOCTYPE svg [ <!-- ]>",
        "<!-- <svg>", "<!--><svg>", "<?xml <svg>", "<? ?", "hello <svg>",
        "\u{FEFF}\u{FEFF}<svg>", "<html>", "<rss>",
        "{\"items\":[]}", "BMW is a car maker, and a text", "GIF88a", "GIF", "Not found", "RIFF", "II*", "MM",
        "<p>An inline <svg></svg></p>", "%PDF-1.7\n", "ftypavif",
    ]

    private static let otherBytes: [[UInt8]] = [
        ftyp(["isom", "iso2", "mp41"]), ftyp(["mp42"]), ftyp(["qt  "]), ftyp(["isom"]) + Array("avif".utf8),
        ftyp(["heic"], size: 8),
        ftyp(["isom", "xavi", "fxxx"]), ftyp(["heic"], size: 0), riff("WAVE"), riff("AVI "), bmp(header: 41),
        bmp(header: 40, reserved: 1),
        [0xFF, 0xD8], [0xFF, 0xD8, 0xFE], [0xFF, 0xFB], [0x89, 0x50, 0x4E, 0x47, 0x0A, 0x1A, 0x0A], [0, 0, 1, 0, 0, 0],
        [0, 0, 2, 0, 1, 0],
        [0, 1, 0, 0, 0, 12], [0x49, 0x49, 0x2A, 1], [0x49, 0x49, 0x2B, 0, 4, 0, 0, 0], [0x1F, 0x8B, 8, 0],
        [0x50, 0x4B, 3, 4], [0], [0xFF], [0xFE, 0xFF],
        [0xFF, 0xFE], [0xFF, 0xFE, 0x3C], [UInt8](repeating: 0, count: 100), [UInt8](repeating: 0xFF, count: 100),
    ]

    @Test("an image is recognised by how it begins, whatever follows", arguments: signatures)
    func recognises(type: ImageType, bytes: [UInt8]) {
        #expect(ImageType(signatureOf: bytes) == type)
        #expect(ImageType(signatureOf: bytes + [UInt8](repeating: 0x20, count: 20_000)) == type)
    }

    @Test("every type but SVG is among the signatures")
    func completeness() {
        #expect(Set(Self.signatures.map(\.0)) == Set(ImageType.allCases).subtracting([.svg]))
    }

    @Test("an SVG image is an XML document whose root is svg", arguments: svgs)
    func recognisesSVG(text: String) {
        #expect(ImageType(signatureOf: Array(text.utf8)) == .svg)
    }

    @Test("pages, texts and unfinished documents are no image", arguments: otherTexts)
    func refusesText(text: String) {
        #expect(ImageType(signatureOf: Array(text.utf8)) == nil)
    }

    @Test("films, sounds and other files are no image", arguments: otherBytes)
    func refusesBytes(bytes: [UInt8]) {
        #expect(ImageType(signatureOf: bytes) == nil)
    }

    @Test(
        "the images among the fixtures are what their names say",
        arguments: [
            ("dawn.png", ImageType.png), ("lake.jpg", .jpeg), ("night.gif", .gif), ("dunes.webp", .webp),
            ("forest.svg", .svg),
            ("meadow.bmp", .bmp), ("meadow.ico", .ico), ("coast.tiff", .tiff), ("coast.avif", .avif),
        ])
    func fixtures(name: String, type: ImageType) throws {
        let bytes = try Fixtures.bytes("images/\(name)")
        #expect(ImageType(signatureOf: bytes) == type)
        #expect(Fixtures.names(in: "images", suffix: "").contains(name))
        for length in bytes.indices {
            let found = ImageType(signatureOf: Array(bytes[..<length]))
            if found != nil, found != type { Issue.record("\(name) cut after \(length) bytes is \(found as Any)") }
        }
    }

    @Test("a start cut off anywhere is that image or none")
    func truncation() {
        for (type, bytes) in Self.signatures + Self.svgs.map({ (.svg, Array($0.utf8)) }) {
            for length in bytes.indices {
                let found = ImageType(signatureOf: Array(bytes[..<length]))
                // What a brand would make an AVIF may be cut away.
                if found != nil, found != type, (found, type) != (.heic, .avif) { Issue.record("\(bytes[..<length])") }
            }
        }
    }

    @Test("the answer doesn't depend on how much more of the file is there")
    func fixedLength() {
        let comment = "<!--" + String(repeating: "x", count: ImageType.signatureLength - 12)
        let within = Array((comment + "--><svg>").utf8)
        let beyond = Array((comment + "x--><svg>").utf8)
        #expect(within.count == ImageType.signatureLength)
        #expect(ImageType(signatureOf: within) == .svg)
        #expect(ImageType(signatureOf: beyond) == nil)
        #expect(ImageType(signatureOf: beyond + beyond) == nil)
    }

    @Test("a media type names a type and is named by it", arguments: ImageType.allCases)
    func mediaTypes(type: ImageType) {
        #expect(ImageType(mediaType: type.mediaType) == type)
        #expect(type.mediaType.hasPrefix("image/"))
    }
}
