internal import FeedCore
internal import JSONText

/// Writes the document of a feed in pieces, because it may be long.
struct FeedDocumentWriter {
    private static let piece = 64 * 1024

    private var json = JSONWriter()

    init(_ feed: FeedHead, without removed: RemovedImages) {
        json.beginObject()
        json.member("version", OCILayout.documentVersion)
        json.member("url", feed.url.text)
        if let title = feed.title { json.member("title", title) }
        if let home = feed.home { json.member("home", home) }
        if let language = feed.language { json.member("language", language) }
        json.member("format", feed.format.rawValue)
        json.member("saved_at", feed.savedAt.rfc3339)
        json.member("named", feed.naming.word)
        if let settings = feed.settings { json.member("settings", json: settings) }
        if let keep = feed.keep { json.member("keep", keep.text) }
        if let gaps = feed.gaps { json.member("gaps", json: gaps) }
        if let nextPage = feed.nextPage { json.member("next_page", nextPage.text) }
        if !removed.isEmpty { add(removed) }
        json.name("images")
        json.beginArray()
    }

    private mutating func add(_ removed: RemovedImages) {
        json.name("removed")
        json.beginArray()
        for entry in removed.entries {
            json.beginObject()
            json.member("id", entry.id)
            json.member("urls", entry.urls.map(\.text))
            json.endObject()
        }
        json.endArray()
    }

    mutating func add(_ given: SnapshotImage) {
        let image = given.image
        json.beginObject()
        json.member("id", image.id)
        if let description = image.description { json.member("description", description) }
        if let location = image.location { json.member("location", location) }
        if let title = image.title { json.member("title", title) }
        if let link = image.link { json.member("link", link.text) }
        if let published = image.published { json.member("published", published.rfc3339) }
        if let author = image.author { json.member("author", author) }
        if let rights = image.rights { json.member("rights", rights) }
        if !image.tags.isEmpty { json.member("tags", image.tags) }
        if let text = image.text { json.member("text", text) }
        if let lastSeen = image.lastSeen { json.member("last_seen", lastSeen.rfc3339) }
        if !image.alternatives.isEmpty { json.member("alternatives", image.alternatives.map(\.text)) }
        json.member("url", image.url.text)
        if let stored = given.stored {
            if let from = stored.from { json.member("from", from.text) }
            json.member("digest", OCILayout.reference(stored.digest))
            json.member("fetched_at", stored.fetchedAt.rfc3339)
            if let etag = stored.validators.etag { json.member("etag", etag) }
            if let lastModified = stored.validators.lastModified { json.member("last_modified", lastModified) }
        }
        json.endObject()
    }

    /// Returns the text written so far if it is long enough to pass on.
    mutating func take() -> [UInt8]? { json.bytes.count >= Self.piece ? json.drain() : nil }

    /// Ends the document and returns the rest of the text.
    mutating func end() -> [UInt8] {
        json.endArray()
        json.endObject()
        return json.drain()
    }
}

extension FeedNaming {
    /// The word in a document; nil for a feed that nobody has named.
    fileprivate var word: String? {
        switch self {
        case .unnamed: nil
        case .byConfig: "config"
        case .byCommand: "command"
        }
    }
}
