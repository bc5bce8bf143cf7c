import FeedCore

/// How far a sync has come, gathered from its events: its feeds are counted until the first of them names an image, then
/// images.
struct SyncProgress {
    private(set) var progress: Progress
    private(set) var noun = "feed"
    private var awaited: Int

    init(feeds: Int) {
        awaited = feeds
        progress = Progress(total: feeds)
    }

    mutating func take(_ event: SyncEvent) {
        switch event {
        case .feed(let feed):
            awaited -= 1
            if noun == "feed" { progress.done += 1 } else { progress.awaitedFeeds = awaited }
            if feed.failure != nil { progress.failed += 1 }
        case .imagesSurveyed(let count, let wanted):
            if noun == "feed" {
                progress = Progress(total: 0, awaitedFeeds: awaited, bytes: progress.bytes, failed: progress.failed)
            }
            noun = "image"
            progress.total = (progress.total ?? 0) + count
            progress.given += count - wanted
            progress.done += count - wanted
        // An image that two feeds request in different ways is answered twice.
        case .imageAnswered: progress.done = min(progress.done + 1, progress.total ?? 0)
        case .imageFailed: progress.failed += 1
        default: break
        }
    }
}
