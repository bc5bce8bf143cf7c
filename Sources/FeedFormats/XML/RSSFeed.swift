internal import FeedCore

/// RSS 2.0, 0.9x and 1.0 (RDF), with Media RSS, iTunes, GeoRSS and content modules.
final class RSSFeed: XMLVisitor {
    private enum Place { case root, channel, item, image, module }

    /// Media RSS comes first; then an item's images count in this order.
    private enum Rank {
        static let enclosure = 1
        static let itunes = 2
        static let content = 3
        static let description = 4
    }

    private let html = HTMLReader()
    private var places: [Place] = []
    private var item: XMLItem
    private let mostNamed: Int
    private var markupBase: ResourceURL?
    /// Whether the guid at hand is the URL of the item's page.
    private var guidIsLink = false
    private var hasChannel = false
    private var names = RSSNames()

    private var title: String?
    /// The title of Dublin Core, which stands in for the channel's own.
    private var otherTitle: String?
    private var nextPage: (reference: String, base: ResourceURL?)?
    private var collector: ImageCollector
    /// Items that stand before the channel's link. Relative references in them may need it.
    private var waiting: [FeedItem] = []
    private var waitingCount = 0
    /// No channel has its link behind so many images. Each waiting item takes many times the memory of its element.
    private static let mostWaiting = 50_000
    private var hasLink = false

    init(_ document: FeedSource, taking selection: ImageSelection) {
        mostNamed = FeedItem.mostNamed(in: document)
        item = XMLItem(mostNamed: mostNamed)
        collector = ImageCollector(in: document, taking: selection) { [html] in $0.beginning(with: html) }
    }

    /// Nil for a document without a channel and without an item.
    func decoded() throws(DecodingFailure) -> DecodedFeed? {
        guard hasChannel else { return nil }
        try settle()
        let title = (title ?? otherTitle)?.shortened(to: LongestText.words)
        return DecodedFeed(
            feed: Feed(format: .rss, title: title, images: collector.images),
            itemStarts: collector.itemStarts,
            notes: collector.notes.all, nextPage: collector.page(nextPage?.reference, from: nextPage?.base))
    }

    // MARK: Elements

    func begin(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        if places.count == 1 { names.beginChannel(element) }
        switch places.last {
        case nil:
            names.beginRoot(element)
            return enter(.root)
        case .root, .channel:
            if names.isItem(element) { return beginItem(element) }
            if places.count == 1, names.meant(element.name) == XMLName(.plain, "channel") {
                hasChannel = true
                return enter(.channel)
            }
            return places.last == .channel ? beginInChannel(element) : .nothing
        case .item: return try beginInItem(element)
        case .image: return names.meant(element.name) == XMLName(.plain, "url") ? .text : .nothing
        case .module: return enter(.module, if: try item.beginMedia(element))
        }
    }

    private func beginItem(_ element: XMLElement) -> XMLInterest {
        hasChannel = true
        names.beginItem(element)
        item = XMLItem(mostNamed: mostNamed)
        item.id = element.attribute("about", in: .rdf)
        return enter(.item)
    }

    private func beginInChannel(_ element: XMLElement) -> XMLInterest {
        let name = names.meant(element.name)
        switch (name.vocabulary, name.local) {
        case (.plain, "title"), (.dublinCore, "title"): return .text
        case (.plain, "link") where element.attribute("href") == nil: return .text
        case (.atom, "link"), (.plain, "link"):
            if nextPage == nil, element.isLink("next"), let reference = element.attribute("href") {
                nextPage = (reference, element.base)
            }
            return .nothing
        default: return .nothing
        }
    }

    private func beginInItem(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        let name = names.meant(element.name)
        switch (name.vocabulary, name.local) {
        case (.plain, "title"), (.dublinCore, "title"), (.plain, "pubdate"), (.dublinCore, "date"), (.plain, "author"),
            (.dublinCore, "creator"), (.itunes, "author"):
            return .text
        case (.plain, "guid"):
            guidIsLink = element.attribute("isPermaLink")?.lowercased() != "false"
            return .text
        case (.plain, "link") where element.attribute("href") == nil:
            markupBase = element.base
            return .text
        case (.atom, "link"), (.plain, "link"):
            if element.attribute("rel") == nil || element.isLink("alternate"), let reference = element.attribute("href")
            {
                item.otherLink = item.otherLink ?? (reference, element.base)
            }
            return .nothing
        case (.plain, "image"):
            markupBase = element.base
            return enter(.image)
        case (.plain, "description"), (.content, "encoded"):
            markupBase = element.base
            return .markup
        case (.plain, "enclosure"): return try addEnclosure(element, at: element.attribute("url"))
        case (.enclosure, "enclosure"):
            let url = Self.attribute("url", of: element) ?? Self.attribute("resource", of: element)
            return try addEnclosure(element, at: url ?? element.attribute("resource", in: .rdf))
        case (.itunes, "image"):
            let url = element.attribute("href") ?? element.attribute("url")
            try item.add(NamedImage(url, base: element.base), rank: Rank.itunes)
            return .nothing
        default: return enter(.module, if: try item.beginMedia(element))
        }
    }

