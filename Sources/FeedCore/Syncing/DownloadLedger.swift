import Synchronization

/// What the lanes of one run share: which image is next, and what became of those before.
final class DownloadLedger: Sendable {
    private struct State {
        var queue: DownloadQueue
        var images: [ImageDownloads.Wanted] = []
        /// No more will be added.
        var isComplete = false
        /// Lanes that wait for more.
        var idle: [CheckedContinuation<Void, Never>] = []
        var outcome = ImageDownloads.Outcome()

        var ended: Bool { isComplete || outcome.fatal != nil }

        mutating func takeIdle() -> [CheckedContinuation<Void, Never>] {
            defer { idle = [] }
            return idle
        }
    }

    private let state: Mutex<State>
    private let events: SyncEvents?
    private let (running, ending) = AsyncStream.makeStream(of: Never.self)

    init(queue: DownloadQueue, events: SyncEvents?) {
        state = Mutex(State(queue: queue))
        self.events = events
    }

    var outcome: ImageDownloads.Outcome { state.withLock { $0.outcome } }

    /// How many there are now.
    func add(_ images: [ImageDownloads.Wanted]) -> Int {
        let (count, idle) = state.withLock { state in
            state.images += images
            state.queue.add(images.map(\.url))
            return (state.images.count, state.takeIdle())
        }
        for lane in idle { lane.resume() }
        return count
    }

    /// Lanes end when nothing is left that they may start.
    func complete() {
        let idle = state.withLock { state in
            state.isComplete = true
            return state.takeIdle()
        }
        for lane in idle { lane.resume() }
    }

    /// Waits while no image may start, as long as more may come.
    func next() async -> (number: Int, image: ImageDownloads.Wanted)? {
        while true {
            let (number, image, hasEnded) = state.withLock { state in
                let number = state.outcome.fatal == nil ? state.queue.next() : nil
                return (number, number.map { state.images[$0] }, state.ended)
            }
            if let number, let image { return (number, image) }
            if hasEnded { return nil }
            await untilMoreCame()
        }
    }

    private func untilMoreCame() async {
        await withCheckedContinuation { lane in
            let isThere = state.withLock { state in
                if state.ended || state.queue.hasNext { return true }
                state.idle.append(lane)
                return false
            }
            if isThere { lane.resume() }
        }
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
        let idle = state.withLock { state in
            state.outcome.fatal = state.outcome.fatal ?? error
            return state.takeIdle()
        }
        for lane in idle { lane.resume() }
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
