import FeedCore
import JSONText

/// Makes the lines of `--verbose` from the events of a run.
struct SyncSteps {
    let ofSeveralFeeds: Bool

    func lines(_ event: SyncEvent) -> [LogLine] {
        let step = step(event).map { [$0] } ?? []
        guard case .feed(let feed) = event else { return step }
        let failure = feed.pageFailure.map { [LogLine(failureOf: feed.url, event: "feed_failed", $0)] } ?? []
        return step + failure + feed.notes.map { LogLine(step: "feed_note", of: feed.url, $0) }
    }

    /// Returns the line of an event; nil for an event that only a progress line or a dry run shows.
    private func step(_ event: SyncEvent) -> LogLine? {
        switch event {
        case .feed(let feed) where feed.failure != nil:
            feed.failure.map { LogLine(failureOf: feed.url, event: "feed_failed", $0) }
        case .feed(let feed):
            LogLine(
                step: "feed_\(feed.outcome.rawValue)", of: feed.url,
                "\(feed.outcome.rawValue), \(Phrases.count(feed.images, "image"))\(since(feed))",
                [("images", .integer(feed.images))])
        case .feedStep(let url, let step):
            LogLine(step: "feed_step", of: url, words(step), [("step", .string(name(step)))])
        case .imagesFound(let url, let total, let cached):
            LogLine(
                step: "images_found", of: url, words(images: total, cached: cached),
                [("total", .integer(total)), ("cached", .integer(cached))])
        case .imagesSurveyed, .imageAnswered, .imageMissing, .imageToRevalidate: nil
        case .imageLeftAlone(let url, let failure):
            LogLine(
                step: "image_skipped", of: url,
                "skipped, because the last response was: \(failure.error.message) (see --retry-failed)",
                LogLine.fields(of: failure.error))
        case .imageTooSmall(let url, let error):
            LogLine(step: "image_skipped", of: url, "skipped: \(error.message)")
        case .imageCached(let url): LogLine(step: "image_cached", of: url, "cached")
        case .imageSkipped(let url):
            LogLine(step: "image_skipped", of: url, "not requested, because its feed is unreachable or waits")
        case .imageUnchanged(let url): LogLine(step: "image_unchanged", of: url, "unchanged")
        case .imageDownloaded(let url, let bytes):
            LogLine(
                step: "image_downloaded", of: url, "downloaded, \(Phrases.size(bytes))",
                [("bytes", .integer(Int(bytes)))])
        case .imageFailed(let url, let error):
            LogLine(failureOf: url, event: "image_failed", error)
        }
    }

    private func since(_ feed: FeedReport) -> String {
        guard feed.outcome == .waiting, let savedAt = feed.savedAt else { return "" }
        return ", confirmed at \(savedAt.rfc3339)"
    }

    private func words(images: Int, cached: Int) -> String {
        let images = Phrases.count(images, "image")
        return ofSeveralFeeds
            ? "\(images) that no earlier feed references, \(cached) of them cached" : "\(images), \(cached) cached"
    }

    private func name(_ step: FeedStep) -> String {
        switch step {
        case .deletingOld: "delete_old"
        case .encoding: "encode"
        case .timestamped: "timestamp"
        case .saving: "save"
        case .savingPage: "save_page"
        case .confirming: "confirm"
        case .following: "follow"
        case .followed: "page"
        }
    }

    private func words(_ step: FeedStep) -> String {
        switch step {
        case .deletingOld: "replacing the saved feed"
        case .encoding(let images): "encoding \(Phrases.count(images, "image"))"
        case .timestamped(let moment): "timestamp \(moment.rfc3339)"
        case .saving: "saving"
        case .savingPage(let number, let images): "saving page \(number), \(Phrases.count(images, "new image"))"
        case .confirming: "renewing the saved feed's timestamp"
        case .following(let pages): "\(Phrases.count(pages, "page")) to request for items without an image"
        case .followed(let page, let images): "\(page): \(images == 0 ? "no image" : Phrases.count(images, "image"))"
        }
    }
}
