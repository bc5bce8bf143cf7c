/// The pictures in a piece of HTML: `src` of each `<img>`, with what it says of itself, else the caption that the figure
/// around it has.
final class HTMLImages: HTMLVisitor {
    struct Image: Equatable {
        let source: String
        var description: String?
    }

    private(set) var images: [Image] = []
    /// Where the images of the figure at hand begin.
    private var figure: Int?
    private var caption: FoldedText?

    static func find(in html: String, with reader: HTMLReader) -> [Image] {
        guard mayHoldImage(html) else { return [] }
        let visitor = HTMLImages()
        reader.read(html, telling: visitor)
        return visitor.images
    }

    /// Most pieces hold none, and reading them costs.
    private static func mayHoldImage(_ html: String) -> Bool {
        let bytes = html.utf8Span.span
        var index = 0
        while index + 4 < bytes.count {
            if bytes[index] == UInt8(ascii: "<"), bytes[index + 1] | 0x20 == UInt8(ascii: "i"),
                bytes[index + 2] | 0x20 == UInt8(ascii: "m"), bytes[index + 3] | 0x20 == UInt8(ascii: "g")
            {
                return true
            }
            index += 1
        }
        return false
    }

    func begin(_ tag: String, _ attribute: (StaticString) -> String?) {
        switch tag {
        case "img":
            guard let source = attribute("src") else { return }
            let words = (attribute("title").flatMap(FoldedText.fold), attribute("alt").flatMap(FoldedText.fold))
            images.append(Image(source: source, description: words.0 ?? words.1))
        case "figure": figure = images.count
        case "figcaption": caption = FoldedText()
        default: caption?.separate(at: tag)
        }
    }

    func end(_ tag: String) {
        switch tag {
        case "figcaption":
            let words = caption?.text
            caption = nil
            for index in (figure ?? images.count)..<images.count where images[index].description == nil {
                images[index].description = words
            }
        case "figure": figure = nil
        default: caption?.separate(at: tag)
        }
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) { caption?.append(text) }
}
