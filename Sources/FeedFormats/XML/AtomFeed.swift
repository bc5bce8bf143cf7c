internal import FeedCore

/// Decodes Atom 1.0, with Media RSS and GeoRSS.
final class AtomFeed: XMLVisitor {
    private enum AtomContext { case feed, entry, author, module }

    /// The order of an entry's images. Those of Media RSS precede them.
    private enum AtomRank {
        static let enclosure = 1
        static let content = 2
        static let summary = 3
    }

    private let html = HTMLReader()
    private var contexts: [AtomContext] = []
    private var item: XMLItem
    private let mostRenditions: Int
    private var base: ResourceURL?
    private var textIsPlain = true

    private var title: String?
    private var nextPage: (reference: String, base: ResourceURL?)?
    private var collector: ImageCollector

    init(_ document: FeedSource, taking selection: ImageSelection) {
        mostRenditions = FeedItem.mostRenditions(in: document)
        item = XMLItem(mostRenditions: mostRenditions)
        collector = ImageCollector(in: document, taking: selection) { [html] in $0.beginning(with: html) }
    }

    static func isRoot(_ name: XMLName) -> Bool { isAtom(name.vocabulary) && name.local == "feed" }

    /// Returns whether an element belongs to Atom. Some Atom feeds declare no namespace.
    private static func isAtom(_ vocabulary: XMLVocabulary) -> Bool { vocabulary == .atom || vocabulary == .plain }

    func decoded() -> DecodedFeed {
        DecodedFeed(
            feed: Feed(format: .atom, title: title?.shortened(to: LongestText.words), images: collector.images),
            itemStarts: collector.itemStarts, notes: collector.notes.all,
            nextPage: collector.page(nextPage?.reference, from: nextPage?.base))
    }

    // MARK: Elements

    func begin(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        let isAtom = Self.isAtom(element.name.vocabulary)
        switch (contexts.last, element.name.local) {
        case (nil, _): return enter(.feed)
        case (.feed, "entry") where isAtom:
            item = XMLItem(mostRenditions: mostRenditions)
            return enter(.entry)
        case (.feed, "title") where isAtom: return beginText(element)
        case (.feed, "link") where isAtom:
            if nextPage == nil, element.isLink("next"), let reference = element.attribute("href") {
                nextPage = (reference, element.base)
            }
            return .nothing
        case (.feed, _): return .nothing
        case (.entry, _) where isAtom: return try beginInEntry(element)
        case (.author, "name") where isAtom: return .text
        case (.author, _): return .nothing
        default:
            let interest = try item.beginMedia(element) ?? .nothing
            return interest == .children ? enter(.module) : interest
        }
    }

    private func beginInEntry(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        switch element.name.local {
        case "id", "published", "updated", "issued", "modified": return .text
        case "title": return beginText(element)
        case "author": return enter(.author)
        case "link":
            try add(link: element)
            return .nothing
        case "content":
            if let source = element.attribute("src") {
                let isImage = ImageKind.isImage(type: element.attribute("type")) == true
                if isImage { try item.add(NamedImage(source, base: element.base), rank: AtomRank.content) }
                return .nothing
            }
            base = element.base
            return beginText(element)
        case "summary":
            base = element.base
            return beginText(element)
        default: return .nothing
        }
    }

    private func add(link: XMLElement) throws(DecodingFailure) {
        guard let reference = link.attribute("href") else { return }
        if link.attribute("rel") == nil || link.isLink("alternate") {
            item.link = item.link ?? (reference, link.base)
        } else if link.isLink("enclosure"), ImageKind.isImage(type: link.attribute("type"), reference: reference) {
            let description = link.attribute("title").flatMap(FoldedText.fold)
            try item.add(
                NamedImage(reference, base: link.base, description: description), rank: AtomRank.enclosure)
        }
    }

    private func beginText(_ element: XMLElement) -> XMLInterest {
        textIsPlain = !Self.isMarkup(element)
        return textIsPlain ? .text : .markup
    }

    private static func isMarkup(_ element: XMLElement) -> Bool {
        // A media type may have parameters.
        let type = element.attribute("type")?.utf8.prefix { $0 != UInt8(ascii: ";") }
        return switch type.flatMap({ FoldedText.fold(String(Substring($0))) })?.lowercased() {
        case "html"?, "xhtml"?, "text/html"?, "application/xhtml+xml"?: true
        default: false
        }
    }

    func receive(_ text: String, of name: XMLName) throws(DecodingFailure) {
        let isAtom = Self.isAtom(name.vocabulary)
        switch (contexts.last, name.local) {
        case (.feed, "title") where isAtom: title = title ?? words(text)
        case (.entry, "id") where isAtom: item.id = item.id ?? FoldedText.fold(text)
        case (.entry, "title") where isAtom: item.title = item.title ?? words(text)
        case (.entry, "content") where isAtom: try add(text, rank: AtomRank.content)
        case (.entry, "summary") where isAtom: try add(text, rank: AtomRank.summary)
        case (.entry, "published") where isAtom, (.entry, "issued") where isAtom:
            item.published = item.published ?? FeedDate.read(text)
        case (.entry, "updated") where isAtom, (.entry, "modified") where isAtom:
            item.otherDate = item.otherDate ?? FeedDate.read(text)
        case (.author, _): FoldedText.fold(text).map { _ = item.authors.insert($0.lowercased()) }
        default: item.media.receive(text, of: name, with: html)
        }
    }

    private func add(_ text: String, rank: Int) throws(DecodingFailure) {
        guard textIsPlain else { return try item.add(markup: text, base: base, rank: rank, with: html) }
        item.add(text: ItemText(text: text, isPlain: true), rank: rank)
    }

    private func words(_ text: String) -> String? { PlainText.of(text, isPlain: textIsPlain, with: html) }

    func end() throws(DecodingFailure) {
        switch contexts.popLast() {
        case .entry: try collector.add(item.item)
        case .module: item.media.end()
        default: break
        }
    }

    func note(_ note: String) { collector.note(note) }

    private func enter(_ context: AtomContext) -> XMLInterest {
        contexts.append(context)
        return .children
    }
}
