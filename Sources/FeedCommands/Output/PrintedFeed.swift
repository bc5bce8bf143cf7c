import FeedCore
import JSONText

/// Prints a feed for `show`, in pieces, because it may have a million images.
struct PrintedFeed {
    let url: ResourceURL
    let loaded: FeedLoaderWithFallback.Loaded
    /// The stored data of each image, in the order of the feed; nil for text output.
    let found: [StoredImage?]?

    private static let pieceSize = 1 << 16

    func write(now: Timestamp, _ put: ([UInt8]) throws(FeedError) -> Void) throws(FeedError) {
        if let found { try writeJSON(found, put) } else { try writeText(now: now, put) }
    }

    private func writeJSON(
        _ found: [StoredImage?], _ put: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", JSONFormat.version)
        writer.member("url", url.text)
        writer.member("title", loaded.feed.title)
        writer.member("source", source)
        writer.member("saved_at", loaded.savedAt?.rfc3339)
        writer.name("images")
        writer.beginArray()
        for (image, stored) in zip(loaded.images, found) {
            writer.beginObject()
            writer.members(of: image, stored, path: stored?.path)
            writer.endObject()
            if writer.bytes.count >= Self.pieceSize { try put(writer.drain()) }
        }
        writer.endArray()
        writer.endObject()
        try put(writer.drain() + [UInt8(ascii: "\n")])
    }

    private var source: String {
        switch loaded.source {
        case .remote: "remote"
        case .cache: "cache"
        }
    }

    private func writeText(
        now: Timestamp, _ put: ([UInt8]) throws(FeedError) -> Void
    ) throws(FeedError) {
        let kept = loaded.kept.isEmpty ? "" : ", and \(loaded.kept.count) kept"
        let count = Phrases.count(loaded.feed.images.count, "image") + kept
        let age = loaded.savedAt.map { ", saved \(Phrases.age(of: $0, at: now))" } ?? ""
        let title = loaded.feed.title.map { TerminalText.escape($0) + "\n" } ?? ""
        let origin =
            switch loaded.source {
            case .cache: "cache"
            case .remote: url.isRemote ? "server" : "file"
            }
        var text = "\(title)\(TerminalText.escape(url.text))\n\(count), from the \(origin)\(age)\n"
        for image in loaded.images {
            text += "\n" + TerminalText.escape(image.heading) + "\n"
            let post = [image.published?.day, image.link?.text].compactMap(\.self).joined(separator: " ")
            let gone = image.lastSeen.map { "last in the feed on \($0.day)" }
            for line in [image.subheading, post.isEmpty ? nil : post, image.location, gone, image.url.text] {
                if let line { text += "  " + TerminalText.escape(line) + "\n" }
            }
            if text.utf8.count >= Self.pieceSize {
                try put(Array(text.utf8))
                text = ""
            }
        }
        try put(Array(text.utf8))
    }
}

extension JSONWriter {
    /// Writes the members of an image for `show` and `find`.
    mutating func members(of image: FeedImage, _ stored: StoredImage?, path: String?) {
        member("id", image.id)
        member("description", image.description)
        member("location", image.location)
        member("title", image.title)
        member("link", image.link?.text)
        member("published", image.published?.rfc3339)
        member("author", image.author)
        member("rights", image.rights)
        if !image.tags.isEmpty { member("tags", image.tags) }
        member("text", image.text)
        member("url", image.url.text)
        if let from = stored?.from { member("from", from.text) }
        member("digest", stored.map { "sha256:\($0.digest.hex)" })
        member("path", path)
        member("size", stored?.size)
        member("type", stored?.type.mediaType)
        member("fetched_at", stored?.fetchedAt.rfc3339)
        member("current", image.lastSeen == nil)
        member("last_seen", image.lastSeen?.rfc3339)
    }
}

/// The format of the JSON objects on standard output, which scripts rely on.
enum JSONFormat {
    /// The first member of each object.
    ///
    /// It changes when a member changes its meaning or is removed.
    static let version = 1

    /// Returns a line with an object of these members.
    static func text(_ members: [(String, JSONValue)]) -> String {
        JSONValue.object([("version", .integer(version))] + members).text() + "\n"
    }
}
