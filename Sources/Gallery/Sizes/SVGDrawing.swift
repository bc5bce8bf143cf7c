/// Whether an SVG file is a picture and nothing more. Within a page a
/// browser runs no script of a picture; but the file can be opened by itself, and would then act in the name of the
/// site that the gallery lies on. What isn't understood to the letter is not passive.
struct SVGDrawing {
    let isPassive: Bool

    init(_ bytes: [UInt8]) {
        var tags = SVGTags(bytes)
        var root: SVGTags.Tag?
        var isPassive = true
        while isPassive, let tag = tags.next() {
            root = root ?? tag
            isPassive = Self.isPassive(tag)
        }
        self.isPassive = isPassive && tags.isWellFormed && root?.name == "svg"
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
}
