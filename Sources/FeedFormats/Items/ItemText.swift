/// What an item says, whose beginning stands in for words on its images.
struct ItemText {
    /// An image or two may stand before the first word. An item of megabytes may wait for its feed's end.
    private static let longest = 16_384

    let text: String
    /// Whether the text is plain; else it is HTML.
    let isPlain: Bool

    /// Keeps the beginning of `text`.
    init(text: String, isPlain: Bool = false) {
        self.text = text.utf8.count <= Self.longest ? text : String(Substring(text.utf8.prefix(Self.longest)))
        self.isPlain = isPlain
    }
}
