/// An `<img>`: where its picture is to be had, what is said of it, and whether it is one that anybody means.
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

    /// The best first. `link` is where a click on the picture leads.
    func references(linkedTo link: String?) -> [String] {
        let linked = link.flatMap { ImageKind.isNamedAsPicture($0) || isRendition($0) ? $0 : nil }
        let best = [linked] + originals + sources.references + late
        return (best + [isLazy ? nil : source]).compactMap { $0 }
    }

    /// Some servers name no type, and the size behind an equals sign.
    private func isRendition(_ link: String) -> Bool {
        guard let source, let end = link.lastIndex(of: "="), let other = source.lastIndex(of: "=") else { return false }
        return link[..<end] == source[..<other] && !link[..<end].contains("?")
    }

    var decoration: Decoration? { Decoration.of(sides: sides, style: style, classes: classes) }
}
