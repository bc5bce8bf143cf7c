import FeedCore
import JSONText

/// The contents of the cache, for `status`.
struct StatusReport {
    let cache: String
    let feeds: [FeedSummary]
    /// The images of the feeds.
    let images: ImageInventory
    /// The waits that servers asked for with `Retry-After`, by their feeds.
    private let waits: [ResourceURL.Key: FeedWait]
    let now: Timestamp
    let settings: Settings

    init(
        cache: String, feeds: [FeedSummary], images: ImageInventory, waits: [FeedWait], now: Timestamp,
        settings: Settings
    ) {
        self.cache = cache
        self.feeds = feeds
        self.images = images
        self.waits = Dictionary(waits.map { ($0.feed.key, $0) }) { $1 }
        self.now = now
        self.settings = settings
    }

    private func isFresh(_ feed: FeedSummary) -> Bool {
        FeedCachePolicy.isFresh(savedAt: feed.head.savedAt, now: now, maxAge: settings.of(feed.url).maxAge)
    }

    private func wait(for feed: FeedSummary) -> FeedWait? {
        waits[feed.url.key].flatMap { $0.holds(at: now) ? $0 : nil }
    }
}

/// Writes the report as JSON.
extension StatusReport {
    var json: String {
        JSONFormat.text([
            ("cache", .string(cache)),
            ("feeds", .array(zip(feeds, images.perFeed).map { .object(members($0, $1)) })),
            ("images", ["count": .integer(images.totals.count), "bytes": .integer(Int(images.totals.bytes))]),
        ])
    }

    private func members(_ feed: FeedSummary, _ images: ImageInventory.OfFeed) -> [(String, JSONValue)] {
        [
            ("url", .string(feed.url.text)),
            ("title", JSONValue(feed.head.title)),
            ("format", .string(feed.head.format.rawValue)),
            ("saved_at", .string(feed.head.savedAt.rfc3339)),
            ("age_seconds", .integer(Int((now - feed.head.savedAt).components.seconds))),
            ("fresh", .bool(isFresh(feed))),
            ("images", .integer(feed.images)),
            ("images_cached", .integer(images.cached)),
            ("images_failed", .integer(images.failed)),
            ("kept", .integer(feed.kept)),
            ("bytes", .integer(Int(images.bytes))),
            ("keep", .string(feed.head.keep?.text ?? "none")),
            ("moved_to", JSONValue(feed.movedTo?.text)),
            ("last_error", feed.trouble.map(json) ?? .null),
        ]
    }

    private func json(_ trouble: FeedTrouble) -> JSONValue {
        [
            "kind": .string(trouble.kind.name),
            "message": .string(Passwords.hidden(in: trouble.message)),
            "at": .string(trouble.at.rfc3339),
        ]
    }
}

/// Writes the report as text.
extension StatusReport {
    /// Returns a table of the feeds, and a line for each fact about a feed that has no column.
    ///
    /// `width` is the number of columns of the terminal; nil if nothing is shortened.
    func overview(width: Int?) -> String {
        let feedCount = Phrases.count(feeds.count, "feed")
        let imageCount = Phrases.count(images.totals.count, "image")
        let head = "\(cache): \(feedCount), \(imageCount), \(Phrases.size(images.totals.bytes))"
        var table = TextTable(header: ["FEED", "STATE", "IMAGES", "KEPT", "SIZE", "SAVED"], numbers: [2, 3, 4])
        for (feed, images) in zip(feeds, images.perFeed) { table.rows.append(row(feed, images)) }
        let notes = zip(feeds, images.perFeed).flatMap { feed, images in
            self.notes(feed, images).map { "\(feed.url): \($0)" }
        }
        let lines = [head] + (feeds.isEmpty ? [] : table.lines(width: width)) + notes
        return lines.map { TerminalText.escape($0) + "\n" }.joined()
    }

    private func row(_ feed: FeedSummary, _ images: ImageInventory.OfFeed) -> [String] {
        let more: [String?] = [
            feed.movedTo.map { _ in "moved" }, wait(for: feed).map { _ in "waiting" },
            feed.trouble.map { _ in "failing" },
        ]
        return [
            feed.head.title ?? feed.url.text,
            ([isFresh(feed) ? "fresh" : "stale"] + more.compactMap(\.self)).joined(separator: ", "),
            "\(images.cached) of \(feed.images)", "\(feed.kept)", Phrases.size(images.bytes),
            Phrases.age(of: feed.head.savedAt, at: now),
        ]
    }

    private func notes(_ feed: FeedSummary, _ images: ImageInventory.OfFeed) -> [String] {
        var notes: [String] = []
        if let url = feed.movedTo { notes.append("has moved permanently to \(url)") }
        if let wait = wait(for: feed) { notes.append("waiting until \(wait.until.rfc3339), as its server asked") }
        if let until = images.leftAloneUntil { notes.append(failures(images, until)) }
        if let trouble = feed.trouble {
            let age = Phrases.age(of: trouble.at, at: now)
            notes.append("last error \(age): \(Passwords.hidden(in: trouble.message))")
        }
        return notes
    }

    private func failures(_ images: ImageInventory.OfFeed, _ until: Timestamp) -> String {
        let next = now < until ? "in \(Phrases.span(until - now))" : "with the next sync"
        return "\(Phrases.count(images.failed, "image")) failed (next try \(next))"
    }

    /// The members of the JSON of each feed as lines, with an empty line between two feeds.
    var details: String {
        zip(feeds, images.perFeed).map { feed, images in
            let lines = members(feed, images).compactMap { name, value in
                self.text(value).map { "\(name): \($0)\(remark(on: name, feed, images))" }
            }
            let wait = wait(for: feed).map { ["waiting_until: \($0.until.rfc3339)"] } ?? []
            return (lines + wait).map { TerminalText.escape($0) + "\n" }.joined()
        }.joined(separator: "\n")
    }

    /// Returns nil for null.
    private func text(_ value: JSONValue) -> String? {
        switch value {
        case .null: nil
        case .string(let text): text
        case .bool(let flag): flag ? "yes" : "no"
        case .object(let members): members.compactMap { text($1) }.joined(separator: ", ")
        default: value.text()
        }
    }

    /// Returns what a person reads more easily than the value.
    private func remark(on name: String, _ feed: FeedSummary, _ images: ImageInventory.OfFeed) -> String {
        switch name {
        case "saved_at": " (\(Phrases.age(of: feed.head.savedAt, at: now)))"
        case "bytes": " (\(Phrases.size(images.bytes)))"
        case "images_failed": images.leftAloneUntil.map { " (\(failures(images, $0)))" } ?? ""
        default: ""
        }
    }
}
