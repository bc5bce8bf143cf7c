import Synchronization

/// Starts the requests of a run in the order that `SchedulerState` decides.
///
/// A waiting request holds a continuation instead of a thread, and a waiting image is only a number.
package final class RequestScheduler: Sendable {
    package typealias Slot = SchedulerState.Slot
    package typealias Start = SchedulerState.Start
    private typealias WorkerContinuation = CheckedContinuation<Start?, Never>
    private typealias RequestContinuation = CheckedContinuation<Slot?, Never>

    private struct State {
        var queue: SchedulerState
        var requests: [Int: RequestContinuation] = [:]
        var requestCount = 0

        var idleWorkers: [WorkerContinuation] = []
        var imageCount = 0
        var unfinishedImages = 0
        var isComplete = false
        var isStopped = false

        /// The timer for the next wait that ends.
        var timer: (due: Timestamp, task: Task<Void, Never>)?

        var hasEnded: Bool { isStopped || isComplete && unfinishedImages == 0 }
    }

    package let jobs: Int
    private let time: TimeSource
    private let state: Mutex<State>

    /// `perHost` is the limit of each host; nil lets the protocol decide.
    package init(jobs: Int, perHost: Int?, time: TimeSource) {
        self.jobs = max(1, jobs)
        self.time = time
        state = Mutex(State(queue: SchedulerState(jobs: jobs, concurrency: HostConcurrency(fixedLimit: perHost))))
    }

    deinit { state.withLock { $0.timer?.task.cancel() } }

    /// Holds back all requests to this host until `due`; nil ends the hold.
    package func hold(_ origin: String, until due: Timestamp?) { change { $0.queue.hold(origin, until: due) } }

    /// Ends every wait for a point in time.
    package func endWaits() { change { $0.queue.wake(by: nil) } }

    // MARK: Requests with a task of their own

    /// Waits for a free slot at the host, and returns it.
    ///
    /// The caller releases it.
    package func acquireSlot(at origin: String) async throws(FeedError) -> Slot {
        let id = state.withLock { state in
            state.requestCount += 1
            return state.requestCount
        }
        let slot = await withTaskCancellationHandler {
            await withCheckedContinuation { request in
                change { state in
                    state.queue.add(request: id, at: origin)
                    state.requests[id] = request
                }
                // An earlier cancellation has missed the request, which is only now in the queue.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        guard let slot else { throw .cancelled }
        return slot
    }

    /// Releases a slot, which stays reserved for `pause`.
    package func release(_ slot: Slot, reservedFor pause: Duration? = nil, _ signal: HostConcurrency.Signal) {
        let due = pause.map { time.uptime() + $0 }
        change { $0.queue.release(slot, reservedUntil: due, signal) }
    }

    /// The number of requests that wait for a slot.
    ///
    /// Tests use it.
    package var waitingCount: Int { state.withLock { $0.requests.count } }

    private func cancel(_ id: Int) {
        let request = state.withLock { state in
            state.queue.remove(request: id)
            return state.requests.removeValue(forKey: id)
        }
        request?.resume(returning: nil)
    }

    // MARK: Images, which workers take one after the other

    /// Adds images, which are numbered from 0 in the order in which they are added.
    package func add(_ urls: [ResourceURL]) {
        change { state in
            state.queue.add(urls, from: state.imageCount)
            state.imageCount += urls.count
            state.unfinishedImages += urls.count
        }
    }

    /// Marks the images as complete, so that the workers end with the last of them.
    package func complete() { change { $0.isComplete = true } }

    /// Ends the workers, even if images are left.
    package func stop() { change { $0.isStopped = true } }

    /// The number of unfinished images; nil until all images are added.
    package var left: Int? { state.withLock { $0.isComplete ? $0.unfinishedImages : nil } }

    /// Waits for an image that may start; nil when none will come.
    package func nextImage() async -> Start? {
        // This is the usual case: an image may start, and nothing is due.
        let start = state.withLock { state in
            state.hasEnded || state.queue.nextDue != nil ? nil : state.queue.nextImage()
        }
        if let start { return start }
        return await withCheckedContinuation { worker in change { $0.idleWorkers.append(worker) } }
    }

    /// Ends an image.
    package func finish(_ start: Start, _ signal: HostConcurrency.Signal) {
        change { state in
            state.unfinishedImages -= 1
            state.queue.release(start.slot, signal)
        }
    }

    /// Lets an image pause before its next attempt.
    ///
    /// Its slot stays reserved if the host itself needs the pause.
    package func pause(
        _ start: Start, for pause: Duration, reservingSlot reservesSlot: Bool, _ signal: HostConcurrency.Signal
    ) {
        let due = time.uptime() + pause
        change { $0.queue.pause(start, until: due, reservingSlot: reservesSlot, signal) }
    }

    /// Queues an image for its next attempt, which is at `origin`.
    package func move(_ start: Start, to origin: String, _ signal: HostConcurrency.Signal) {
        change { $0.queue.move(start, to: origin, signal) }
    }
}

extension RequestScheduler {
    /// Changes the state, and then starts every request and image that may start.
    private func change<Result: Sendable>(_ work: (inout State) -> Result) -> Result {
        let (result, requests, workers) = state.withLock { state in
            let result = work(&state)
            if let due = state.queue.nextDue {
                let now = time.uptime()
                if due <= now { state.queue.wake(by: now) }
            }
            let started = (result, takeRequests(&state), takeWorkers(&state))
            setTimer(&state)
            return started
        }
        for (request, slot) in requests { request.resume(returning: slot) }
        for (worker, start) in workers { worker.resume(returning: start) }
        return result
    }

    private func takeRequests(_ state: inout State) -> [(RequestContinuation, Slot)] {
        guard !state.requests.isEmpty else { return [] }
        var started: [(RequestContinuation, Slot)] = []
        while let (id, slot) = state.queue.nextRequest() {
            if let request = state.requests.removeValue(forKey: id) { started.append((request, slot)) }
        }
        return started
    }

    private func takeWorkers(_ state: inout State) -> [(WorkerContinuation, Start?)] {
        guard !state.idleWorkers.isEmpty else { return [] }
        if state.hasEnded {
            defer { state.idleWorkers = [] }
            return state.idleWorkers.map { ($0, nil) }
        }
        var started: [(WorkerContinuation, Start?)] = []
        while let worker = state.idleWorkers.last, let start = state.queue.nextImage() {
            state.idleWorkers.removeLast()
            started.append((worker, start))
        }
        return started
    }

    /// Sets the timer for the next wait that ends, if a request or a worker depends on it.
    private func setTimer(_ state: inout State) {
        guard let due = state.queue.nextDue, !state.idleWorkers.isEmpty || !state.requests.isEmpty else { return }
        if let timer = state.timer {
            guard due < timer.due else { return }
            timer.task.cancel()
        }
        let span = max(.zero, due - time.uptime())
        let task = Task { [weak self, time] in
            do {
                try await time.sleep(span)
            } catch {
                return  // An earlier timer has replaced this one.
            }
            self?.wake(by: due)
        }
        state.timer = (due, task)
    }

    /// Ends the waits up to `due`, even if the clock is slightly behind the one that the sleep used.
    private func wake(by due: Timestamp) {
        let now = max(due, time.uptime())
        change { state in
            if state.timer?.due == due { state.timer = nil }
            state.queue.wake(by: now)
        }
    }
}
