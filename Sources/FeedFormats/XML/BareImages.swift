internal import FeedCore

/// The elements of an item that only their names mark as images, such as `<thumbnail>` or `<g:image_link>`, with a URL
/// as their text.
///
/// Several of them are renditions of one image.
struct BareImages {
    /// The most elements of one item that are kept.
    private static let most = 16

    private var found: [(rank: Int, reference: String)] = []

    /// The image; nil if the item has none of these elements.
    var image: NamedImage? {
        guard !found.isEmpty else { return nil }
        // The sort is stable.
        let renditions = found.sorted { $0.rank < $1.rank }.map { NamedImage.Rendition(reference: $0.reference) }
        var image = NamedImage(renditions)
        image.origin = .thumbnail
        return image
    }

    static func isName(_ name: XMLName) -> Bool {
        // Media RSS and the module of iTunes have attributes for the URL.
        if name.vocabulary == .media || name.vocabulary == .itunes { return false }
        let local = name.local.lowercased()
        return local.contains("image") || local.hasPrefix("thumb") || local == "photo"
    }

    /// Adds an element if its text is an http(s) URL.
    mutating func add(_ text: String, named name: String) {
        guard found.count < Self.most, let reference = FoldedText.fold(text),
            let scheme = URLScheme(of: reference.utf8Span.span), scheme != .file,
            !reference.utf8.contains(UInt8(ascii: " "))
        else { return }
        found.append((Self.rank(of: name.lowercased()), reference))
    }

    /// Returns the position of a rendition: big, plain, small, thumb.
    private static func rank(of name: String) -> Int {
        if name.contains("thumb") { return 3 }
        if name.contains("small") { return 2 }
        return ["big", "large", "full", "orig"].contains { name.contains($0) } ? 0 : 1
    }
}

/// Reads the `<image>` of an RSS item, which contains its URL directly or in a `<url>`.
final class ItemImage: HTMLVisitor {
    private var text = FoldedText(longest: 1 << 16)
    private var url = FoldedText(longest: 1 << 16)
    private var isInURL = false

    /// Reads the content of the element: its whole text, and the text of its first `<url>`.
    static func read(_ markup: String, with reader: HTMLReader) -> (text: String?, url: String?) {
        guard markup.utf8.contains(UInt8(ascii: "<")) else { return (FoldedText.fold(markup), nil) }
        let visitor = ItemImage()
        reader.read(markup, for: visitor)
        return (visitor.text.text, visitor.url.text)
    }

    func begin(_ tag: String, _ attributes: HTMLAttributes) { isInURL = tag == "url" && url.text == nil }

    func end(_ tag: String) {
        if tag == "url" { isInURL = false }
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) {
        self.text.add(text)
        if isInURL { url.add(text) }
    }
}
