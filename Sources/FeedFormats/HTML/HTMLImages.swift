internal import FeedCore

/// The images in a piece of HTML. A image is described by its title, else by the caption of the figure around it,
/// else by its alternative text.
final class HTMLImages: HTMLVisitor {
    private struct Figure {
        var caption: String?
        /// The images without a title in this figure, but not in a figure within.
        var untitled: [Int] = []
    }

    /// In these elements a browser shows text, another page, or nothing.
    private static let inert: Set<String> = [
        "textarea", "template", "iframe", "title", "xmp", "noembed", "noframes",
    ]

    private var images: [NamedImage] = []
    private let base: ResourceURL?
    private var figures: [Figure] = []
    private var caption: FoldedText?
    /// The outermost open element of these, and how many of its kind are open: templates nest.
    private var inert: (tag: String, depth: Int)?
    /// The link around what follows.
    private var link: ImageTag.Link?
    /// What the `<source>`s of the open `<picture>` name.
    private var sources: SourceSet?
    private let most: Int
    private var isWithoutScript = false
    /// The image that a script is to bring. What stands for it where there is no script is the same image.
    private var lazy: Int?

    private init(base: ResourceURL?, atMost most: Int) { (self.base, self.most) = (base, most) }

    /// Finds the first `most` images. `cut` says why the rest of the piece was left out, if it was.
    static func find(
        in html: String, base: ResourceURL?, atMost most: Int, with reader: HTMLReader
    ) -> (images: [NamedImage], cut: String?) {
        guard mayHoldImage(html) else { return ([], nil) }
        let visitor = HTMLImages(base: base, atMost: most)
        let cut = reader.read(html, telling: visitor)
        // A piece that was left before its end may leave figures open.
        while !visitor.figures.isEmpty { visitor.closeFigure() }
        return (visitor.images, cut)
    }

    /// Most pieces have no image, and reading a piece takes time.
    private static func mayHoldImage(_ html: String) -> Bool {
        let bytes = html.utf8Span.span
        var index = 0
        while index + 4 < bytes.count {
            // `<img` begins so.
            if bytes[index] == UInt8(ascii: "<"), bytes[index + 1] | 0x20 == UInt8(ascii: "i"),
                bytes[index + 2] | 0x20 == UInt8(ascii: "m")
            {
                return true
            }
            index += 1
        }
        return false
    }

    func begin(_ tag: String, _ attributes: HTMLAttributes) {
        guard inert == nil else {
            if tag == inert?.tag, tag == "template" { inert?.depth += 1 }
            return
        }
        // What stands for it follows it.
        if tag != "noscript", !isWithoutScript { lazy = nil }
        switch tag {
        case "img": add(ImageTag(attributes, sources: sources ?? SourceSet()))
        case "a": link = attributes["href"].flatMap { $0.isEmpty ? nil : ImageTag.Link($0) }
        case "picture": sources = SourceSet()
        case "source":
            for name in ["srcset", "data-srcset"] as [StaticString] {
                if let set = attributes[name] { sources?.add(set, isOwn: false) }
            }
        case "noscript": isWithoutScript = true
        case "figure": figures.append(Figure())
        case "figcaption":
            caption = FoldedText()
            caption?.longest = 2 * LongestText.words
        default:
            if Self.inert.contains(tag) { inert = (tag, 1) }
            caption?.separate(at: tag)
        }
    }

    private func add(_ tag: ImageTag) {
        guard images.count < most else { return }
        let addresses = tag.references(linkedTo: link).map { NamedImage.Address(reference: $0, base: base) }
        guard !addresses.isEmpty else { return }
        let decoration = tag.decoration
        let title = tag.title.flatMap(FoldedText.fold)
        let words = (title ?? tag.alternative.flatMap(FoldedText.fold))?.shortened(to: LongestText.words)
        if isWithoutScript, decoration == nil, let lazy {
            images[lazy].addresses += addresses
            images[lazy].description = images[lazy].description ?? words
            return
        }
        if title == nil, !figures.isEmpty { figures[figures.count - 1].untitled.append(images.count) }
        if !isWithoutScript { lazy = tag.isLazy ? images.count : nil }
        images.append(NamedImage(addresses, description: words, decoration: decoration))
    }

    func end(_ tag: String) {
        if let inert {
            if tag == inert.tag { self.inert = inert.depth > 1 ? (tag, inert.depth - 1) : nil }
            return
        }
        switch tag {
        case "a": link = nil
        case "picture": sources = nil
        case "noscript": (isWithoutScript, lazy) = (false, nil)
        case "figcaption":
            if let last = figures.indices.last, figures[last].caption == nil {
                figures[last].caption = caption?.text?.shortened(to: LongestText.words)
            }
            caption = nil
        case "figure": closeFigure()
        default: caption?.separate(at: tag)
        }
    }

    private func closeFigure() {
        guard let figure = figures.popLast(), let caption = figure.caption else { return }
        for index in figure.untitled { images[index].description = caption }
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) {
        if inert == nil { caption?.add(text) }
    }
}
