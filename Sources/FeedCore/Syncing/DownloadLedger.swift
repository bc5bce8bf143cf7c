import Synchronization

/// What the lanes of one run share: which image is next, and what became of those before.
final class DownloadLedger: Sendable {
    /// There are as many regular lanes as images may be in flight. Each is bound to a thread, and these have their share of
    /// the work by them: a stand-in starts nothing as long as a regular lane may.
    enum Role { case regular, standIn }

    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var queue: DownloadQueue
        var images: [ImageDownloads.Wanted] = []
        /// No more will be added.
        var isComplete = false
        var isCancelled = false
        /// Lanes that wait for an image that may start.
        var idle: [Waiter] = []
        /// Lanes that stand in for those whose image waits for its next try: so many do, of so many that are needed.
        var standIns = 0
        var pausing = 0
        var idleStandIns: [Waiter] = []
        /// Lanes that waited for the next try of their image, and now for their turn. They come first.
        var resuming: [Waiter] = []
        var outcome = ImageDownloads.Outcome()

        var hasEnded: Bool { isComplete && !queue.hasWaiting || isCancelled || outcome.fatal != nil }

        mutating func takeIdle() -> [Waiter] {
            defer { (idle, idleStandIns) = ([], []) }
            return idle + idleStandIns
        }

        func mayStart(_ role: Role) -> Bool { queue.hasNext && (role == .regular || standIns < pausing) }

        mutating func start(_ role: Role) -> Int? {
            guard !isCancelled, outcome.fatal == nil, mayStart(role) else { return nil }
            if role == .standIn { standIns += 1 }
            return queue.next()
        }

        /// Of those, the one that may go on now.
        mutating func takeResuming() -> [Waiter] {
            guard !resuming.isEmpty, queue.resume() else { return [] }
            return [resuming.removeFirst()]
        }

        /// Where an image may start and nobody is about to look for one: who may start it. A regular lane rather than a
        /// stand-in, which may have to let it wait.
        mutating func takeStarter() -> [Waiter] {
            if mayStart(.regular), let lane = idle.popLast() { return [lane] }
            if mayStart(.standIn), let lane = idleStandIns.popLast() { return [lane] }
            return []
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

    // MARK: What there is to do

    /// How many there are now. Some at a time: lanes that are at work look in meanwhile.
    func add(_ images: [ImageDownloads.Wanted]) -> Int {
        for some in images.parts(of: 100) {
            change { state in
                state.images += some
                state.queue.add(some.map(\.url))
            }
        }
        return state.withLock { $0.images.count }
    }

    /// Images at this origin need to wait no longer.
    func release(_ origin: String) { change { $0.queue.release(origin) } }

    /// No more will come; lanes end when all have started.
    func complete() {
        change { state in
            state.isComplete = true
            state.queue.releaseAll()
        }
    }

    /// Lanes end, whatever is left.
    func cancel() { change { $0.isCancelled = true } }

    /// Idle lanes look anew at what there is to do then.
    private func change<Answer>(_ work: (inout State) -> Answer) -> Answer {
        let (answer, idle) = state.withLock { state in (work(&state), state.takeIdle()) }
        for lane in idle { lane.resume() }
        return answer
    }

    /// Waits while no image may start, as long as there may be one.
    func next(for role: Role) async -> (number: Int, image: ImageDownloads.Wanted)? {
        while true {
            let (number, image, hasEnded, idle) = state.withLock { state in
                let number = state.start(role)
                // Who waits is told of the end by who takes the last.
                let hasEnded = state.hasEnded
                return (number, number.map { state.images[$0] }, hasEnded, hasEnded ? state.takeIdle() : [])
            }
            for lane in idle { lane.resume() }
            if let number, let image { return (number, image) }
            if hasEnded { return nil }
            await wait(
                unless: { $0.hasEnded || $0.mayStart(role) }, in: role == .regular ? \.idle : \.idleStandIns)
        }
    }

    /// Runs `sleep`, in which an image waits for its next try. Meanwhile another may be in flight for it.
    func pausing(_ sleep: () async throws -> Void) async throws {
        let others = state.withLock { state in
            state.queue.pause()
            state.pausing += 1
            let resuming = state.takeResuming()
            return resuming.isEmpty ? state.takeStarter() : resuming
        }
        for lane in others { lane.resume() }
        let result: Result<Void, any Error>
        do { result = .success(try await sleep()) } catch { result = .failure(error) }
        await wait(unless: { $0.queue.resume() }, in: \.resuming)
        state.withLock { $0.pausing -= 1 }
        try result.get()
    }

    private func wait(
        unless mayGoOn: (inout State) -> Bool, in line: WritableKeyPath<State, [Waiter]>
    ) async {
        await withCheckedContinuation { lane in
            let others = state.withLock { state -> [Waiter] in
                if mayGoOn(&state) { return [lane] }
                state[keyPath: line].append(lane)
                // What a stand-in may not start, a regular lane may that found nothing before.
                return state.takeStarter()
            }
            for lane in others { lane.resume() }
        }
    }

    /// How many are still to come, nil where nobody knows yet.
    var left: Int? { state.withLock { $0.isComplete ? $0.queue.unfinished : nil } }

    // MARK: What became of it

    /// It is no longer in flight.
    func ended(_ image: Int, for role: Role) {
        let resuming = state.withLock { state in
            state.queue.finished(image)
            if role == .standIn { state.standIns -= 1 }
            return state.takeResuming()
        }
        for lane in resuming { lane.resume() }
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
        change { $0.outcome.fatal = $0.outcome.fatal ?? error }
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
