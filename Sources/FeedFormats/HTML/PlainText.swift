/// Extracts the words of an HTML text, such as a title.
final class PlainText: HTMLVisitor {
    /// The number of bytes of HTML from which words are extracted.
    private static let longest = 1 << 20

    private var words = FoldedText()

    /// Returns the words; nil for HTML without words.
    static func of(_ given: String, with reader: HTMLReader) -> String? {
        let html = given.utf8.count <= longest ? given : String(Substring(given.utf8.prefix(longest)))
        // Most texts have no tags, and parsing HTML takes time.
        if !html.utf8.contains(UInt8(ascii: "<")), let plain = LibXML.decodingReferences(in: html) {
            return FoldedText.fold(plain)
        }
        let visitor = PlainText()
        reader.read(html, for: visitor)
        return visitor.words.text
    }

    /// Returns the words.
    ///
    /// `isPlain` tells whether the feed declares the text as plain.
    static func of(_ text: String, isPlain: Bool, with reader: HTMLReader) -> String? {
        isPlain ? FoldedText.fold(text) : of(text, with: reader)
    }

    func begin(_ tag: String, _ attributes: HTMLAttributes) { words.separate(at: tag) }
    func end(_ tag: String) { words.separate(at: tag) }
    func text(_ text: UnsafeBufferPointer<UInt8>) { words.add(text) }
}

extension ItemText {
    /// Returns the first characters of the text, at most `most`.
    func beginning(_ most: Int, with reader: HTMLReader) -> String? {
        let words = PlainText.of(text, isPlain: isPlain, with: reader)
        guard let words, words.utf8.count > most else { return words }
        let beginning = words.prefix(most)
        return beginning.endIndex == words.endIndex ? words : FoldedText.fold(String(beginning))
    }
}
