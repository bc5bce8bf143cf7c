extension ItemText {
    private static let most = 200

    func beginning(with reader: HTMLReader) -> String? {
        guard let words = PlainText.of(text, isPlain: isPlain, with: reader) else { return nil }
        let beginning = words.prefix(Self.most)
        return beginning.endIndex == words.endIndex ? words : FoldedText.fold(String(beginning))
    }
}
