internal import FeedCore
internal import Hashing

/// The gallery as a feed that others can subscribe to, or mirror. All its addresses are relative: nobody says here where
/// the gallery will be served.
struct Subscription {
    static let mostEntries = 100

    let id: String
    let title: String
    let updated: Timestamp
    let entries: [SubscriptionEntry]

    init(feeds: [ShownFeed]) throws(FeedError) {
        id = try Self.name(feeds.map(\.feed.url.text).sorted())
        title = feeds.count == 1 ? feeds[0].name.title : "Pictures"
        updated = feeds.map(\.feed.savedAt).max() ?? Timestamp(microseconds: 0)
        var entries: [SubscriptionEntry] = []
        for picture in feeds.newestPictures(Self.mostEntries) { entries.append(try SubscriptionEntry(picture)) }
        self.entries = entries
    }

    var files: [SiteFile] { [json, atom] }

    /// The same for the same, in every gallery.
    static func name(_ parts: [String]) throws(FeedError) -> String {
        try "urn:sha256:\(SHA256.digest(of: parts.joined(separator: "\n")).hex)"
    }
}

/// A picture of it.
struct SubscriptionEntry {
    let id: String
    let title: String?
    let words: String?
    let updated: Timestamp
    /// Of its page in the gallery.
    let address: String
    let picture: ShownPicture

    init(_ picture: ShownPicture) throws(FeedError) {
        let image = picture.tile.image
        id = try Subscription.name([picture.feed.feed.url.text, image.id])
        title = HTMLWriter.visible(image.title)
        words = HTMLWriter.visible(image.description)
        updated = image.published ?? picture.tile.fetchedAt ?? picture.feed.feed.savedAt
        address = picture.address
        self.picture = picture
    }

    /// What a reader of feeds shows: the picture, and its words both for those who see it and for those who don't.
    var html: String {
        var html = HTMLWriter()
        html.raw("<p><img src=\"\(picture.placed.file)\"")
        html.attribute("alt", words ?? title ?? "")
        if let size = picture.placed.size { html.raw(" width=\"\(size.width)\" height=\"\(size.height)\"") }
        html.raw("></p>")
        if let words {
            html.raw("<p>")
            html.text(words)
            html.raw("</p>")
        }
        return String(decoding: html.bytes, as: UTF8.self)
    }
}
