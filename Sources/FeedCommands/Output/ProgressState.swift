import FeedCore

/// The figures of a progress line, worked out from how far the work had come at which time. It reads no clock: times are
/// given as spans since the work began.
struct ProgressState {
    /// Long enough to smooth what comes in batches, short enough to show that a server has stalled.
    private static let window = Duration.seconds(5)

    /// Names the work.
    var label: String
    /// Names the things that are counted. With other things the time left is worked out anew.
    var noun: String {
        didSet { if noun != oldValue { start = nil } }
    }
    private(set) var progress = Progress()
    private var samples: [(at: Duration, bytes: Int64)] = []
    /// When there began to be something to do, and what had been worked off by then.
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

    /// Time has passed, perhaps with nothing done. `bytes` are those so far, where they are counted apart.
    mutating func sample(bytes: Int64? = nil, at time: Duration) {
        if let bytes { progress.bytes = bytes }
        if let last = samples.last, time - last.at < .milliseconds(100) {
            samples[samples.count - 1].bytes = progress.bytes
            return
        }
        samples.append((time, progress.bytes))
        // One that is older than the window stays, so that it is always spanned.
        while samples.count > 2, time - samples[1].at >= Self.window { samples.removeFirst() }
    }

    /// Bytes a second of late; nil before there is anything to say.
    var rate: Int64? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let seconds = (last.at - first.at).inSeconds
        guard seconds >= 0.2, progress.bytes > 0 else { return nil }
        return Int64(Double(max(0, last.bytes - first.bytes)) / seconds)
    }

    /// As the average since the start foretells; nil before there is one.
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

    /// Nil while more may come to it.
    var wholeTotal: Int? { awaitedFeeds == 0 ? total : nil }
}
