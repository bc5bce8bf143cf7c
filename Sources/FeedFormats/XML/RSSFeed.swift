internal import FeedCore

/// Decodes RSS 2.0, 0.9x and 1.0 (RDF), with Media RSS, iTunes, GeoRSS and content modules.
final class RSSFeed: XMLVisitor {
    private enum RSSContext { case root, channel, item, module }

    /// The order of an item's images.
    ///
    /// Those of Media RSS precede them.
    private enum RSSRank {
        static let enclosure = 1
        static let itunes = 2
        static let content = 3
        static let description = 4
    }

    private let html = HTMLReader()
    private var contexts: [RSSContext] = []
    private var item: XMLItem
    private let mostRenditions: Int
    private var markupBase: ResourceURL?
    /// Whether the current guid is the URL of the item's page.
    private var guidIsLink = false
    private var names = RSSNames()

    private var details = ItemDetails()
    private var schedule = UpdateSchedule()
    private var title: String?
    private var language: String?
    /// The title in Dublin Core, which replaces a missing title.
    private var otherTitle: String?
    private var pages = NextPageLinks()
    private var collector: ImageCollector

    init(_ document: FeedSource, taking selection: ImageSelection) {
        mostRenditions = FeedItem.mostRenditions(in: document)
        item = XMLItem(mostRenditions: mostRenditions)
        collector = ImageCollector(in: document, taking: selection) { [html] in $0.beginning($1, with: html) }
    }

    /// Returns the feed.
    ///
    /// A document without a channel is an empty feed.
    func decoded() throws(DecodingFailure) -> DecodedFeed {
        let (images, itemStarts) = try collector.finish()
        let title = (title ?? otherTitle)?.shortened(to: LongestText.words)
        return DecodedFeed(
            feed: Feed(format: .rss, title: title, language: language, images: images), itemStarts: itemStarts,
            notes: collector.notes.all, nextPage: pages.nextPage(in: collector),
            itemHashes: collector.itemHashes, isOfWordPress: pages.isOfWordPress, interval: schedule.interval)
    }

    // MARK: Elements

    func begin(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        if contexts.count == 1 { names.beginChannel(element) }
        switch contexts.last {
        case nil:
            names.beginRoot(element)
            return enter(.root)
        case .root, .channel:
            if names.isItem(element) { return beginItem(element) }
            if contexts.count == 1, names.canonical(element.name) == XMLName(.plain, "channel") {
                return enter(.channel)
            }
            return contexts.last == .channel ? beginInChannel(element) : .nothing
        case .item: return try beginInItem(element)
        case .module:
            if let interest = item.details.begin(element, named: names.canonical(element.name)) { return interest }
            return enter(.module, if: try item.beginMedia(element))
        }
    }

    private func beginItem(_ element: XMLElement) -> XMLInterest {
        names.beginItem(element)
        item = XMLItem(mostRenditions: mostRenditions)
        item.id = element.attribute("about", in: .rdf)
        return enter(.item)
    }

    private func beginInChannel(_ element: XMLElement) -> XMLInterest {
        let name = names.canonical(element.name)
        if let interest = details.begin(element, named: name) { return interest }
        switch (name.vocabulary, name.local) {
        case (.plain, "title"), (.dublinCore, "title"), (.plain, "generator"), (.plain, "language"),
            (.dublinCore, "language"):
            return .text
        case _ where UpdateSchedule.isPart(name): return .text
        case (.plain, "link") where element.attribute("href") == nil: return .text
        case (.atom, "link"), (.plain, "link"):
            pages.add(element)
            return .nothing
        default: return .nothing
        }
    }

    private func beginInItem(_ element: XMLElement) throws(DecodingFailure) -> XMLInterest {
        let name = names.canonical(element.name)
        if let interest = item.details.begin(element, named: name) { return interest }
        switch (name.vocabulary, name.local) {
        case (.plain, "title"), (.dublinCore, "title"): return .text
        case _ where Self.rank(ofDate: name) != nil: return .text
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
            return .markup
        case (.plain, "description"), (.content, "encoded"):
            markupBase = element.base
            return .markup
        case (.plain, "enclosure"): return try addEnclosure(element, at: element.attribute("url"))
        case (.enclosure, "enclosure"):
            let url = Self.attribute("url", of: element) ?? Self.attribute("resource", of: element)
            return try addEnclosure(element, at: url ?? element.attribute("resource", in: .rdf))
        case (.itunes, "image"):
            let url = element.attribute("href") ?? element.attribute("url")
            try item.add(NamedImage(url, base: element.base), rank: RSSRank.itunes)
            return .nothing
        default:
            if let interest = try item.beginMedia(element) { return enter(.module, if: interest) }
            return item.beginBare(element) ?? .nothing
        }
    }

