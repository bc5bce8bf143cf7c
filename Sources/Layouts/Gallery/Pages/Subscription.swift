internal import FeedCore
internal import Hashing
internal import JSONText

/// The images of some feeds as a feed for readers and mirrors.
///
/// All its URLs are relative, because the address at which the gallery will be served is unknown.
struct Subscription {
    static let maxEntries = 100

    let names: SubscriptionNames
    let id: String
    let title: String
    let updated: Timestamp
    let entries: [SubscriptionEntry]

    init(feeds: [ShownFeed], names: SubscriptionNames) throws(FeedError) {
        self.names = names
        id = try Self.urn(feeds.map(\.feed.url.text).sorted())
        title = feeds.count == 1 ? feeds[0].name.title : "Images"
        updated = feeds.map(\.feed.head.savedAt).max() ?? Timestamp(microseconds: 0)
        var entries: [SubscriptionEntry] = []
        for image in feeds.newestImages(Self.maxEntries) { entries.append(try SubscriptionEntry(image)) }
        self.entries = entries
    }

    var files: [SiteFile] { [json, atom] }

    /// Returns an identifier that is the same for the same parts in every gallery.
    static func urn(_ parts: [String]) throws(FeedError) -> String {
        try "urn:sha256:\(SHA256.digest(of: parts.joined(separator: "\n")).hex)"
    }
}

/// An image as an entry of the subscription.
struct SubscriptionEntry {
    let id: String
    let title: String?
    let description: String?
    let updated: Timestamp
    /// The URL of the image on its page in the gallery.
    let pageURL: String
    let shown: ShownImage

    init(_ shown: ShownImage) throws(FeedError) {
        let image = shown.tile.image
        id = try Subscription.urn([shown.feed.feed.url.text, image.id])
        title = HTMLWriter.visible(image.title)
        description = HTMLWriter.visible(image.description)
        updated = image.published ?? shown.tile.fetchedAt ?? shown.feed.feed.head.savedAt
        pageURL = shown.link
        self.shown = shown
    }

    /// The HTML that a feed reader shows: the image, and its description both as text and for screen readers.
    var html: String {
        var html = HTMLWriter()
        html.raw("<p><img src=\"\(shown.placed.file)\"")
        html.attribute("alt", description ?? title ?? "")
        if let size = shown.placed.size { html.raw(" width=\"\(size.width)\" height=\"\(size.height)\"") }
        html.raw("></p>")
        if let description {
            html.raw("<p>")
            html.text(description)
            html.raw("</p>")
        }
        return String(decoding: html.bytes, as: UTF8.self)
    }
}

/// The subscription in the Atom format.
///
/// Texts are escaped as in a page.
enum AtomSubscription {
    static func entry(_ entry: SubscriptionEntry, to xml: inout HTMLWriter) {
        let (image, placed) = (entry.shown.tile.image, entry.shown.placed)
        xml.raw("<entry>\n<id>\(entry.id)</id>\n<title>")
        xml.text(entry.title ?? entry.description ?? "Image", limit: 300)
        xml.raw("</title>\n<updated>\(entry.updated.rfc3339)</updated>\n")
        if let published = image.published { xml.raw("<published>\(published.rfc3339)</published>\n") }
        if let author = HTMLWriter.visible(image.author) {
            xml.raw("<author><name>")
            xml.text(author, limit: 300)
            xml.raw("</name></author>\n")
        }
        for tag in image.tags {
            xml.raw("<category")
            xml.attribute("term", tag, limit: 300)
            xml.raw("/>\n")
        }
        xml.raw("<link rel=\"alternate\" type=\"text/html\" href=\"\(entry.pageURL)\"/>\n")
        if let link = image.link, PublicURL.isPage(link, of: image) {
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
        xml.raw("<author><name>feedsync</name></author>\n<link rel=\"self\" href=\"\(names.atom)\"/>\n")
        xml.raw("<link rel=\"alternate\" type=\"text/html\" href=\"\(names.page)\"/>\n")
        for entry in entries { AtomSubscription.entry(entry, to: &xml) }
        xml.raw("</feed>\n")
        return SiteFile(name: names.atom, bytes: xml.bytes)
    }
}

/// The subscription in the JSON Feed 1.1 format.
enum JSONSubscription {
    static func item(_ entry: SubscriptionEntry) -> JSONValue {
        let (image, placed) = (entry.shown.tile.image, entry.shown.placed)
        let file: JSONValue = [
            "url": .string(placed.file), "mime_type": .string(placed.type.mediaType),
            "size_in_bytes": .integer(Int(placed.byteCount)),
        ]
        let members: [(String, JSONValue)] = [
            ("id", .string(entry.id)), ("url", .string(entry.pageURL)),
            ("external_url", JSONValue(image.link.flatMap { PublicURL.isPage($0, of: image) ? $0.text : nil })),
            ("title", JSONValue(entry.title)), ("content_html", .string(entry.html)),
            ("image", .string(placed.file)), ("date_published", JSONValue(image.published?.rfc3339)),
            ("authors", HTMLWriter.visible(image.author).map { .array([["name": .string($0)]]) } ?? .null),
            ("tags", image.tags.isEmpty ? .null : .array(image.tags.map { .string($0) })),
            ("attachments", .array([file])),
        ]
        return .object(
            members.filter { _, value in
                if case .null = value { false } else { true }
            })
    }
}

extension Subscription {
    var json: SiteFile {
        let document: JSONValue = [
            "version": .string("https://jsonfeed.org/version/1.1"), "title": .string(title),
            "home_page_url": .string(names.page),
            "feed_url": .string(names.json), "items": .array(entries.map(JSONSubscription.item)),
        ]
        return SiteFile(name: names.json, bytes: Array("\(document.text())\n".utf8))
    }
}
