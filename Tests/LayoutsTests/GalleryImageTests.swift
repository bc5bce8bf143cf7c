import FeedCore
import TestDoubles
import TestSupport
import Testing

@testable import Layouts

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

    static let samples = [
        Sample("PNG", .png, Bytes(.zeros(12), .text("IHDR"), .big(70_000, 4), .big(3, 4)).all, 70_000, 3),
        Sample("GIF", .gif, Bytes(.text("GIF89a"), .little(300, 2), .little(200, 2), .zeros(3)).all, 300, 200),
        Sample("JPEG", .jpeg, Bytes.jpeg(640, 480), 640, 480),
        Sample("progressive JPEG", .jpeg, Bytes.jpeg(640, 480, frame: 0xC2), 640, 480),
        Sample(
            "JPEG behind much else", .jpeg,
            Bytes.jpeg(1, 2, before: (0..<20).map { _ in Bytes.segment(0xE2, long) }), 1, 2),
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
    ]

    private func size(_ type: ImageType, _ bytes: [UInt8]) throws -> ImageSize? {
        var file = FileBytes(OpenBytes(bytes))
        return try ImageSize.read(type, &file)
    }

    @Test("The size of an image is read from every format that is common on the web", arguments: samples)
    func formats(_ sample: Sample) throws {
        #expect(try size(sample.type, sample.bytes) == ImageSize(sample.width, sample.height))
    }

    @Test(
        "The size of an image is read from the fixtures",
        arguments: [
            ("dawn.png", .png, 160, 120), ("lake.jpg", .jpeg, 160, 120), ("night.gif", .gif, 128, 96),
            ("dunes.webp", .webp, 160, 120), ("coast.avif", .avif, 96, 72),
            ("meadow.bmp", .bmp, 64, 48),
        ] as [(String, ImageType, Int, Int)])
    func fixtures(name: String, type: ImageType, width: Int, height: Int) throws {
        #expect(try size(type, try Fixtures.bytes("images/\(name)")) == ImageSize(width, height))
    }

    @Test(
        "The size of an image of a rare format is unknown",
        arguments: [("coast.tiff", .tiff)] as [(String, ImageType)])
    func others(name: String, type: ImageType) throws {
        #expect(try size(type, try Fixtures.bytes("images/\(name)")) == nil)
    }

    @Test("The size of an empty file is unknown, and cut-off or damaged files do no harm", arguments: samples)
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

    @Test(
        "A size is written as its width, x and its height",
        arguments: [
            ("1920x1080", ImageSize(1920, 1080)), ("1X2", ImageSize(1, 2)), ("0x5", nil), ("5", nil), ("x5", nil),
            ("5x", nil), ("5x5x5", nil), ("+5x5", nil), ("-1x5", nil), ("99999999999x5", nil), ("", nil),
        ])
    func words(text: String, size: ImageSize?) { #expect(ImageSize(text) == size) }

    @Test("The size of an image is never zero and never impossibly large") func limits() {
        #expect(ImageSize(0, 5) == nil)
        #expect(ImageSize(5, 0) == nil)
        #expect(ImageSize(-5, 5) == nil)
        #expect(ImageSize(1 << 25, 5) == nil)
        #expect(ImageSize(nil, 5) == nil)
        #expect(ImageSize(3, 4)?.turned == ImageSize(4, 3))
    }
}

