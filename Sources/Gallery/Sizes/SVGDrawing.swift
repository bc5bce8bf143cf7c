/// What a page has to know of an SVG file: its size, and whether it is a picture and nothing more. Within a page a
/// browser runs no script of a picture; but the file can be opened by itself, and would then act in the name of the
/// site that the gallery lies on. What isn't understood to the letter is not passive.
struct SVGDrawing {
    let isPassive: Bool
    let size: ImageSize?

    init(_ bytes: [UInt8]) {
        var tags = SVGTags(bytes)
        var root: SVGTags.Tag?
        var isPassive = true
        while isPassive, let tag = tags.next() {
            root = root ?? tag
            isPassive = Self.isPassive(tag)
        }
        self.isPassive = isPassive && tags.isWellFormed && root?.name == "svg"
        size = root.flatMap(Self.size)
    }

    private static let activeElements: Set<String> = [
        "script", "foreignobject", "handler", "listener", "iframe", "frame", "object", "embed", "meta", "base", "link",
        "form", "template",
    ]

    /// They bring another document's elements into this one, or can make another element do so.
    private static let bringingElements: Set<String> = ["use", "set", "animate"]

    private static func isPassive(_ tag: SVGTags.Tag) -> Bool {
        let mayBring = bringingElements.contains(tag.name)
        return !activeElements.contains(tag.name)
            && tag.attributes.allSatisfy { attribute in
                // By the bytes: to a browser a colon is a colon, whatever accent follows it.
                let value = attribute.value.lowercased().utf8.filter { $0 > 0x20 }
                return !attribute.name.hasPrefix("on") && !value.contains("script:".utf8)
                    && (!mayBring || !value.contains("data:".utf8))
            }
    }

    /// As CSS has it: a side that isn't given follows from the view box, and with nothing given it is 300 by 150.
    private static func size(_ root: SVGTags.Tag) -> ImageSize? {
        let box = root["viewbox"].map { $0.split { $0.isWhitespace || $0 == "," }.compactMap { Double($0) } } ?? []
        let viewBox = box.count == 4 && box[2] > 0 && box[3] > 0 ? (width: box[2], height: box[3]) : nil
        let (width, height) = (root["width"].flatMap(pixels), root["height"].flatMap(pixels))
        switch (width, height, viewBox) {
        case (let width?, let height?, _): return rounded(width, height)
        case (let width?, nil, let box?): return rounded(width, width * box.height / box.width)
        case (nil, let height?, let box?): return rounded(height * box.width / box.height, height)
        case (nil, nil, let box?): return rounded(box.width, box.height)
        case (_, _, nil): return rounded(width ?? 300, height ?? 150)
        }
    }

    private static func rounded(_ width: Double, _ height: Double) -> ImageSize? {
        ImageSize(Int(exactly: width.rounded(.up)), Int(exactly: height.rounded(.up)))
    }

    /// With letters as large as a browser has them where nothing says otherwise.
    private static let units: [(name: String, pixels: Double)] = [
        ("px", 1), ("pt", 4 / 3), ("pc", 16), ("in", 96), ("cm", 96 / 2.54), ("mm", 96 / 25.4), ("q", 96 / 101.6),
        ("rem", 16), ("em", 16), ("ex", 8),
    ]

    /// Nil for a percentage and for units that depend on a window, or on more of a font.
    private static func pixels(_ length: String) -> Double? {
        let text = length.filter { !$0.isWhitespace }.lowercased()
        let unit = units.first { text.hasSuffix($0.name) }
        guard let number = Double(unit.map { text.dropLast($0.name.count) } ?? text[...]), number > 0 else {
            return nil
        }
        return number * (unit?.pixels ?? 1)
    }
}