    /// Returns the rank of a date among the dates of an item; nil for any other element.
    private static func rank(ofDate name: XMLName) -> Int? {
        switch (name.vocabulary, name.local) {
        case (.plain, "pubdate"): 0
        case (.dublinCore, "date"), (.atom, "published"), (.dublinCoreTerms, "issued"), (.dublinCoreTerms, "created"),
            (.plain, "published"):
            1
        case (.atom, "updated"), (.plain, "updated"): 2
        case (.dublinCoreTerms, "modified"): 3
        default: nil
        }
    }

    private func addEnclosure(_ element: XMLElement, at url: String?) throws(DecodingFailure) -> XMLInterest {
        let type = Self.attribute("type", of: element)
        if let url, ImageKind.isImage(type: type, reference: url) {
            try item.add(NamedImage(url, base: element.base), rank: RSSRank.enclosure)
        } else {
            item.others.add(url, type: type)
        }
        return .nothing
    }

    /// Returns an attribute of an enclosure, which RSS 1.0 writes with or without the prefix of its module.
    private static func attribute(_ local: StaticString, of enclosure: XMLElement) -> String? {
        enclosure.attribute(local) ?? enclosure.attribute(local, in: .enclosure)
    }

    func receive(_ text: String, of given: XMLName) throws(DecodingFailure) {
        let name = names.canonical(given)
        switch (contexts.last, name.vocabulary, name.local) {
        case (.channel, .plain, "title"): title = title ?? PlainText.of(text, with: html)
        case (.channel, .dublinCore, "title"): otherTitle = otherTitle ?? PlainText.of(text, with: html)
        case (.channel, .plain, "generator"): pages.add(generator: text)
        case (.channel, .plain, "language"), (.channel, .dublinCore, "language"): language = language ?? text
        case (.channel, .plain, "link"):
            if let link = FoldedText.fold(text) { try collector.setBase(link) }
        case (.item, .plain, "guid"): take(guid: text)
        case (.item, .plain, "link"): take(link: text)
        case (.item, .plain, "image"): take(image: text)
        case (.item, .plain, "author"), (.item, .dublinCore, "creator"), (.item, .itunes, "author"):
            FoldedText.fold(text).map { _ = item.authors.insert($0.lowercased()) }
            _ = item.details.receive(text, of: name, with: html)
        case (.item, .plain, "title"): item.title = item.title ?? PlainText.of(text, with: html)
        case (.item, .dublinCore, "title"): item.otherTitle = item.otherTitle ?? PlainText.of(text, with: html)
        case (.item, .plain, "description"):
            try item.add(markup: text, base: markupBase, rank: RSSRank.description, with: html)
        case (.item, .content, "encoded"):
            try item.add(markup: text, base: markupBase, rank: RSSRank.content, with: html)
        case (.channel, _, _):
            if !details.receive(text, of: name, with: html) { schedule.receive(text, of: name) }
        case (_, _, _) where item.details.receive(text, of: name, with: html): break
        case (.item, _, _):
            if let rank = Self.rank(ofDate: name) { return item.add(date: text, rank: rank) }
            if !item.receiveBare(text, of: given) { item.media.receive(text, of: given, with: html) }
        default: item.media.receive(text, of: given, with: html)
        }
    }

    private func take(image markup: String) {
        let (text, url) = ItemImage.read(markup, with: html)
        if let url { item.fallbackImage = NamedImage(url, base: markupBase) }
        if let text, url == nil || url == text { item.add(bareImage: text, named: "image") }
    }

    private func take(guid text: String) {
        guard let id = FoldedText.fold(text) else { return }
        item.id = id
        if guidIsLink, URLScheme(of: id.utf8Span.span) != nil { item.otherLink = item.otherLink ?? (id, nil) }
    }

    private func take(link text: String) {
        guard item.link == nil, let link = FoldedText.fold(text) else { return }
        item.link = (link, markupBase)
        // The link is the image of an item that has no other.
        if item.fallbackImage == nil, ImageKind.isNamedAsImage(link) {
            item.fallbackImage = NamedImage(link, base: markupBase)
        }
    }

