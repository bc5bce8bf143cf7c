import Synchronization

/// All that a run has in flight, and all that waits to be: who waits for a turn is told here when it comes, as `SchedulerState`
/// says. A wait costs nobody a thread, and an image that waits not even a task.
package final class RequestScheduler: Sendable {
    package typealias Place = SchedulerState.Place
    package typealias Start = SchedulerState.Start
    private typealias Lane = CheckedContinuation<Start?, Never>
    private typealias Request = CheckedContinuation<Place?, Never>

    private struct State {
        var queue: SchedulerState
        var requests: [Int: Request] = [:]
        var requestCount = 0

        var idleLanes: [Lane] = []
        var imageCount = 0
        /// Of the images, those that are not done.
        var unfinished = 0
        var isComplete = false
        var isStopped = false

        /// Ends the wait that is over first.
        var timer: (due: Timestamp, task: Task<Void, Never>)?

        var hasEnded: Bool { isStopped || isComplete && unfinished == 0 }
    }

    package let jobs: Int
    private let clockwork: TimeSource
    private let state: Mutex<State>

    /// `perHost` is nil where the protocol decides.
    package init(jobs: Int, perHost: Int?, clockwork: TimeSource) {
        self.jobs = max(1, jobs)
        self.clockwork = clockwork
        state = Mutex(State(queue: SchedulerState(jobs: jobs, share: HostConcurrency(asked: perHost))))
    }

    deinit { state.withLock { $0.timer?.task.cancel() } }

    /// Nothing starts at this host before that; nil: it need not wait.
    package func hold(_ origin: String, until due: Timestamp?) { change { $0.queue.hold(origin, until: due) } }

    /// Whoever waits for a moment needs to wait no longer.
    package func endWaits() { change { $0.queue.wake(by: nil) } }

    // MARK: A request with a task of its own

    /// Returns when there is a place, which the caller has from then on.
    package func enter(_ origin: String) async throws(FeedError) -> Place {
        let id = state.withLock { state in
            state.requestCount += 1
            return state.requestCount
        }
        let place = await withTaskCancellationHandler {
            await withCheckedContinuation { request in
                change { state in
                    state.queue.add(request: id, at: origin)
                    state.requests[id] = request
                }
                // A cancellation that came before this found nobody.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        guard let place else { throw .cancelled }
        return place
    }

    /// Nobody takes its place for so long.
    package func leave(_ place: Place, keepingItFor pause: Duration? = nil, _ news: HostConcurrency.News) {
        let due = pause.map { clockwork.uptime() + $0 }
        change { $0.queue.leave(place, keepingItUntil: due, news) }
    }

    /// How many wait for a place, for tests to know when they do.
    package var waitingCount: Int { state.withLock { $0.requests.count } }

    private func cancel(_ id: Int) {
        let request = state.withLock { state in
            state.queue.remove(request: id)
            return state.requests.removeValue(forKey: id)
        }
        request?.resume(returning: nil)
    }

    // MARK: Images, which lanes take one after the other

    /// They are numbered from 0 on, in the order in which they come.
    package func add(_ urls: [ResourceURL]) {
        change { state in
            state.queue.add(urls, from: state.imageCount)
            state.imageCount += urls.count
            state.unfinished += urls.count
        }
    }

    /// No more will come; lanes end when all are done.
    package func complete() { change { $0.isComplete = true } }

    /// Lanes end, whatever is left.
    package func stop() { change { $0.isStopped = true } }

    /// How many are still to come, nil where nobody knows yet.
    package var left: Int? { state.withLock { $0.isComplete ? $0.unfinished : nil } }

    /// Waits while no image may start, as long as there may be one.
    package func nextImage() async -> Start? {
        // Mostly nobody rests, and there is one.
        let start = state.withLock { state in
            state.hasEnded || state.queue.nextDue != nil ? nil : state.queue.nextImage()
        }
        if let start { return start }
        return await withCheckedContinuation { lane in change { $0.idleLanes.append(lane) } }
    }

    package func ended(_ start: Start, _ news: HostConcurrency.News) {
        change { state in
            state.unfinished -= 1
            state.queue.leave(start.place, news)
        }
    }

    /// It is tried again after `pause`, and has its place at the host until then if that is to be left alone.
    package func rest(
        _ start: Start, for pause: Duration, keepingPlace keepsPlace: Bool, _ news: HostConcurrency.News
    ) {
        let due = clockwork.uptime() + pause
        change { $0.queue.rest(start, until: due, keepingPlace: keepsPlace, news) }
    }

    package func move(_ start: Start, to origin: String, _ news: HostConcurrency.News) {
        change { $0.queue.move(start, to: origin, news) }
    }
}

/// Every change may give others their turn.
extension RequestScheduler {
    private func change<Result: Sendable>(_ work: (inout State) -> Result) -> Result {
        let (result, requests, lanes) = state.withLock { state in
            let result = work(&state)
            if let due = state.queue.nextDue {
                let now = clockwork.uptime()
                if due <= now { state.queue.wake(by: now) }
            }
            let started = (result, takeRequests(&state), takeLanes(&state))
            setTimer(&state)
            return started
        }
        for (request, place) in requests { request.resume(returning: place) }
        for (lane, start) in lanes { lane.resume(returning: start) }
        return result
    }

    private func takeRequests(_ state: inout State) -> [(Request, Place)] {
        guard !state.requests.isEmpty else { return [] }
        var started: [(Request, Place)] = []
        while let (id, place) = state.queue.nextRequest() {
            if let request = state.requests.removeValue(forKey: id) { started.append((request, place)) }
        }
        return started
    }

    private func takeLanes(_ state: inout State) -> [(Lane, Start?)] {
        guard !state.idleLanes.isEmpty else { return [] }
        if state.hasEnded {
            defer { state.idleLanes = [] }
            return state.idleLanes.map { ($0, nil) }
        }
        var started: [(Lane, Start?)] = []
        while let lane = state.idleLanes.last, let start = state.queue.nextImage() {
            state.idleLanes.removeLast()
            started.append((lane, start))
        }
        return started
    }

    /// If anybody waits.
    private func setTimer(_ state: inout State) {
        guard let due = state.queue.nextDue, !state.idleLanes.isEmpty || !state.requests.isEmpty else { return }
        if let timer = state.timer {
            guard due < timer.due else { return }
            timer.task.cancel()
        }
        let span = max(.zero, due - clockwork.uptime())
        let task = Task { [weak self, clockwork] in
            do {
                try await clockwork.sleep(span)
            } catch {
                return  // Cancelled: an earlier wait has a timer of its own.
            }
            self?.wake(by: due)
        }
        state.timer = (due, task)
    }

    /// That it has slept counts, whatever the clock says: two clocks may differ by a little.
    private func wake(by due: Timestamp) {
        let now = max(due, clockwork.uptime())
        change { state in
            if state.timer?.due == due { state.timer = nil }
            state.queue.wake(by: now)
        }
    }
}
