extension ItemText {
    private static let most = 200

    func beginning(with reader: HTMLReader) -> String? {
        // A picture or two may stand before the first word.
        let start = String(Substring(text.utf8.prefix(16_384)))
        guard let words = PlainText.of(start, isPlain: isPlain, with: reader) else { return nil }
        let beginning = words.prefix(Self.most)
        return beginning.endIndex == words.endIndex ? words : FoldedText.fold(String(beginning))
    }
}
