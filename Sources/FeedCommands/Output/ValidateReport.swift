import FeedCore
import JSONText

/// The result of `validate` or `remove`.
///
/// In a dry run, it is what would be done.
struct ValidateReport {
    /// A deleted feed.
    ///
    /// `fault` is nil if the user asked for the removal.
    typealias DeletedFeed = (url: ResourceURL, fault: ValidateFeedCache.Fault?)

    var feedsDeleted: [DeletedFeed] = []
    /// Feeds saved ahead of the clock, which are kept.
    var feedsAhead: [(url: ResourceURL, staleness: Staleness)] = []
    /// The images of items that left their feed and that its `--keep` no longer covers.
    var letGo: [(items: RemovalMode.ExcludedItems, images: Int)] = []
    /// The images that the user removed, or brings back, by feed.
    var removals: [RemoveImages.Change] = []
    var restorations: [RemoveImages.Change] = []
    var damaged = DamageRemoval.nothing
    var unreferenced = ImageRemoval.nothing

    var isEmpty: Bool { feedsDeleted.isEmpty && letGo.isEmpty && damaged == .nothing && unreferenced == .nothing }

    /// Whether feeds or images were deleted or set aside, which the user has to know.
    var hasDeleted: Bool {
        !feedsDeleted.isEmpty || !removals.isEmpty || unreferenced.images > 0 || damaged.files > 0
    }

    /// The mode that counts what would be unreferenced without these feeds and images.
    var rehearsal: RemovalMode {
        let images = removals.map { ($0.feed.key, $0.removed) }
        return .dryRun(
            withoutFeeds: feedsDeleted.map(\.url), withoutImages: Dictionary(images) { first, _ in first },
            withoutKept: letGo.map(\.items))
    }

    var json: String { JSONFormat.text(figures) }

    private var figures: [(String, JSONValue)] {
        [
            ("feeds_deleted", .array(feedsDeleted.map { .string($0.url.text) })),
            ("images_deleted", .integer(unreferenced.images)), ("damaged", .integer(damaged.files)),
            ("damaged_images", .array(damaged.images.map { .object(Self.members(of: $0)) })),
            ("bytes_freed", .integer(Int(unreferenced.bytesFreed))),
        ]
    }

    private static func members(of image: DamageRemoval.DamagedImage) -> [(String, JSONValue)] {
        [
            ("url", .string(image.url.text)), ("feed", .string(image.feed.text)),
            ("digest", .string("sha256:\(image.digest.hex)")),
        ]
    }

    func summary(wasStopped: Bool) -> LogLine {
        let feeds = Phrases.count(feedsDeleted.count, "feed")
        let images = Phrases.count(unreferenced.images, "image")
        var parts: [String] = []
        if damaged.files > 0 {
            let files = Phrases.count(damaged.files, "damaged image")
            parts.append("moved \(files) to damaged/; the next sync downloads what feeds reference")
        }
        if damaged.files == 0 || !feedsDeleted.isEmpty || unreferenced.images > 0 {
            parts.append("deleted \(feeds) and \(images), \(Phrases.size(unreferenced.bytesFreed)) freed")
        }
        let done = parts.joined(separator: "; ")
        return LogLine(summary: wasStopped ? "stopped; \(done)" : done, wasStopped: wasStopped, figures)
    }

    /// The line about feeds ahead of the clock.
    ///
    /// One line covers all of them, because a clock that is behind affects every feed.
    var ahead: String? {
        guard let first = feedsAhead.first else { return nil }
        let others = feedsAhead.count - 1
        let rest = others == 0 ? "" : "; so \(others == 1 ? "is" : "are") \(Phrases.count(others, "more feed"))"
        let moment = first.staleness.savedAt.rfc3339
        return "\(first.url): kept, though it was saved at \(moment), which is ahead of the clock\(rest)"
    }

    /// The lines about deleted feeds, and about images that were removed or brought back.
    var deletions: [LogLine] {
        feedsDeleted.compactMap { url, fault in
            switch fault {
            case nil: LogLine(deletionOf: url, "deleted")
            case .stale: LogLine(deletionOf: url, "stale, deleted")
            case .unreadable, .ahead, .letGo: nil
            }
        }
            + images(of: removals).map { url, feed in
                LogLine(change: "image_removed", of: url, in: feed, "\(url): removed from the feed \(feed)")
            }
            + images(of: restorations).map { url, feed in
                LogLine(
                    change: "image_restored", of: url, in: feed,
                    "\(url): no longer removed from the feed \(feed); the next sync brings it back")
            }
    }

    private func images(of changes: [RemoveImages.Change]) -> [(url: ResourceURL, feed: ResourceURL)] {
        changes.flatMap { change in change.urls.map { ($0, change.feed) } }
    }

    var letGoSteps: [LogLine] {
        letGo.map { items, images in
            let count = Phrases.count(images, "image")
            return LogLine(step: "images_let_go", of: items.feed, "no longer keeps \(count) that left it")
        }
    }

    /// The lines about damaged images, one for each URL of each feed.
    var damage: [LogLine] {
        damaged.images.map { image in
            LogLine(
                level: .error, event: "image_damaged",
                text: "\(image.url): the image is damaged (\(image.digest.hex), in the feed \(image.feed))",
                fields: Self.members(of: image))
        }
    }

    /// The lines about data that was lost without being asked for.
    var losses: [String] {
        var lines: [String] = []
        for case (let url, .unreadable(let error)) in feedsDeleted {
            lines.append("\(url): deleted, because it can't be read: \(error.withoutHint)")
        }
        if unreferenced.gone > 0 {
            let images = Phrases.count(unreferenced.gone, "image")
            lines.append("\(images) had lost their file; the next sync downloads those that feeds reference")
        }
        return lines
    }

    var plan: [String] {
        var lines = feedsDeleted.map { "would delete \($0.url)\($0.fault.map { " (\(Self.inBrief($0)))" } ?? "")" }
        lines += images(of: removals).map { "would remove \($0.url) from the feed \($0.feed)" }
        lines += images(of: restorations).map { "would bring \($0.url) back to the feed \($0.feed)" }
        lines += letGo.map { items, images in
            "would no longer keep \(Phrases.count(images, "image")) that left \(items.feed)"
        }
        lines += damage.map(\.text)
        if damaged.files > 0 {
            lines.append("would move \(Phrases.count(damaged.files, "damaged image")) to damaged/")
        }
        let unnamed = unreferenced.images - unreferenced.gone
        if unnamed > 0 { lines.append("would delete \(Phrases.count(unnamed, "image")) that no feed references") }
        if unreferenced.gone > 0 {
            lines.append("would remove \(Phrases.count(unreferenced.gone, "image")) whose file is missing")
        }
        if unreferenced.bytesFreed > 0 { lines.append("would free \(Phrases.size(unreferenced.bytesFreed))") }
        return lines
    }

    private static func inBrief(_ fault: ValidateFeedCache.Fault) -> String {
        if case .unreadable = fault { "unreadable" } else { "stale" }
    }
}
