internal import Dispatch
internal import FeedCore
internal import Synchronization

/// Work that is done by the thread that comes to it first. Who needs what comes of it does not sleep while it could be
/// done, which on few processors would often end late: a thread that is woken waits behind the one that woke it.
final class Job<Outcome: Sendable>: Sendable {
    typealias Work = @Sendable () throws(FeedError) -> Outcome

    private enum State {
        case waiting(Work)
        case begun
        case done(Result<Outcome, FeedError>)
    }

    private let state: Mutex<State>
    private let end = DispatchSemaphore(value: 0)

    init(_ work: @escaping Work) { state = Mutex(.waiting(work)) }

    /// Does nothing if another thread was first.
    func perform() {
        let work = state.withLock { state -> Work? in
            guard case .waiting(let work) = state else { return nil }
            state = .begun
            return work
        }
        guard let work else { return }
        let outcome = Result { () throws(FeedError) in try work() }
        state.withLock { $0 = .done(outcome) }
        end.signal()
    }

    var isDone: Bool {
        state.withLock { state in
            if case .done = state { true } else { false }
        }
    }

    /// Returns when it is done.
    func finish() {
        perform()
        end.wait()
        // For the next who waits.
        end.signal()
    }

    func outcome() throws(FeedError) -> Outcome {
        finish()
        guard case .done(let outcome) = state.withLock({ $0 }) else { throw .storage(.failed, "a job was left undone") }
        return try outcome.get()
    }
}