@Suite("The room of an image in the grid")
struct ProportionsTests {
    @Test(
        "The room of an image has its own proportions, unless they are extreme or the image is tiny",
        arguments: [
            (1500, 1000, 150, false), (1000, 1500, 67, false), (100, 100, 100, false), (3000, 1000, 300, false),
            (9000, 1000, 400, true), (100, 4000, 66, true), (16, 16, 100, true), (95, 95, 100, true),
            (96, 20, 400, true),
        ])
    func proportions(width: Int, height: Int, ratio: Int, isWhole: Bool) throws {
        let found = Proportions(try #require(ImageSize(width, height)))
        #expect(found.ratio == ratio)
        #expect(found.isWhole == isWhole)
    }

    @Test(
        "The room of an image is a rule of the style sheet",
        arguments: [(50, ".r50{--r:0.50}\n"), (105, ".r105{--r:1.05}\n")])
    func rules(ratio: Int, rule: String) { #expect(Proportions.rule(ratio) == rule) }
}

@Suite("An SVG file")
struct SVGCheckTests {
    private func isPassive(_ text: String) -> Bool { SVGCheck.isPassive(Array(text.utf8)) }

    @Test(
        "An SVG file that only draws is passive",
        arguments: [
            "<svg/>", "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\n<!-- one -->\n<svg></svg>",
            "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'><svg/>",
            "<!DOCTYPE svg><svg/>", "<!DOCTYPE svg SYSTEM \"it's > here\" ><!-- one --><svg></svg >",
            "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g id='one'><s:path d='M0 0'/></s:g></s:svg>",
            "<svg><style><![CDATA[ .a > .b { fill: red } ]]></style><text>1 &#60; 2 &amp; so on</text></svg>",
            "<svg><image href='data:image/png;base64,AAAA'/><a href='https://example.com/'><rect/></a></svg>",
            "<svg label='a&#10;b'><title>Description: nothing</title></svg>",
            "<svg><g id='a'/><use href='#a'/><animate attributeName='x' values='1;2'/></svg>",
            "<svg><use href='#a'/><image id='a' href='data:image/png;base64,\noAA=='/><text>turn on = 1</text></svg>",
            "<svg a='&#60;'/>", "<svg version='1.1' i:onwards='1' font='One'/>",
        ])
    func passive(text: String) { #expect(isPassive(text)) }

    @Test(
        "An SVG file that could do anything else, or looks like it, is not passive",
        arguments: [
            "<svg><script>alert(1)</script></svg>", "<svg><s:script xmlns:s='http://www.w3.org/2000/svg'/></svg>",
            "<svg><SCRIPT/></svg>", "<svg onload='alert(1)'/>", "<svg><rect\nonclick = \"alert(1)\"/></svg>",
            "<svg><a href='javascript:alert(1)'/></svg>", "<svg><a xlink:href=' JavaScript:alert(1)'/></svg>",
            "<svg><a href='java&#x73;cript:alert(1)'/></svg>", "<svg><a href='java&#115;cript&#58;alert(1)'/></svg>",
            "<svg><a href='java&#10;script:alert(1)'/></svg>", "<svg><a href='javascript:\u{301}alert(1)'/></svg>",
            "<svg><set attributeName='href' to='javascript:alert(1)'/></svg>",
            "<svg><use href='data:image/svg+xml,%3Csvg/%3E#x'/></svg>", "<svg><s:use x:href='\n DATA:,x#x'/></svg>",
            "<svg><use href='da&#x9;ta&#58;image/svg+xml;base64,AA==#x'/></svg>",
            "<svg><use><set attributeName='href' to='data:,x#x'/></use></svg>",
            "<svg><animate href='#u' attributeName='href' values='#a;data:,x#x'/><use id='u'/></svg>",
            "<svg><foreignObject><b/></foreignObject></svg>", "<svg><h:iframe src='x'/></svg>", "<svg><handler/></svg>",
            "<!DOCTYPE svg [<!ENTITY x '<script/>'>]><svg>&x;</svg>",
            "<?xml-stylesheet type='text/xsl' href='#x'?><svg/>", "<svg><?xml-stylesheet href='#x'?></svg>",
            "<?xml version='1.0' encoding = 'UTF-7'?><svg/>",
            "<svg a='&#+120;'/>", "<svg a='&unknown;'/>", "<svg a='&'/>",
            "<svg><a href='javascript&colon;alert(1)'/></svg>", "<svg a='&#xZZ;'/>", "<svg a='&#120'/>",
            "<svg/onload=alert(1)>", "<svg a='b'onload='alert(1)'/>",
            "<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'x'>]><svg/>",
            "<svg><!-- <script> --></svg>", "<svg><![CDATA[<script>]]></svg>",
        ])
    func active(text: String) { #expect(!isPassive(text)) }

    @Test(
        "An SVG file that loads something from elsewhere when it is opened by itself is not passive",
        arguments: [
            "<svg><image href='https://a.example/'/></svg>", "<svg><image x:href=' //a.example/'/></svg>",
            "<svg><image href='other.png'/></svg>", "<svg><use href='other.svg#a'/></svg>",
            "<svg><image title='&lt;a ' href='https://a.example/'/></svg>",
            "<svg><rect fill='url(https://a.example/#a)'/></svg>",
            "<svg><rect style='fill: url( \"//a.example\" )'/></svg>",
            "<svg><style>@import '//a.example/';</style></svg>", "<svg><style>@\\69mport '//a.example/';</style></svg>",
            "<svg><style>a{b:u\\rl(//a.example/)}</style></svg>",
            "<svg><style>a{b:image-set('//a.example/' 1x)}</style></svg>",
            "<svg><style><![CDATA[a{b:url(//a.example/)}]]></style></svg>",
            "<svg><h:img xmlns:h='http://www.w3.org/1999/xhtml' src='//a.example/'/></svg>",
            "<svg><image><set attributeName='href' to='//a.example/'/></image></svg>",
            "<svg><image><animate attributeName = ' xlink:href ' to='//a.example/'/></image></svg>",
            "<svg xml:base='//a.example/'><use href='#a'/></svg>",
        ])
    func loading(text: String) { #expect(!isPassive(text)) }

    @Test(
        "An SVG file whose references stay in the file, and whose links a visitor has to click, is passive",
        arguments: [
            "<svg><rect fill='url(#a)'/><rect style='fill:url(&quot;#a&quot;)'/><style>a{b:url( '#c' )}</style></svg>",
            "<svg><a href='https://a.example/'>a</a><a xlink:href='b.html'/></svg>",
            "<svg><animate attributeName='fill' xlink:href='#a' values='1;2'/></svg>",
            "<svg><style>@font-face{src:url(data:font/woff2;base64,AA==)}</style></svg>",
            "<svg xmlns:xlink='http://www.w3.org/1999/xlink'><style>a{font-family:\\'a\\, b\\'}</style></svg>",
            "<svg><metadata><r:li r:resource='http://a.example/'/></metadata></svg>",
        ])
    func contained(text: String) { #expect(isPassive(text)) }

    @Test(
        "An SVG file with a document type that a browser could end elsewhere is not passive",
        arguments: [
            #"<!DOCTYPE svg SYSTEM "x><!--"><svg><script>alert(1)</script><!-- --><svg/></svg>"#,
            #"<!DOCTYPE svg PUBLIC "x" "x><!--"><svg><script>alert(1)</script><!-- --><svg/></svg>"#,
        ])
    func documentType(text: String) { #expect(!isPassive(text)) }

    @Test("An SVG file in UTF-16 is not passive") func wide() {
        #expect(!SVGCheck.isPassive([0xFF, 0xFE] + "<svg/>".utf16.flatMap { [UInt8($0), 0] }))
        #expect(!SVGCheck.isPassive("<svg/>".utf16.flatMap { [0, UInt8($0)] }))
    }
}
