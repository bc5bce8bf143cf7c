internal import FeedCore

/// The language and the text direction of a page, which are those of its feed.
struct PageLanguage: Hashable {
    static let english = PageLanguage(tag: "en", isRightToLeft: false)

    /// The tag of the language, such as `pt-BR`.
    let tag: String
    let isRightToLeft: Bool

    private init(tag: String, isRightToLeft: Bool) {
        self.tag = tag
        self.isRightToLeft = isRightToLeft
    }

    /// Makes the language of a tag from a feed.
    ///
    /// A missing or malformed tag gives English, the language of the words around the feed's texts.
    init(_ tag: String?) {
        guard let tag = tag.flatMap(LanguageTag.wellFormed) else {
            self = .english
            return
        }
        let parts = tag.split(separator: "-")
        let script = parts.dropFirst().first { $0.utf8.count == 4 }?.lowercased()
        let isRightToLeft =
            script.map(Self.rightToLeftScripts.contains)
            ?? parts.first.map { Self.rightToLeftLanguages.contains($0.lowercased()) } ?? false
        self.init(tag: tag, isRightToLeft: isRightToLeft)
    }

    private static let rightToLeftLanguages: Set<String> = [
        "ar", "arc", "ckb", "dv", "fa", "glk", "he", "iw", "ji", "khw", "lrc", "mzn", "nqo", "pnb", "ps", "sd", "syr",
        "ug", "ur", "yi",
    ]
    private static let rightToLeftScripts: Set<String> = [
        "adlm", "arab", "aran", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa",
    ]
}
