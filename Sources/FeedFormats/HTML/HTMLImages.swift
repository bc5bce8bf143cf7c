/// The pictures in a piece of HTML: the `src` of each `<img>`. A picture is described by its title, else by the caption
/// of the figure around it, else by its alternative text.
final class HTMLImages: HTMLVisitor {
    struct Image: Equatable {
        let source: String
        var description: String?
    }

    private struct Figure {
        var caption: String?
        /// The images without a title in this figure, but not in a figure within.
        var untitled: [Int] = []
    }

    /// In these elements a browser shows text, another page, or nothing.
    private static let inert: Set<String> = [
        "textarea", "template", "iframe", "title", "xmp", "noembed", "noframes",
    ]

    private var images: [Image] = []
    private var figures: [Figure] = []
    private var caption: FoldedText?
    /// The outermost open element of these, and how many of its kind are open: templates nest.
    private var inert: (tag: String, depth: Int)?

    /// `cut` says why the rest of the piece was left out, if it was.
    static func find(in html: String, with reader: HTMLReader) -> (images: [Image], cut: String?) {
        guard mayHoldImage(html) else { return ([], nil) }
        let visitor = HTMLImages()
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

    func begin(_ tag: String, _ attribute: (StaticString) -> String?) {
        guard inert == nil else {
            if tag == inert?.tag, tag == "template" { inert?.depth += 1 }
            return
        }
        switch tag {
        case "img":
            guard images.count <= FeedItem.mostImages, let source = attribute("src") else { return }
            let title = attribute("title").flatMap(FoldedText.fold)
            if title == nil, !figures.isEmpty { figures[figures.count - 1].untitled.append(images.count) }
            images.append(Image(source: source, description: title ?? attribute("alt").flatMap(FoldedText.fold)))
        case "figure": figures.append(Figure())
        case "figcaption": caption = FoldedText()
        default:
            if Self.inert.contains(tag) { inert = (tag, 1) }
            caption?.separate(at: tag)
        }
    }

    func end(_ tag: String) {
        if let inert {
            if tag == inert.tag { self.inert = inert.depth > 1 ? (tag, inert.depth - 1) : nil }
            return
        }
        switch tag {
        case "figcaption":
            if let last = figures.indices.last { figures[last].caption = figures[last].caption ?? caption?.text }
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
