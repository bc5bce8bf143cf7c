internal import FeedCore

/// Collects the images and the first words of an HTML text.
///
/// The description of an image is its title, else the caption of the figure around it, else its alternative text.
final class HTMLImages: HTMLVisitor {
    private struct Figure {
        var caption: String?
        /// The indices of the images without a title in this figure, except those in a nested figure.
        var untitled: [Int] = []
    }

    /// The elements whose content a browser shows as text, as another page, or hides.
    private static let inert: Set<String> = [
        "textarea", "template", "iframe", "title", "xmp", "noembed", "noframes",
    ]

    /// The longest link to a page that is compared with the item's link.
    private static let longestPage = 2048

    private var images: [NamedImage] = []
    private var words = FoldedText(longest: ItemText.longest)
    private let base: ResourceURL?
    private var figures: [Figure] = []
    private var caption: FoldedText?
    /// The outermost open inert element, and how many elements of its kind are open: templates nest.
    private var inert: (tag: String, depth: Int)?
    /// The open link, which encloses the next images.
    private var link: ImageTag.EnclosingLink?
    /// The text in the open link, while it may be the link's own URL.
    private var linkText: FoldedText?
    /// The candidates of the `<source>` elements in the open `<picture>`.
    private var sources: SourceSet?
    /// The candidates of the `<source>` elements for print and for colour schemes.
    private var variants = SourceSet()
    private let most: Int
    private var isWithoutScript = false
    /// The index of the last image that a script loads.
    ///
    /// A following `<noscript>` element holds the same image.
    private var lazyIndex: Int?

    init(base: ResourceURL?, atMost most: Int) { (self.base, self.most) = (base, most) }

    /// Finds the first `most` images.
    ///
    /// `text` is the text for the item: its words if they were found on the way to the images, and else the HTML.
    /// `skipReason` is the reason why the rest of the text was skipped, or nil.
    static func find(
        in html: String, base: ResourceURL?, atMost most: Int, with reader: HTMLReader
    ) -> (images: [NamedImage], text: ItemText, skipReason: String?) {
        guard mayHoldImage(html) else { return ([], ItemText(text: html), nil) }
        let visitor = HTMLImages(base: base, atMost: most)
        let skipReason = reader.read(html, for: visitor)
        return (visitor.finish(), ItemText(text: visitor.words.text ?? "", isPlain: true), skipReason)
    }

    /// Returns the images at the end of the text.
    func finish() -> [NamedImage] {
        // Figures are still open if the reader stopped before the end of the text.
        while !figures.isEmpty { closeFigure() }
        return images
    }

    /// Searches for the beginning of an `<img>` tag or of a link's text that may be the link's URL: most texts have no
    /// image, and parsing a text takes time.
    static func mayHoldImage(_ html: String) -> Bool {
        let bytes = html.utf8Span.span
        var index = 0
        while index + 4 < bytes.count {
            if bytes[index] == UInt8(ascii: "<"), bytes[index + 1] | 0x20 == UInt8(ascii: "i"),
                bytes[index + 2] | 0x20 == UInt8(ascii: "m")
            {
                return true
            }
            if bytes[index] == UInt8(ascii: ">"),
                bytes[index + 2] == UInt8(ascii: "l") && bytes[index + 1] == UInt8(ascii: "[")
                    || bytes[index + 1] == UInt8(ascii: "h") && bytes[index + 2] == UInt8(ascii: "t")
                        && bytes[index + 3] == UInt8(ascii: "t")
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
        words.separate(at: tag)
        // Only a `<noscript>` element directly after a lazy image repeats that image.
        if tag != "noscript", !isWithoutScript { lazyIndex = nil }
        switch tag {
        case "img":
            linkText = nil
            add(ImageTag(attributes, sources: sources ?? SourceSet(), variants: variants))
        case "a": beginLink(attributes["href"])
        case "picture": (sources, variants) = (SourceSet(), SourceSet())
        case "source": addSource(attributes)
        case "noscript": isWithoutScript = true
        case "figure": figures.append(Figure())
        case "figcaption":
            caption = FoldedText(longest: 2 * LongestText.words)
        default:
            if Self.inert.contains(tag) { inert = (tag, 1) }
            caption?.separate(at: tag)
        }
    }

    private func addSource(_ attributes: HTMLAttributes) {
        guard sources != nil else { return }
        let media = attributes["media"]?.lowercased() ?? ""
        let isVariant = media.hasPrefix("print") || media.contains("prefers-color-scheme")
        for name in ["srcset", "data-srcset"] as [StaticString] {
            guard let set = attributes[name] else { continue }
            if isVariant { variants.add(set, isOwn: false) } else { sources?.add(set, isOwn: false) }
        }
    }

    private func beginLink(_ reference: String?) {
        link = reference.flatMap { $0.isEmpty ? nil : ImageTag.EnclosingLink($0) }
        linkText = nil
        guard let link, link.isImage else { return }
        linkText = FoldedText(longest: link.reference.utf8.count + 16)
    }

    /// Ends a link.
    ///
    /// If its text is `[link]` or its own URL, the link leads to an image of the item.
    private func endLink() {
        defer { (link, linkText) = (nil, nil) }
        guard let link, let text = linkText?.text, images.count < most else { return }
        guard text == "[link]" || text == FoldedText.fold(link.reference) else { return }
        var image = NamedImage([NamedImage.Rendition(reference: link.reference, base: base)])
        image.origin = .textLink
        images.append(image)
    }

    private func add(_ tag: ImageTag) {
        guard images.count < most else { return }
        let renditions = tag.references(linkedTo: link).map { NamedImage.Rendition(reference: $0, base: base) }
        guard !renditions.isEmpty else { return }
        let decoration = tag.decoration(linkedTo: link)
        let title = Caption.words(tag.title.flatMap(FoldedText.fold))
        let alternative = title == nil ? Caption.words(tag.alternative.flatMap(FoldedText.fold)) : nil
        let words = (title ?? alternative)?.shortened(to: LongestText.words)
        if isWithoutScript, decoration == nil, let lazyIndex {
            images[lazyIndex].renditions += renditions
            images[lazyIndex].description = images[lazyIndex].description ?? words
            return
        }
        if title == nil, !figures.isEmpty { figures[figures.count - 1].untitled.append(images.count) }
        if !isWithoutScript { lazyIndex = tag.isLazy ? images.count : nil }
        var image = NamedImage(renditions, description: words, decoration: decoration)
        image.origin = .tag
        if let link, !link.isImage, link.reference.utf8.count <= Self.longestPage { image.page = link.reference }
        images.append(image)
    }

    func end(_ tag: String) {
        if let inert {
            if tag == inert.tag { self.inert = inert.depth > 1 ? (tag, inert.depth - 1) : nil }
            return
        }
        words.separate(at: tag)
        switch tag {
        case "a": endLink()
        case "picture": (sources, variants) = (nil, SourceSet())
        case "noscript": (isWithoutScript, lazyIndex) = (false, nil)
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
        guard inert == nil else { return }
        words.add(text)
        caption?.add(text)
        linkText?.add(text)
    }
}