    func end() throws(DecodingFailure) {
        switch contexts.popLast() {
        case .item:
            names.endItem()
            item.details = item.details.completed(by: details)
            try collector.add(item.item)
        case .module: item.media.end()
        default: break
        }
    }

    func note(_ note: String) { collector.note(note) }

    private func enter(_ context: RSSContext) -> XMLInterest {
        contexts.append(context)
        return .children
    }

    private func enter(_ context: RSSContext, if interest: XMLInterest?) -> XMLInterest {
        interest == .children ? enter(context) : interest ?? .nothing
    }
}

/// Recognises the names that belong to RSS itself.
///
/// Some feeds declare a default namespace for the names of RSS; some write the names in capitals.
struct RSSNames {
    /// The namespace of RSS's own names, which may also have none.
    private var own = XMLVocabulary.plain
    /// The feed's namespace for RSS's own names, while an item has another.
    private var ownOfFeed = XMLVocabulary.plain

    static func isRoot(_ name: XMLName) -> Bool {
        let local = name.local.lowercased()
        return local == "rss" || (name.vocabulary == .rdf && local == "rdf")
    }

    /// Returns the name; a name of RSS itself is in lower case and without a namespace.
    func canonical(_ name: XMLName) -> XMLName {
        guard name.vocabulary == .plain || name.vocabulary == own && !Self.ofModules.contains(name) else { return name }
        return XMLName(.plain, name.local.lowercased())
    }

    /// The names that remain a module's, even if the feed declares the module's namespace as its default.
    private static let ofModules = [
        XMLName(.itunes, "image"), XMLName(.content, "encoded"), XMLName(.media, "content"), XMLName(.media, "group"),
        XMLName(.media, "thumbnail"),
    ]

    mutating func beginRoot(_ element: XMLElement) {
        if element.name.vocabulary != .rdf { own = element.name.vocabulary }
    }

    /// Takes the namespace of the channel: an element named channel without a prefix is the channel in any namespace.
    mutating func beginChannel(_ element: XMLElement) {
        if !element.hasPrefix, element.name.local.lowercased() == "channel" { own = element.name.vocabulary }
    }

    func isItem(_ element: XMLElement) -> Bool {
        canonical(element.name) == XMLName(.plain, "item") || declaresItsOwn(element)
    }

    mutating func beginItem(_ element: XMLElement) {
        ownOfFeed = own
        if declaresItsOwn(element) { own = element.name.vocabulary }
    }

    mutating func endItem() { own = ownOfFeed }

    /// Returns whether an item without a prefix is in an unknown namespace.
    ///
    /// The names without a prefix in it then belong to RSS.
    private func declaresItsOwn(_ element: XMLElement) -> Bool {
        guard case .unknown = element.name.vocabulary else { return false }
        return element.name.local.lowercased() == "item" && !element.hasPrefix
    }
}

/// The elements of a channel that say how often to request it.
struct UpdateSchedule {
    /// The minutes of `ttl`.
    private var minutes: Int64?
    private var period: Int64?
    private var frequency: Int64 = 1

    private static let periods: [String: Int64] = [
        "hourly": 3600, "daily": 86_400, "weekly": 604_800, "monthly": 2_592_000, "yearly": 31_536_000,
    ]

    static func isPart(_ name: XMLName) -> Bool {
        name == XMLName(.plain, "ttl") || name == XMLName(.syndication, "updatePeriod")
            || name == XMLName(.syndication, "updateFrequency")
    }

    mutating func receive(_ text: String, of name: XMLName) {
        guard Self.isPart(name), let word = FoldedText.fold(text)?.lowercased() else { return }
        switch name.local {
        case "ttl": minutes = DecimalDigits.number(word[...])
        case "updatePeriod": period = Self.periods[word]
        default: frequency = max(1, DecimalDigits.number(word[...]) ?? 1)
        }
    }

    /// The longer one of the two pauses; nil if the channel has neither.
    var interval: Duration? {
        let longest: Int64 = 31_536_000
        let seconds = [minutes.map { min($0, longest) * 60 }, period.map { $0 / frequency }].compactMap(\.self)
        return seconds.max().flatMap { $0 > 0 ? .seconds($0) : nil }
    }
}
