/// Tells which names of a feed are RSS's own. Some feeds declare a namespace for all names without a prefix and mean
/// RSS all the same; some write the names in capitals.
struct RSSNames {
    /// The namespace of RSS's own names, which may also have none.
    private var own = XMLVocabulary.plain
    /// The feed's namespace for RSS's own names, while an item has another.
    private var ownOfFeed = XMLVocabulary.plain

    static func isRoot(_ name: XMLName) -> Bool {
        let local = name.local.lowercased()
        return local == "rss" || (name.vocabulary == .rdf && local == "rdf")
    }

    /// The name, with RSS's own in small letters and without a namespace.
    func meant(_ name: XMLName) -> XMLName {
        let isOwn = name.vocabulary == own && !Self.ofModules.contains(name)
        return isOwn || name.vocabulary == .plain ? XMLName(.plain, name.local.lowercased()) : name
    }

    /// These stay a module's, even if the feed declares the module's namespace for RSS's own names.
    private static let ofModules = [
        XMLName(.itunes, "image"), XMLName(.content, "encoded"), XMLName(.media, "content"), XMLName(.media, "group"),
        XMLName(.media, "thumbnail"),
    ]

    mutating func beginRoot(_ element: XMLElement) {
        if element.name.vocabulary != .rdf { own = element.name.vocabulary }
    }

    /// An element without a prefix that is named channel is the channel, whatever its namespace.
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

    /// Whether an item without a prefix is in an unknown namespace. The names without a prefix in it are RSS's own.
    private func declaresItsOwn(_ element: XMLElement) -> Bool {
        guard case .unknown = element.name.vocabulary else { return false }
        return element.name.local.lowercased() == "item" && !element.hasPrefix
    }
}
