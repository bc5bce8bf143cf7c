import FeedCore
import JSONText

/// Lists the saved images that match every word, the latest first.
struct FindCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run(_ words: [String], in feed: ResourceURL?) async throws(FeedError) -> ExitCode {
        let settings = session.settings
        let lines = FoundImageLines(
            cache: FilePath.absolute(session.cachePath, in: session.world.currentDirectory), isJSON: settings.json)
        let output = session.world.output
        let count = try await session.withExistingCache { cache throws(FeedError) in
            try await FindImages(cache.search, now: session.now).find(
                words, in: feed, within: settings.since, limit: settings.limit
            ) { images throws(FeedError) in
                try output.write(images.flatMap(lines.line))
            }
        }
        return count > 0 ? .ok : .failure
    }
}

/// Writes a found image as a line.
struct FoundImageLines {
    /// The absolute path of the cache.
    let cache: String
    let isJSON: Bool

    func line(_ found: FoundImage) -> [UInt8] {
        (isJSON ? json(found) : text(found)) + [UInt8(ascii: "\n")]
    }

    private func path(_ found: FoundImage) -> String { FilePath.absolute(found.stored.path, in: cache) }

    /// Returns the fields with tabs between them; a tab in a field is escaped.
    private func text(_ found: FoundImage) -> [UInt8] {
        let fields = [
            found.stored.fetchedAt.rfc3339, found.feed.title ?? found.feed.url.text, found.image.description ?? "",
            path(found),
        ]
        return Array(fields.map(TerminalText.escape).joined(separator: "\t").utf8)
    }

    private func json(_ found: FoundImage) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", JSONFormat.version)
        writer.member("feed", found.feed.url.text)
        writer.member("feed_title", found.feed.title)
        writer.members(of: found.image, found.stored, path: path(found))
        writer.endObject()
        return writer.drain()
    }
}
