import FeedCore

/// How far a sync has come, gathered from its events: first its feeds are counted, then their images.
struct SyncProgress {
    private(set) var progress: Progress
    private(set) var noun = "feed"
    private var known: Int?

    init(feeds: Int) { progress = Progress(total: feeds) }

    mutating func take(_ event: SyncEvent) {
        switch event {
        case .feed(let feed):
            progress.done += 1
            if feed.outcome == .failed { progress.failed += 1 }
        case .imagesFound(let total, _): known = total
        case .imagesWanted(let count):
            noun = "image"
            let total = known ?? count
            progress.done = total - count
            progress.total = total
        case .imageAnswered: progress.done += 1
        case .imageFailed: progress.failed += 1
        case .feedStep, .imageMissing, .imageToRevalidate, .imageCached, .imageSkipped, .imageLeftAlone,
            .imageUnchanged, .imageDownloaded:
            break
        }
    }
}
