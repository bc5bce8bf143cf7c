import Synchronization

/// What the lanes of one run share: which image is next, and what became of those before.
final class DownloadLedger: Sendable {
    private struct State {
        var queue: DownloadQueue
        var outcome: ImageDownloads.Outcome
    }

    private let state: Mutex<State>
    private let events: SyncEvents?
    private let (running, ending) = AsyncStream.makeStream(of: Never.self)

    init(queue: DownloadQueue, report: ImagesReport, events: SyncEvents?) {
        state = Mutex(State(queue: queue, outcome: ImageDownloads.Outcome(report: report)))
        self.events = events
    }

    var outcome: ImageDownloads.Outcome { state.withLock { $0.outcome } }
    var fatal: FeedError? { state.withLock { $0.outcome.fatal } }

    /// Nil when no image may start now, or none at all any more.
    func next() -> Int? {
        state.withLock { $0.outcome.fatal == nil ? $0.queue.next() : nil }
    }

    /// It is no longer in flight.
    func ended(_ image: Int) {
        state.withLock { $0.queue.finished(image) }
        events?.yield(.imageAnswered)
    }

    /// A cancelled image is no failure, and a store that fails ends the run instead of failing each image.
    func failed(_ url: ResourceURL, _ error: FeedError) {
        switch error.kind {
        case .cancelled: return
        case .storage: stop(error)
        default: fail(url, error)
        }
    }

    /// `failures` has, for each image in order, what went wrong with it alone; with an `exhaustion` of the store, that
    /// is to blame for them.
    func published(_ images: [ReceivedImage], _ failures: [FeedError?], _ exhaustion: FeedError?) {
        let stored = images.indices.filter { failures[$0] == nil }
        state.withLock { state in
            state.outcome.report.downloaded += stored.count
            state.outcome.report.bytes += stored.reduce(0) { $0 + images[$1].size }
        }
        if let events {
            for index in stored { events.yield(.imageDownloaded(images[index].url, bytes: images[index].size)) }
        }
        guard exhaustion == nil else { return }
        for index in images.indices {
            if let failure = failures[index] { fail(images[index].url, failure) }
        }
    }

    func confirmed(_ images: [ConfirmedImage]) {
        state.withLock { $0.outcome.report.cached += images.count }
        for image in images { events?.yield(.imageUnchanged(image.url)) }
    }

    func stop(_ error: FeedError) {
        state.withLock { $0.outcome.fatal = $0.outcome.fatal ?? error }
        ending.finish()
    }

    /// Returns when the store has failed, or when it is cancelled.
    func untilStopped() async {
        for await _ in running {}
    }

    private func fail(_ url: ResourceURL, _ error: FeedError) {
        state.withLock { $0.outcome.report.failures.append(ImagesReport.Failure(url: url, error: error)) }
        events?.yield(.imageFailed(url, error))
    }
}
