/// Which names of a feed are RSS's own. Some feeds declare a namespace for all that has no prefix, and mean RSS all the
/// same; some write the names in capitals.
struct RSSNames {
    /// What the names have that are RSS's own, besides those that have none.
    private var own = XMLVocabulary.plain
    /// The same of the feed, while an item has another.
    private var ownOfFeed = XMLVocabulary.plain

    static func isRoot(_ name: XMLName) -> Bool {
        let local = name.local.lowercased()
        return local == "rss" || (name.vocabulary == .rdf && local == "rdf")
    }

    /// Of RSS's own as of no namespace, and in small letters.
    func meant(_ name: XMLName) -> XMLName {
        let isOwn = name.vocabulary == own && !Self.ofModules.contains(name)
        return isOwn || name.vocabulary == .plain ? XMLName(.plain, name.local.lowercased()) : name
    }

    /// What stays a module's though the feed declares its namespace for RSS's own names.
    private static let ofModules = [
        XMLName(.itunes, "image"), XMLName(.content, "encoded"), XMLName(.media, "content"), XMLName(.media, "group"),
        XMLName(.media, "thumbnail"),
    ]

    mutating func beginRoot(_ element: XMLElement) {
        if element.name.vocabulary != .rdf { own = element.name.vocabulary }
    }

    /// Whatever else it may be, what has no prefix and the name of a channel is one.
    mutating func beginChannel(_ element: XMLElement) {
        if !element.hasPrefix, element.name.local.lowercased() == "channel" { own = element.name.vocabulary }
    }

    func isItem(_ element: XMLElement) -> Bool {
        meant(element.name) == XMLName(.plain, "item") || declaresItsOwn(element)
    }

    mutating func beginItem(_ element: XMLElement) {
        ownOfFeed = own
        if declaresItsOwn(element) { own = element.name.vocabulary }
    }

    mutating func endItem() { own = ownOfFeed }

    /// An item in a namespace that nobody knows: where its names have no prefix, they are RSS's own all the same.
    private func declaresItsOwn(_ element: XMLElement) -> Bool {
        guard case .unknown = element.name.vocabulary else { return false }
        return element.name.local.lowercased() == "item" && !element.hasPrefix
    }
}
