/// The words of a piece of HTML.
final class PlainText: HTMLVisitor {
    private var words = FoldedText()

    /// Nil for HTML without words.
    static func of(_ html: String, with reader: HTMLReader) -> String? {
        // Most have no tags, and reading a piece of HTML takes time.
        if !html.utf8.contains(UInt8(ascii: "<")), let plain = LibXML.decodingReferences(in: html) {
            return FoldedText.fold(plain)
        }
        let visitor = PlainText()
        reader.read(html, telling: visitor)
        return visitor.words.text
    }

    /// `isPlain` says that the feed declares the text as plain.
    static func of(_ text: String, isPlain: Bool, with reader: HTMLReader) -> String? {
        isPlain ? FoldedText.fold(text) : of(text, with: reader)
    }

    func begin(_ tag: String, _ attributes: HTMLAttributes) { words.separate(at: tag) }
    func end(_ tag: String) { words.separate(at: tag) }
    func text(_ text: UnsafeBufferPointer<UInt8>) { words.add(text) }
}
