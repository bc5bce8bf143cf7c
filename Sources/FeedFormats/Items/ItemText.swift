/// What an item says, whose beginning stands in for words on its pictures.
struct ItemText {
    private static let most = 200

    let text: String
    /// Else it is HTML.
    var isPlain = false

    func beginning(with reader: HTMLReader) -> String? {
        // A picture or two may stand before the first word.
        let start = String(Substring(text.utf8.prefix(16_384)))
        guard let words = PlainText.of(start, isPlain: isPlain, with: reader) else { return nil }
        let beginning = words.prefix(Self.most)
        return beginning.endIndex == words.endIndex ? words : FoldedText.fold(String(beginning))
    }
}
