internal import FeedCore
internal import JSONText

/// As JSON Feed 1.1.
enum JSONSubscription {
    static func item(_ entry: SubscriptionEntry) -> JSONValue {
        let (image, placed) = (entry.picture.tile.image, entry.picture.placed)
        let file: JSONValue = [
            "url": .string(placed.file), "mime_type": .string(placed.type.mediaType),
            "size_in_bytes": .integer(Int(placed.byteCount)),
        ]
        let members: [(String, JSONValue)] = [
            ("id", .string(entry.id)), ("url", .string(entry.address)),
            ("external_url", JSONValue(image.link.flatMap { $0.isRemote ? $0.text : nil })),
            ("title", JSONValue(entry.title)), ("content_html", .string(entry.html)),
            ("image", .string(placed.file)), ("date_published", JSONValue(image.published?.rfc3339)),
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
            "home_page_url": .string("index.html"),
            "feed_url": .string(Address.jsonFeed), "items": .array(entries.map(JSONSubscription.item)),
        ]
        return SiteFile(name: Address.jsonFeed, bytes: Array("\(document.text())\n".utf8))
    }
}
