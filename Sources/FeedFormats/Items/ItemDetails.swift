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

    /// Adds the name of an author. Of several, the one with the lowest rank counts, and of these the first.
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

    /// Returns the name in an address: `Jane <jane@example.com>` and `jane@example.com (Jane)` are Jane. It returns nil
    /// for an address without a name.
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

/// The elements of RSS modules and of Atom that give the details of an item or a feed.
extension ItemDetails {
    private enum Detail {
        case author(rank: Int), rights(rank: Int), tag, keywords
    }

    private static func detail(_ name: XMLName) -> Detail? {
        switch (name.vocabulary, name.local) {
        case (.dublinCore, "creator"): .author(rank: 0)
        case (.plain, "author"), (.plain, "managingeditor"): .author(rank: 1)
        case (.itunes, "author"): .author(rank: 2)
        case (.dublinCore, "rights"), (.atom, "rights"), (.plain, "rights"): .rights(rank: 0)
        case (.media, "copyright"): .rights(rank: 1)
        case (.media, "license"): .rights(rank: 2)
        case (.creativeCommons, "license"): .rights(rank: 3)
        case (.plain, "copyright"): .rights(rank: 4)
        case (.plain, "category"): .tag
        case (.media, "keywords"): .keywords
        default: nil
        }
    }

    /// Begins an element. It returns nil for an element that gives no details.
    mutating func begin(_ element: XMLElement, named name: XMLName) -> XMLInterest? {
        if Self.isLicense(element) {
            add(rights: element.attribute("href"), rank: 4)
            return nil
        }
        switch Self.detail(name) {
        case nil: return nil
        case .rights(let rank):
            let url =
                element.attribute("href") ?? element.attribute("url") ?? element.attribute("resource", in: .rdf)
            guard let url, name.vocabulary != .dublinCore else { return .text }
            add(rights: url, rank: rank)
            return .nothing
        case .tag:
            guard let tag = element.attribute("label") ?? element.attribute("term") else { return .text }
            add(tag: tag)
            return .nothing
        case .author, .keywords: return .text
        }
    }

    /// Takes the text of an element that `begin` began. It returns false for any other element.
    mutating func receive(_ text: String, of name: XMLName, with html: HTMLReader) -> Bool {
        switch Self.detail(name) {
        case nil: return false
        case .author(let rank): add(author: PlainText.of(text, with: html), rank: rank)
        case .rights(let rank): add(rights: PlainText.of(text, with: html), rank: rank)
        case .tag: add(tag: PlainText.of(text, with: html))
        case .keywords: for word in text.split(separator: ",") { add(tag: String(word)) }
        }
        return true
    }

    private static func isLicense(_ element: XMLElement) -> Bool {
        element.name.local == "link" && element.isLink("license")
    }
}
