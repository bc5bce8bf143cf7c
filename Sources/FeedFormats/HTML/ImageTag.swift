/// The attributes of an `<img>` tag that locate and describe its image, or mark it as decoration.
struct ImageTag {
    /// References to the uploaded file or to its largest rendition.
    private var originals: [String?] = [nil, nil, nil, nil, nil]
    private var sources: SourceSet
    /// The candidates for print and for colour schemes, which are variants of the image.
    private let variants: SourceSet
    /// References that a script copies to `src`, which until then holds a placeholder.
    private var late: [String?] = [nil, nil, nil]
    private var source: String?
    private var hasLateSources = false
    private var marks = DecorationRules.Tag()
    private(set) var title: String?
    var alternative: String? { marks.alternative }

    var isLazy: Bool { hasLateSources || late.contains { $0 != nil } }

    /// Reads the attributes.
    ///
    /// `sources` and `variants` hold the candidates of the `<picture>` around the tag.
    init(_ attributes: HTMLAttributes, sources: SourceSet, variants: SourceSet) {
        self.sources = sources
        self.variants = variants
        attributes.visit { name, value in
            switch name {
            case "src": source = source ?? value()
            case "alt": marks.alternative = value()
            case "title": title = value()
            case "width": marks.width = value()
            case "height": marks.height = value()
            case "class": marks.classes = value()
            case "style": marks.style = value()
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
        case "data-image" where Self.isLocated(value): originals[1] = value
        case "data-full-size-url": originals[2] = value
        case "data-large-file": originals[3] = value
        case "data-full-url": originals[4] = value
        case "data-src": late[0] = value
        case "data-lazy-src": late[1] = value
        case "data-original": late[2] = value
        case "data-srcset", "data-lazy-srcset":
            sources.add(value, isOwn: true)
            hasLateSources = true
        default: break
        }
    }

    /// Returns whether the value of `data-image` is a URL.
    ///
    /// Some programs write a number or a name there.
    private static func isLocated(_ value: String) -> Bool {
        ["http://", "https://", "/"].contains { value.hasPrefix($0) } || ImageKind.hasImageName(value)
    }

    /// The link around images.
    ///
    /// It is examined once, because it may be long and enclose many images.
    final class EnclosingLink {
        let reference: String
        /// Whether the link leads to a file with the name of an image.
        let isImage: Bool
        /// The rule that matches the link if images in it are decoration.
        private(set) lazy var decoration = DecorationRules.decoration(ofLink: reference)
        /// The part of the link before an equals sign.
        ///
        /// Some servers write the size behind that sign, and their URLs have no file suffix.
        private let stem: Substring.UTF8View?

        init(_ reference: String) {
            StepCounter.add(reference.utf8.count)
            self.reference = NamedImage.Rendition.shortened(reference)
            isImage = ImageKind.isNamedAsImage(self.reference)
            stem = Self.stem(of: self.reference)
        }

        /// Returns whether the link leads to the image that `source` shows.
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

    /// Returns the references to the image, best first.
    ///
    /// `link` is the link around the tag.
    func references(linkedTo link: EnclosingLink?) -> [String] {
        let linked = link.flatMap { $0.leadsToImage(at: source) ? $0.reference : nil }
        let best = [linked] + originals + sources.references + late
        return (best + [isLazy ? nil : source] + variants.references).compactMap { $0 }
    }

    /// Returns the rule that matches the tag or the link around it.
    func decoration(linkedTo link: EnclosingLink?) -> Decoration? {
        link?.decoration ?? DecorationRules.decoration(of: marks)
    }
}

/// The candidates of an image's `srcset`, the largest first (HTML, section 4.8.4.2.2).
struct SourceSet {
    private struct Candidate {
        let reference: String
        let merit: Merit
        let isOwn: Bool
    }

    /// The rank of a candidate.
    ///
    /// A width outranks a density, because it states how large the image is. A candidate without a descriptor has
    /// density 1.
    private enum Merit: Comparable {
        case bare
        case density(Double)
        case width(Double)
    }

    private var best: [Candidate] = []

    var references: [String] { best.map(\.reference) }

    /// Adds the candidates of a `srcset`.
    ///
    /// The `<img>`'s own candidates precede those of a `<source>` with the same size, which are meant for browsers that
    /// support newer formats.
    mutating func add(_ text: String, isOwn: Bool) {
        let bytes = text.utf8
        var index = bytes.startIndex
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }
        while true {
            index = bytes[index...].firstIndex { !isSpace($0) && $0 != UInt8(ascii: ",") } ?? bytes.endIndex
            guard index < bytes.endIndex else { return }
            let start = index
            index = bytes[index...].firstIndex(where: isSpace) ?? bytes.endIndex
            var end = index
            while bytes[bytes.index(before: end)] == UInt8(ascii: ",") { end = bytes.index(before: end) }
            guard end == index else {
                // A comma at the end of a URL ends the candidate.
                keep(bytes[start..<end], .bare, isOwn)
                continue
            }
            let descriptors = index
            var depth = 0
            while index < bytes.endIndex, depth > 0 || bytes[index] != UInt8(ascii: ",") {
                if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                if bytes[index] == UInt8(ascii: ")"), depth > 0 { depth -= 1 }
                index = bytes.index(after: index)
            }
            keep(bytes[start..<end], Self.merit(bytes[descriptors..<index]), isOwn)
        }
    }

    private static func merit(_ descriptors: Substring.UTF8View) -> Merit {
        for word in Substring(descriptors.prefix(100)).split(whereSeparator: \.isWhitespace) {
            guard let number = Double(word.dropLast()), number.isFinite, number > 0 else { continue }
            if word.hasSuffix("w") { return .width(number) }
            if word.hasSuffix("x") { return .density(number) }
        }
        return .bare
    }

    private mutating func keep(_ reference: Substring.UTF8View, _ merit: Merit, _ isOwn: Bool) {
        func isBehind(_ other: Candidate) -> Bool { other.merit == merit ? other.isOwn || !isOwn : other.merit > merit }
        let index = best.lastIndex(where: isBehind).map { $0 + 1 } ?? 0
        StepCounter.add(reference.count)
        let isKnown = best.contains { $0.reference.utf8.elementsEqual(reference) }
        guard index < NamedImage.mostURLs, !isKnown else { return }
        let kept = NamedImage.Rendition.shortened(String(Substring(reference)))
        best.insert(Candidate(reference: kept, merit: merit, isOwn: isOwn), at: index)
        if best.count > NamedImage.mostURLs { best.removeLast() }
    }
}
