/// The words of a piece of HTML, such as a title.
final class PlainText: HTMLVisitor {
    /// Nobody shows the words of more HTML than this.
    private static let longest = 1 << 20

    private var words = FoldedText()

    /// Nil for HTML without words.
    static func of(_ given: String, with reader: HTMLReader) -> String? {
        let html = given.utf8.count <= longest ? given : String(Substring(given.utf8.prefix(longest)))
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
