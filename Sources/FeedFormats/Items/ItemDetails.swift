internal import FeedCore

/// The author, the rights and the tags of an item or of its feed.
struct ItemDetails {
    private struct Ranked {
        private var best: (rank: Int, text: String)?

        var text: String? { best?.text }

        mutating func add(_ text: String?, rank: Int) {
            guard let text, best.map({ rank < $0.rank }) ?? true else { return }
            best = (rank, text.shortened(to: LongestText.words))
        }
    }

    private var bestAuthor = Ranked()
    private var bestRights = Ranked()
    private(set) var tags: [String] = []

    var author: String? { bestAuthor.text }
    /// The licence or the copyright, as text or as a URL.
    var rights: String? { bestRights.text }

    /// Adds the name of an author.
    ///
    /// Of several, the one with the lowest rank counts, and of these the first.
    mutating func add(author: String?, rank: Int = 0) {
        bestAuthor.add(author.flatMap(FoldedText.fold).flatMap(Self.name), rank: rank)
    }

    mutating func add(rights: String?, rank: Int = 0) { bestRights.add(rights.flatMap(FoldedText.fold), rank: rank) }

    /// Adds a tag, unless the item has it already or has enough tags.
    mutating func add(tag: String?) {
        guard tags.count < FeedPost.mostTags, let tag = tag.flatMap(FoldedText.fold)?.shortened(to: Self.longestTag),
            !tags.contains(where: { ExactText($0) == ExactText(tag) })
        else { return }
        tags.append(tag)
    }

    private static let longestTag = 256

    /// Returns the name in an address: `Jane <jane@example.com>` and `jane@example.com (Jane)` are Jane.
    ///
    /// It returns nil for an address without a name.
    private static func name(in author: String) -> String? {
        guard author.utf8.contains(UInt8(ascii: "@")) else { return author }
        if let open = author.firstIndex(of: "("), let close = author[open...].lastIndex(of: ")") {
            return FoldedText.fold(String(author[author.index(after: open)..<close]))
        }
        if let open = author.firstIndex(of: "<") {
            return FoldedText.fold(String(author[..<open].filter { $0 != "\"" }))
        }
        return author.contains(" ") ? author : nil
    }

    /// Adds what the feed says about all its items.
    func completed(by feed: ItemDetails) -> ItemDetails {
        var details = self
        if author == nil { details.bestAuthor = feed.bestAuthor }
        if rights == nil { details.bestRights = feed.bestRights }
        return details
    }
}