    private func addEnclosure(_ element: XMLElement, at url: String?) throws(DecodingFailure) -> XMLInterest {
        if let url, ImageKind.isImage(type: Self.attribute("type", of: element), reference: url) {
            try item.add(NamedImage(url, base: element.base), rank: Rank.enclosure)
        }
        return .nothing
    }

    /// RSS 1.0 writes an enclosure's attributes with the prefix of its module or without.
    private static func attribute(_ local: StaticString, of enclosure: XMLElement) -> String? {
        enclosure.attribute(local) ?? enclosure.attribute(local, in: .enclosure)
    }

    func receive(_ text: String, of given: XMLName) throws(DecodingFailure) {
        let name = names.meant(given)
        switch (places.last, name.vocabulary, name.local) {
        case (.channel, .plain, "title"): title = title ?? PlainText.of(text, with: html)
        case (.channel, .dublinCore, "title"): otherTitle = otherTitle ?? PlainText.of(text, with: html)
        case (.channel, .plain, "link"): try settle(link: text)
        case (.item, .plain, "guid"): take(guid: text)
        case (.item, .plain, "link"): take(link: text)
        case (.image, .plain, "url"):
            item.loneImage = FoldedText.fold(text).flatMap { NamedImage($0, base: markupBase) }
        case (.item, .plain, "pubdate"): item.published = item.published ?? FeedDate.read(text)
        case (.item, .dublinCore, "date"): item.otherDate = item.otherDate ?? FeedDate.read(text)
        case (.item, .plain, "author"), (.item, .dublinCore, "creator"), (.item, .itunes, "author"):
            FoldedText.fold(text).map { _ = item.authors.insert($0.lowercased()) }
        case (.item, .plain, "title"): item.title = item.title ?? PlainText.of(text, with: html)
        case (.item, .dublinCore, "title"): item.otherTitle = item.otherTitle ?? PlainText.of(text, with: html)
        case (.item, .plain, "description"):
            try item.add(markup: text, base: markupBase, rank: Rank.description, with: html)
        case (.item, .content, "encoded"):
            try item.add(markup: text, base: markupBase, rank: Rank.content, with: html)
        default: item.media.receive(text, of: given, with: html)
        }
    }

    private func take(guid text: String) {
        guard let id = FoldedText.fold(text) else { return }
        item.id = id
        if guidIsLink, URLScheme(of: id.utf8Span.span) != nil { item.otherLink = item.otherLink ?? (id, nil) }
    }

    private func take(link text: String) {
        guard item.link == nil, let link = FoldedText.fold(text) else { return }
        item.link = (link, markupBase)
        // Where nothing else is a image, the link may be one.
        if item.loneImage == nil, ImageKind.isNamedAsImage(link) {
            item.loneImage = NamedImage(link, base: markupBase)
        }
    }

    func end() throws(DecodingFailure) {
        switch places.popLast() {
        case .item:
            names.endItem()
            let done = item.item
            guard !hasLink else { return try collector.add(done) }
            waiting.append(done)
            waitingCount += 1 + done.images.count + done.substitutes.joined().count
            if waitingCount > Self.mostWaiting { try settle() }
        case .module: item.media.end()
        default: break
        }
    }

    func note(_ note: String) { collector.note(note) }

    private func enter(_ place: Place) -> XMLInterest {
        places.append(place)
        return .children
    }

    private func enter(_ place: Place, if interest: XMLInterest?) -> XMLInterest {
        interest == .children ? enter(place) : interest ?? .nothing
    }

    // MARK: The channel's link

    private func settle(link: String) throws(DecodingFailure) {
        guard !hasLink, FoldedText.fold(link) != nil else { return }
        collector.setBase(link)
        try settle()
    }

    private func settle() throws(DecodingFailure) {
        hasLink = true
        for item in waiting { try collector.add(item) }
        waiting = []
    }
}
