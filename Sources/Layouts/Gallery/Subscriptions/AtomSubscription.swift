internal import FeedCore

/// As Atom, whose texts are escaped as those of a page are.
enum AtomSubscription {
    static func entry(_ entry: SubscriptionEntry, to xml: inout HTMLWriter) {
        let (image, placed) = (entry.picture.tile.image, entry.picture.placed)
        xml.raw("<entry>\n<id>\(entry.id)</id>\n<title>")
        xml.text(entry.title ?? entry.words ?? "Picture", limit: 300)
        xml.raw("</title>\n<updated>\(entry.updated.rfc3339)</updated>\n")
        if let published = image.published { xml.raw("<published>\(published.rfc3339)</published>\n") }
        xml.raw("<link rel=\"alternate\" type=\"text/html\" href=\"\(entry.address)\"/>\n")
        if let link = image.link, link.isRemote {
            xml.raw("<link rel=\"via\"")
            xml.link("href", link.text)
            xml.raw("/>\n")
        }
        xml.raw("<link rel=\"enclosure\" type=\"\(placed.type.mediaType)\" length=\"\(placed.byteCount)\"")
        xml.raw(" href=\"\(placed.file)\"/>\n")
        xml.raw("<content type=\"html\">")
        xml.text(entry.html, limit: .max)
        xml.raw("</content>\n</entry>\n")
    }
}

extension Subscription {
    var atom: SiteFile {
        var xml = HTMLWriter()
        xml.raw("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>")
        xml.text(title, limit: 300)
        xml.raw("</title>\n<id>\(id)</id>\n<updated>\(updated.rfc3339)</updated>\n")
        xml.raw("<author><name>feedsync</name></author>\n<link rel=\"self\" href=\"\(Address.atomFeed)\"/>\n")
        xml.raw("<link rel=\"alternate\" type=\"text/html\" href=\"index.html\"/>\n")
        for entry in entries { AtomSubscription.entry(entry, to: &xml) }
        xml.raw("</feed>\n")
        return SiteFile(name: Address.atomFeed, bytes: xml.bytes)
    }
}
