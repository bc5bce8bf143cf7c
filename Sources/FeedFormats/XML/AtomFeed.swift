internal import FeedCore

/// Decodes Atom 1.0, with Media RSS and GeoRSS.
final class AtomFeed: XMLVisitor {
    private enum AtomContext { case feed, entry, author, module }

    /// The order of an entry's images.
    ///
    /// Those of Media RSS precede them.
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
    /// Whether the current text has no type.
    ///
    /// It is HTML if it contains an image.
    private var textIsUntyped = false

    private var details = ItemDetails()
    private var title: String?
    private var language: String?
    private var pages = NextPageLinks()
    private var collector: ImageCollector

    init(_ document: FeedSource, taking selection: ImageSelection) {
        mostRenditions = FeedItem.mostRenditions(in: document)
        item = XMLItem(mostRenditions: mostRenditions)
        collector = ImageCollector(in: document, taking: selection) { [html] in $0.beginning($1, with: html) }
    }

    /// Returns whether an element is a feed, or an entry that is a document of its own.
    static func isRoot(_ name: XMLName) -> Bool {
        isAtom(name.vocabulary) && (name.local == "feed" || name.local == "entry")
    }

    /// Returns whether an element belongs to Atom.
    ///
    /// Some Atom feeds declare no namespace.
    private static func isAtom(_ vocabulary: XMLVocabulary) -> Bool { vocabulary == .atom || vocabulary == .plain }

    func decoded() throws(DecodingFailure) -> DecodedFeed {
        let (images, itemStarts) = try collector.finish()
        return DecodedFeed(
            feed: Feed(
                format: .atom, title: title?.shortened(to: LongestText.words), language: language, images: images),
            itemStarts: itemStarts, notes: collector.notes.all, nextPage: pages.nextPage(in: collector),
            itemHashes: collector.itemHashes, isOfWordPress: pages.isOfWordPress)
    }

    // MARK: Elements

    func begin(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        let isAtom = Self.isAtom(element.name.vocabulary)
        switch (contexts.last, element.name.local) {
        case (nil, let root):
            language = element.attribute("lang", in: .xml)
            return enter(root == "entry" ? .entry : .feed)
        case (.feed, "entry") where isAtom:
            item = XMLItem(mostRenditions: mostRenditions)
            return enter(.entry)
        case (.feed, "title") where isAtom: return beginText(element)
        case (.feed, "author") where isAtom: return enter(.author)
        case (.feed, "rights") where isAtom: return beginText(element)
        case (.feed, "generator") where isAtom:
            pages.add(generator: element.attribute("uri") ?? element.attribute("url"))
            return .text
        case (.feed, "link") where isAtom:
            try add(feedLink: element)
            return .nothing
        case (.feed, _): return isAtom ? .nothing : details.begin(element, named: element.name) ?? .nothing
        case (.entry, _) where isAtom: return try beginInEntry(element)
        case (.author, "name") where isAtom: return .text
        case (.author, _): return .nothing
        default:
            if contexts.last == .entry, Self.rank(ofDate: element.name) != nil { return .text }
            if let interest = item.details.begin(element, named: element.name) { return interest }
            let bare = contexts.last == .entry ? item.beginBare(element) : nil
            let interest = try item.beginMedia(element) ?? bare ?? .nothing
            return interest == .children ? enter(.module) : interest
        }
    }

    /// Takes a link of the feed: its page, or its next page.
    private func add(feedLink link: XMLElement) throws(DecodingFailure) {
        guard let reference = link.attribute("href") else { return }
        if link.isLink("license") { details.add(rights: reference, rank: 1) }
        pages.add(link)
        if link.attribute("rel") == nil || link.isLink("alternate") {
            try collector.setBase(reference, from: link.base)
        }
    }

