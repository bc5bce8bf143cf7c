import FeedCore
import JSONText

/// The steps of a run as they happen, for `--verbose`.
enum SyncSteps {
    static func lines(_ event: SyncEvent) -> [LogLine] {
        let step = step(event).map { [$0] } ?? []
        guard case .feed(let feed) = event else { return step }
        return step + feed.notes.map { line("feed_note", feed.url, $0) }
    }

    /// Nil for what is told at the end, or is nothing but progress.
    private static func step(_ event: SyncEvent) -> LogLine? {
        switch event {
        case .feed(let feed):
            feed.outcome == .failed
                ? nil
                : line(
                    "feed_\(feed.outcome.rawValue)", feed.url,
                    "\(feed.outcome.rawValue), \(Phrases.count(feed.images, "image"))",
                    [("images", .integer(feed.images))])
        case .feedStep(let url, let step): line("feed_step", url, words(step), [("step", .string(name(step)))])
        case .imagesFound(let url, let total, let cached):
            line(
                "images_found", url, "\(Phrases.count(total, "image")), \(cached) cached",
                [("total", .integer(total)), ("cached", .integer(cached))])
        case .imagesSurveyed, .imagesReconsidered, .imageAnswered, .imageMissing, .imageToRevalidate: nil
        case .imageLeftAlone(let url, let failure):
            line(
                "image_skipped", url,
                "left alone, as the last answer was: \(failure.error.message) (see --retry-failed)",
                LogLine.fields(of: failure.error))
        case .imageCached(let url): line("image_cached", url, "cached")
        case .imageSkipped(let url): line("image_skipped", url, "not asked for, as its feed is out of reach")
        case .imageUnchanged(let url): line("image_unchanged", url, "unchanged")
        case .imageDownloaded(let url, let bytes):
            line("image_downloaded", url, "downloaded, \(Phrases.size(bytes))", [("bytes", .integer(Int(bytes)))])
        case .imageFailed(let url, let error): line("image_error", url, error.message, LogLine.fields(of: error))
        }
    }

    private static func line(
        _ event: String, _ url: ResourceURL, _ text: String, _ fields: [(String, JSONValue)] = []
    ) -> LogLine {
        LogLine(
            level: .debug, event: event, text: "\(url): \(text)", fields: [("url", .string(url.text))] + fields)
    }

    private static func name(_ step: FeedStep) -> String {
        switch step {
        case .deletingOld: "delete_old"
        case .encoding: "encode"
        case .timestamped: "timestamp"
        case .saving: "save"
        case .confirming: "confirm"
        }
    }

    private static func words(_ step: FeedStep) -> String {
        switch step {
        case .deletingOld: "deleting the old cache"
        case .encoding(let images): "encoding \(Phrases.count(images, "image"))"
        case .timestamped(let moment): "timestamp \(moment.rfc3339)"
        case .saving: "saving"
        case .confirming: "renewing the saved feed's timestamp"
        }
    }
}
