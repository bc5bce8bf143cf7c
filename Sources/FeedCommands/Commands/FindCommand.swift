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
                words, in: feed, within: settings.since, limit: settings.limit, hasDetails: settings.json
            ) { images throws(FeedError) in
                var text: [UInt8] = []
                for image in images { lines.add(image, to: &text) }
                try output.write(text)
            }
        }
        return count > 0 ? .ok : .failure
    }
}

/// Writes found images as lines.
struct FoundImageLines {
    private static let tab = UInt8(ascii: "\t")

    /// The absolute path of the cache.
    private let cache: String
    private let escapedCache: String
    private let isJSON: Bool

    init(cache: String, isJSON: Bool) {
        (self.cache, escapedCache, self.isJSON) = (cache, TerminalText.escape(cache), isJSON)
    }

    func add(_ found: FoundImage, to text: inout [UInt8]) {
        if !isJSON {
            addFields(of: found, to: &text)
        } else if let details = found.details {
            text += json(found, details)
        }
        text.append(UInt8(ascii: "\n"))
    }

    /// Adds the fields with tabs between them; a tab in a field is escaped.
    private func addFields(of found: FoundImage, to text: inout [UInt8]) {
        text += found.fetchedAt.rfc3339.utf8
        text.append(Self.tab)
        text += TerminalText.escape(found.feed.title ?? found.feed.url.text).utf8
        text.append(Self.tab)
        text += TerminalText.escape(found.description ?? "").utf8
        text.append(Self.tab)
        text += FilePath.absolute(found.path, in: escapedCache).utf8
    }

    private func json(_ found: FoundImage, _ details: FoundImage.Details) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", JSONFormat.version)
        writer.member("feed", found.feed.url.text)
        writer.member("feed_title", found.feed.title)
        writer.members(of: details.image, details.stored, path: FilePath.absolute(found.path, in: cache))
        writer.endObject()
        return writer.drain()
    }
}
