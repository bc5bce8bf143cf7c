import Synchronization

/// The end of a run's time. What asks a server by then, or reads its feed, is broken off, what would do so later doesn't
/// begin, and both fail for the same reason; what has come stays, and the rest of the run goes its way.
package final class Deadline: Sendable {
    private struct State {
        var hasPassed = false
        var underWay: [Int: @Sendable () -> Void] = [:]
        var started = 0
    }

    private let reason: FeedError
    private let state = Mutex(State())

    package init(reason: FeedError) { self.reason = reason }

    package func pass() {
        let broken = state.withLock { state in
            state.hasPassed = true
            defer { state.underWay = [:] }
            return state.underWay.values.map { $0 }
        }
        for cancel in broken { cancel() }
    }

    /// Does `work` when it passes, or now if it has.
    func whenPassed(_ work: @escaping @Sendable () -> Void) { _ = add(work) }

    /// Lets it pass after `span`, unless `work` is done before.
    package func passing<Outcome, Failure: Error>(
        after span: Duration,
        sleeping: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ work: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        let timer = Task {
            do {
                try await sleeping(span)
            } catch {
                return  // Cancelled: the work was done before.
            }
            pass()
        }
        defer { timer.cancel() }
        return try await work()
    }

    /// Throws the reason if it passes before `work` is done.
    package func limit<Outcome: Sendable>(
        _ work: @escaping @Sendable () async throws(FeedError) -> Outcome
    ) async throws(FeedError) -> Outcome {
        guard !Task.isCancelled else { throw .cancelled }
        guard !state.withLock({ $0.hasPassed }) else { throw reason }
        let task = Task.immediate { await Result(awaiting: work) }
        let number = add { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.underWay[number] = nil }
        switch result {
        case .success(let outcome): return outcome
        case .failure(let error):
            guard error.isCancellation, !Task.isCancelled else { throw error }
            throw reason
        }
    }

    private func add(_ work: @escaping @Sendable () -> Void) -> Int {
        let (number, isLate) = state.withLock { state in
            state.started += 1
            if !state.hasPassed { state.underWay[state.started] = work }
            return (state.started, state.hasPassed)
        }
        if isLate { work() }
        return number
    }
}
