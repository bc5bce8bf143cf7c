internal import Dispatch
internal import FeedCore
internal import Synchronization

/// Work that is done by the thread that comes to it first. Who needs what comes of it does not sleep while it could be
/// done, which on few processors would often end late: a thread that is woken waits behind the one that woke it.
final class Job<Outcome: Sendable>: Sendable {
    private let work: @Sendable () throws(FeedError) -> Outcome
    private let isTaken = Atomic(false)
    private let isOver = DispatchSemaphore(value: 0)
    private let outcome = Mutex<Result<Outcome, FeedError>?>(nil)

    init(_ work: @escaping @Sendable () throws(FeedError) -> Outcome) { self.work = work }

    /// Does nothing if another thread was first.
    func perform() {
        guard !isTaken.exchange(true, ordering: .relaxed) else { return }
        let outcome: Result<Outcome, FeedError>
        do { outcome = .success(try work()) } catch { outcome = .failure(error) }
        self.outcome.withLock { $0 = outcome }
        isOver.signal()
    }

    var isDone: Bool { outcome.withLock { $0 != nil } }

    /// What comes of it when it is done, by another thread if by none yet. To be asked for once.
    func wait() throws(FeedError) -> Outcome {
        isOver.wait()
        guard let outcome = outcome.withLock({ $0 }) else { throw .storage(.failed, "a job was left undone") }
        return try outcome.get()
    }
}
