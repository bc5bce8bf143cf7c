import FeedCore
import JSONText

/// Prints the contents of the cache.
struct StatusCommand {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func run() async throws(FeedError) -> ExitCode {
        let report = try await session.withExistingCache { cache throws(FeedError) in
            if !session.world.fileExists(session.cachePath) {
                session.remark(
                    LogLine(level: .info, event: "no_cache", text: "there is no cache at \(session.cachePath)"))
            }
            let feeds = try await cache.feeds.summaries()
            return StatusReport(
                cache: session.cachePath, feeds: feeds,
                images: try await cache.images.inventory(of: feeds.map(\.url)),
                waits: try await cache.waits.retrieve(), now: session.now(), settings: session.settings)
        }
        try session.write(session.settings.json ? report.json : report.text)
        return .ok
    }
}

/// Prints the contents of the cache for `status`.
struct StatusReport {
    let cache: String
    let feeds: [FeedSummary]
    /// The images of the feeds.
    let images: ImageInventory
    /// The waits that servers asked for with `Retry-After`.
    let waits: [FeedWait]
    let now: Timestamp
    let settings: Settings

    private func isFresh(_ feed: FeedSummary) -> Bool {
        FeedCachePolicy.isFresh(savedAt: feed.head.savedAt, now: now, maxAge: settings.of(feed.url).maxAge)
    }

    var json: String {
        JSONFormat.text([
            ("cache", .string(cache)),
            ("feeds", .array(zip(feeds, images.perFeed).map(json))),
            ("images", ["count": .integer(images.totals.count), "bytes": .integer(Int(images.totals.bytes))]),
        ])
    }

    private func json(_ feed: FeedSummary, _ images: ImageInventory.OfFeed) -> JSONValue {
        [
            "url": .string(feed.url.text),
            "title": JSONValue(feed.head.title),
            "format": .string(feed.head.format.rawValue),
            "saved_at": .string(feed.head.savedAt.rfc3339),
            "age_seconds": .integer(Int((now - feed.head.savedAt).components.seconds)),
            "fresh": .bool(isFresh(feed)),
            "images": .integer(feed.images),
            "images_cached": .integer(images.cached),
            "images_failed": .integer(images.failed),
            "keep": .string(feed.head.keep?.text ?? "none"),
            "moved_to": JSONValue(feed.movedTo?.text),
            "last_error": feed.trouble.map(json) ?? .null,
        ]
    }

    private func json(_ trouble: FeedTrouble) -> JSONValue {
        [
            "kind": .string(trouble.kind.name),
            "message": .string(Passwords.hidden(in: trouble.message)),
            "at": .string(trouble.at.rfc3339),
        ]
    }

    var text: String {
        let feedCount = Phrases.count(feeds.count, "feed")
        let imageCount = Phrases.count(images.totals.count, "image")
        let head = "\(cache): \(feedCount), \(imageCount), \(Phrases.size(images.totals.bytes))"
        let lines = zip(feeds, images.perFeed).flatMap { [line($0, $1)] + (troubles($0, $1).map { ["  " + $0] } ?? []) }
        return ([head] + lines).map { TerminalText.escape($0) + "\n" }.joined()
    }

    /// Returns the failed images and the last error of a feed; nil if there are none.
    private func troubles(_ feed: FeedSummary, _ images: ImageInventory.OfFeed) -> String? {
        var parts: [String] = []
        if let until = images.leftAloneUntil {
            let wait = now < until ? "in \(Phrases.span(until - now))" : "with the next sync"
            parts.append("\(Phrases.count(images.failed, "image")) failed (next try \(wait))")
        }
        if let trouble = feed.trouble {
            let age = Phrases.age(of: trouble.at, at: now)
            parts.append("last error \(age): \(Passwords.hidden(in: trouble.message))")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private func line(_ feed: FeedSummary, _ images: ImageInventory.OfFeed) -> String {
        let state = isFresh(feed) ? "fresh" : "stale"
        let age = Phrases.age(of: feed.head.savedAt, at: now)
        let wait = waits.first { $0.feed.key == feed.url.key && $0.holds(at: now) }
        let waiting = wait.map { ", waiting until \($0.until.rfc3339) as its server asked" } ?? ""
        let moved = feed.movedTo.map { ", has moved permanently to \($0)" } ?? ""
        let keep = feed.head.keep.flatMap { $0.isNone ? nil : ", keeps \($0.text)" } ?? ""
        return
            "\(state), saved \(age)\(keep)\(moved)\(waiting), \(images.cached) of \(feed.images) images: \(feed.head.title ?? "")"
            + "\(feed.head.title == nil ? "" : " ")\(feed.url)"
    }
}