    /// Returns the rank of a date among the dates of an entry; nil for any other element.
    private static func rank(ofDate name: XMLName) -> Int? {
        switch (name.vocabulary, name.local) {
        case (.atom, "published"), (.plain, "published"), (.atom, "issued"), (.plain, "issued"): 0
        case (.dublinCore, "date"), (.dublinCoreTerms, "issued"), (.dublinCoreTerms, "created"): 1
        case (.atom, "updated"), (.plain, "updated"), (.atom, "modified"), (.plain, "modified"): 2
        case (.dublinCoreTerms, "modified"): 3
        default: nil
        }
    }

    private func beginInEntry(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        switch element.name.local {
        case "id", "published", "updated", "issued", "modified": return .text
        case "title", "rights": return beginText(element)
        case "category":
            item.details.add(tag: element.attribute("label") ?? element.attribute("term"))
            return .nothing
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
            return beginContent(element)
        case "summary": return beginContent(element)
        default: return item.beginBare(element) ?? .nothing
        }
    }

    private func add(link: XMLElement) throws(DecodingFailure) {
        guard let reference = link.attribute("href") else { return }
        if link.attribute("rel") == nil || link.isLink("alternate") {
            item.link = item.link ?? (reference, link.base)
        } else if link.isLink("license") {
            item.details.add(rights: reference, rank: 1)
        } else if link.isLink("enclosure") {
            let type = link.attribute("type")
            guard ImageKind.isImage(type: type, reference: reference) else {
                return item.others.add(reference, type: type)
            }
            let description = link.attribute("title").flatMap(FoldedText.fold)
            try item.add(
                NamedImage(reference, base: link.base, description: description), rank: AtomRank.enclosure)
        }
    }

    private func beginText(_ element: XMLElement) -> XMLInterest {
        textIsPlain = !Self.isMarkup(element)
        return textIsPlain ? .text : .markup
    }

    /// Begins a text that may contain images.
    private func beginContent(_ element: XMLElement) -> XMLInterest {
        base = element.base
        let interest = beginText(element)
        textIsUntyped = element.attribute("type") == nil
        return textIsUntyped ? .markup : interest
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
        case (.entry, "id") where isAtom: take(id: text)
        case (.entry, "title") where isAtom: item.title = item.title ?? words(text)
        case (.entry, "content") where isAtom: try add(text, rank: AtomRank.content)
        case (.entry, "summary") where isAtom: try add(text, rank: AtomRank.summary)
        case (.author, _) where contexts.dropLast().last == .feed: details.add(author: text)
        case (.author, _):
            item.details.add(author: text)
            FoldedText.fold(text).map { _ = item.authors.insert($0.lowercased()) }
        case (.feed, "rights") where isAtom: details.add(rights: words(text))
        case (.feed, "generator") where isAtom: pages.add(generator: text)
        case (.entry, "rights") where isAtom: item.details.add(rights: words(text))
        case (.feed, _): _ = details.receive(text, of: name, with: html)
        case (_, _) where !isAtom && item.details.receive(text, of: name, with: html): break
        case (.entry, _):
            if let rank = Self.rank(ofDate: name) { return item.add(date: text, rank: rank) }
            if !item.receiveBare(text, of: name) { item.media.receive(text, of: name, with: html) }
        default: item.media.receive(text, of: name, with: html)
        }
    }

    private func take(id text: String) {
        guard item.id == nil, let id = FoldedText.fold(text) else { return }
        item.id = id
        if let scheme = URLScheme(of: id.utf8Span.span), scheme != .file {
            item.otherLink = item.otherLink ?? (id, nil)
        }
    }

    private func add(_ text: String, rank: Int) throws(DecodingFailure) {
        let isMarkup = !textIsPlain || textIsUntyped && HTMLImages.mayHoldImage(text)
        guard !isMarkup else { return try item.add(markup: text, base: base, rank: rank, with: html) }
        item.add(text: ItemText(text: text, isPlain: true), rank: rank)
    }

    private func words(_ text: String) -> String? { PlainText.of(text, isPlain: textIsPlain, with: html) }

    func end() throws(DecodingFailure) {
        switch contexts.popLast() {
        case .entry:
            item.details = item.details.completed(by: details)
            try collector.add(item.item)
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
