import Synchronization

/// The end of a run's time for servers.
///
/// At the deadline, requests and the reading of feeds are cancelled; later ones fail at once, for the same reason.
/// Everything that has arrived is kept, and the rest of the run continues.
package final class Deadline: Sendable {
    private struct State {
        var hasPassed = false
        var cancellations: [Int: @Sendable () -> Void] = [:]
        var started = 0
    }

    private let reason: FeedError
    private let state = Mutex(State())

    package init(reason: FeedError) { self.reason = reason }

    package func pass() {
        let cancellations = state.withLock { state in
            state.hasPassed = true
            defer { state.cancellations = [:] }
            return state.cancellations.values.map { $0 }
        }
        for cancel in cancellations { cancel() }
    }

    /// Calls `work` when the deadline passes, or now if it has passed.
    func whenPassed(_ work: @escaping @Sendable () -> Void) { _ = add(work) }

    /// Lets the deadline pass after `span`, unless `work` has finished before.
    package func passing<Outcome, Failure: Error>(
        after span: Duration,
        sleeping: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ work: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        let timer = Task {
            do {
                try await sleeping(span)
            } catch {
                return  // The work has finished before.
            }
            pass()
        }
        defer { timer.cancel() }
        return try await work()
    }

    /// Runs `work`, and throws the reason if the deadline passes before its end.
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
        state.withLock { $0.cancellations[number] = nil }
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
            if !state.hasPassed { state.cancellations[state.started] = work }
            return (state.started, state.hasPassed)
        }
        if isLate { work() }
        return number
    }
}

extension Result {
    /// Makes a value of an awaited result, because tasks and task groups lose the type of an error.
    package init(awaiting work: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await work()) } catch { self = .failure(error) }
    }
}

/// The clock, the random numbers and the sleep that waiting depends on.
///
/// Tests replace them.
package struct TimeSource: Sendable {
    /// Reads a monotonic clock.
    package var uptime: @Sendable () -> Timestamp
    /// Returns a random number in `0..<1`.
    package var random: @Sendable () -> Double
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        uptime: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.uptime = uptime
        self.random = random
        self.sleep = sleep
    }

    package static var real: TimeSource { real(from: Timestamp(microseconds: 0)) }

    /// Returns the system's time source.
    ///
    /// Its clock begins at `now` and agrees with the wall clock until that jumps.
    package static func real(from now: Timestamp) -> TimeSource {
        let start = ContinuousClock.now
        return TimeSource(
            uptime: { now + (ContinuousClock.now - start) },
            random: { Double.random(in: 0..<1) }, sleep: { try await Task.sleep(for: $0) })
    }
}
