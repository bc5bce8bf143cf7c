import FeedCore
import JSONText

/// What is in the cache.
struct StatusReport {
    let cache: String
    let feeds: [FeedSummary]
    let images: ImageTotals
    let now: Timestamp
    let settings: Settings

    private func isFresh(_ feed: FeedSummary) -> Bool {
        FeedCachePolicy.isFresh(savedAt: feed.savedAt, now: now, maxAge: settings.of(feed.url).maxAge)
    }

    var json: String {
        let value: JSONValue = [
            "cache": .string(cache),
            "feeds": .array(feeds.map(json)),
            "images": ["count": .integer(images.count), "bytes": .integer(Int(images.bytes))],
        ]
        return value.text() + "\n"
    }

    private func json(_ feed: FeedSummary) -> JSONValue {
        [
            "url": .string(feed.url.text),
            "title": JSONValue(feed.title),
            "format": .string(feed.format.rawValue),
            "saved_at": .string(feed.savedAt.rfc3339),
            "age_seconds": .integer(Int((now - feed.savedAt).components.seconds)),
            "fresh": .bool(isFresh(feed)),
            "images": .integer(feed.images),
            "images_cached": .integer(feed.imagesCached),
        ]
    }

    var text: String {
        let feedCount = Phrases.count(feeds.count, "feed")
        let imageCount = Phrases.count(images.count, "image")
        let head = "\(cache): \(feedCount), \(imageCount), \(Phrases.size(images.bytes))"
        return ([head] + feeds.map(line)).map { TerminalText.escape($0) + "\n" }.joined()
    }

    private func line(_ feed: FeedSummary) -> String {
        let state = isFresh(feed) ? "fresh" : "stale"
        let age = now < feed.savedAt ? "in the future" : "\(Phrases.span(now - feed.savedAt)) ago"
        return "\(state), saved \(age), \(feed.imagesCached) of \(feed.images) images: \(feed.title ?? "")"
            + "\(feed.title == nil ? "" : " ")\(feed.url)"
    }
}
