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
    var letGo: [(url: ResourceURL, images: Int)] = []
    var damaged = ImageRemoval.nothing
    var unreferenced = ImageRemoval.nothing

    var isEmpty: Bool { feedsDeleted.isEmpty && letGo.isEmpty && damaged == .nothing && unreferenced == .nothing }

    private var bytesFreed: Int64 { damaged.bytesFreed + unreferenced.bytesFreed }

    var json: String { JSONFormat.text(figures) }

    private var figures: [(String, JSONValue)] {
        [
            ("feeds_deleted", .array(feedsDeleted.map { .string($0.url.text) })),
            ("images_deleted", .integer(unreferenced.images)), ("damaged", .integer(damaged.images)),
            ("bytes_freed", .integer(Int(bytesFreed))),
        ]
    }

    func summary(wasStopped: Bool) -> LogLine {
        let feeds = Phrases.count(feedsDeleted.count, "feed")
        let images = Phrases.count(unreferenced.images + damaged.images, "image")
        let done = "deleted \(feeds) and \(images), \(Phrases.size(bytesFreed)) freed"
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

    var steps: [LogLine] {
        feedsDeleted.compactMap { url, fault in
            switch fault {
            case nil: LogLine(step: "feed_deleted", of: url, "deleted")
            case .stale: LogLine(step: "feed_deleted", of: url, "stale, deleted")
            case .unreadable, .ahead, .letGo: nil
            }
        }
            + letGo.map { url, images in
                LogLine(
                    step: "images_let_go", of: url, "no longer keeps \(Phrases.count(images, "image")) that left it")
            }
    }

    /// The lines about data that was lost without being asked for.
    var damage: [String] {
        var lines: [String] = []
        for case (let url, .unreadable(let error)) in feedsDeleted {
            lines.append("\(url): deleted, because it can't be read: \(error.withoutHint)")
        }
        if damaged.images > 0 {
            let images = Phrases.count(damaged.images, "damaged image")
            lines.append("\(images) deleted; the next sync downloads those that feeds reference")
        }
        if unreferenced.gone > 0 {
            let images = Phrases.count(unreferenced.gone, "image")
            lines.append("\(images) had lost their file; the next sync downloads those that feeds reference")
        }
        return lines
    }

    var plan: [String] {
        var lines = feedsDeleted.map { "would delete \($0.url)\($0.fault.map { " (\(Self.inBrief($0)))" } ?? "")" }
        lines += letGo.map { "would no longer keep \(Phrases.count($0.images, "image")) that left \($0.url)" }
        if damaged.images > 0 { lines.append("would delete \(Phrases.count(damaged.images, "damaged image"))") }
        let unnamed = unreferenced.images - unreferenced.gone
        if unnamed > 0 { lines.append("would delete \(Phrases.count(unnamed, "image")) that no feed references") }
        if unreferenced.gone > 0 {
            lines.append("would remove \(Phrases.count(unreferenced.gone, "image")) whose file is missing")
        }
        if bytesFreed > 0 { lines.append("would free \(Phrases.size(bytesFreed))") }
        return lines
    }

    private static func inBrief(_ fault: ValidateFeedCache.Fault) -> String {
        if case .unreadable = fault { "unreadable" } else { "stale" }
    }
}
