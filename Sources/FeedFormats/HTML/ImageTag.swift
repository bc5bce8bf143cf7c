/// An `<img>`: where its image is to be had, what is said of it, and whether it is one that anybody means.
struct ImageTag {
    /// These hold the file that was uploaded, or what comes nearest.
    private var originals: [String?] = [nil, nil, nil]
    private var sources: SourceSet
    /// A script puts these in the place of `src`, which until then is a placeholder.
    private var late: [String?] = [nil, nil, nil]
    private var source: String?
    private var hasLateSources = false
    private var sides: [String] = []
    private var style: String?
    private var classes: String?
    private(set) var title: String?
    private(set) var alternative: String?

    var isLazy: Bool { hasLateSources || late.contains { $0 != nil } }

    /// `sources` are those of the `<picture>` around it.
    init(_ attributes: HTMLAttributes, sources: SourceSet) {
        self.sources = sources
        attributes.visit { name, value in
            switch name {
            case "src": source = source ?? value()
            case "alt": alternative = value()
            case "title": title = value()
            case "width", "height": sides.append(value())
            case "class": classes = value()
            case "style": style = value()
            case "srcset": self.sources.add(value(), isOwn: true)
            case _ where name.hasPrefix("data-"): readData(name, value())
            default: break
            }
        }
    }

    private mutating func readData(_ name: String, _ value: String) {
        guard !value.isEmpty else { return }
        switch name {
        case "data-orig-file": originals[0] = value
        case "data-large-file": originals[1] = value
        case "data-full-url": originals[2] = value
        case "data-src": late[0] = value
        case "data-lazy-src": late[1] = value
        case "data-original": late[2] = value
        case "data-srcset", "data-lazy-srcset":
            sources.add(value, isOwn: true)
            hasLateSources = true
        default: break
        }
    }

    /// The link around images. It is examined once, as it may be long and hold many images.
    struct Link {
        let reference: String
        private let isImage: Bool
        /// Some servers name no type and write the size behind an equals sign. This is what stands before the sign.
        private let stem: Substring.UTF8View?

        init(_ reference: String) {
            StepCounter.add(reference.utf8.count)
            self.reference = NamedImage.Address.shortened(reference)
            isImage = ImageKind.isNamedAsImage(self.reference)
            stem = Self.stem(of: self.reference)
        }

        /// Whether the link leads to the image that `source` shows.
        func leadsToImage(at source: String?) -> Bool {
            if isImage { return true }
            guard let stem, let source, let other = Self.stem(of: source) else { return false }
            guard stem.count == other.count else { return false }
            StepCounter.add(stem.count)
            return stem.elementsEqual(other)
        }

        private static func stem(of reference: String) -> Substring.UTF8View? {
            let stem = reference.utf8.lastIndex(of: UInt8(ascii: "=")).map { reference.utf8[..<$0] }
            return stem?.contains(UInt8(ascii: "?")) == true ? nil : stem
        }
    }

    /// The references to the image, best first. `link` is the link around it.
    func references(linkedTo link: Link?) -> [String] {
        let linked = link.flatMap { $0.leadsToImage(at: source) ? $0.reference : nil }
        let best = [linked] + originals + sources.references + late
        return (best + [isLazy ? nil : source]).compactMap { $0 }
    }

    var decoration: Decoration? { Decoration.of(sides: sides, style: style, classes: classes) }
}
