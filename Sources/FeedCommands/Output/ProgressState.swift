import FeedCore

/// Calculates the figures of a progress line from the progress at each time.
///
/// It reads no clock: times are spans since the work began.
struct ProgressState {
    /// The window over which the rate is measured: long enough to smooth batches, short enough to show a stalled
    /// server.
    private static let window = Duration.seconds(5)

    /// The name of the work.
    var label: String
    /// The name of the things that are counted.
    ///
    /// When it changes, the time left is calculated anew.
    var noun: String {
        didSet { if noun != oldValue { start = nil } }
    }
    private(set) var progress = Progress()
    private var samples: [(at: Duration, bytes: Int64)] = []
    /// The time when the total was first known, and the work done by then.
    private var start: (at: Duration, worked: Int)?

    init(label: String, noun: String) {
        self.label = label
        self.noun = noun
    }

    mutating func update(_ progress: Progress, at time: Duration) {
        if start == nil, progress.total != nil { start = (time, progress.worked) }
        self.progress = progress
        sample(at: time)
    }

    /// Records the bytes at a time.
    ///
    /// `bytes` is given if they are counted separately.
    mutating func sample(bytes: Int64? = nil, at time: Duration) {
        if let bytes { progress.bytes = bytes }
        if let last = samples.last, time - last.at < .milliseconds(100) {
            samples[samples.count - 1].bytes = progress.bytes
            return
        }
        samples.append((time, progress.bytes))
        // One sample that is older than the window is kept, so that the samples span the window.
        while samples.count > 2, time - samples[1].at >= Self.window { samples.removeFirst() }
    }

    /// The bytes per second in the window; nil before there are enough samples.
    var rate: Int64? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let seconds = (last.at - first.at).inSeconds
        guard seconds >= 0.2, progress.bytes > 0 else { return nil }
        return Int64(Double(max(0, last.bytes - first.bytes)) / seconds)
    }

    /// Returns the time left, by the average since the start; nil before there is an average.
    func timeLeft(at time: Duration) -> Duration? {
        guard let start, let total = progress.wholeTotal, progress.worked > start.worked, progress.done < total else {
            return nil
        }
        let elapsed = (time - start.at).inSeconds
        guard elapsed >= 0.5 else { return nil }
        return .seconds(elapsed * Double(total - progress.done) / Double(progress.worked - start.worked))
    }
}

extension Progress {
    fileprivate var worked: Int { done - given }

    /// The total; nil while it may still grow.
    var wholeTotal: Int? { awaitedFeeds == 0 ? total : nil }
}

/// Calculates the progress of a sync from its events.
///
/// It counts feeds until the first feed has images, then images.
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
        // An image that two feeds request in different ways is reported twice.
        case .imageAnswered: progress.done = min(progress.done + 1, progress.total ?? 0)
        case .imageFailed: progress.failed += 1
        default: break
        }
    }
}
