import FeedCore
import Synchronization

/// One request, as the threads pass it among them: the caller who waits, the transfer thread, and the workers.
final class Call: Sendable {
    typealias Outcome = Result<HTTPResponse, FeedError>

    let request: HTTPRequest
    let sink: any BodySink
    private let cancellation = Atomic(false)
    private let waiting = Mutex<CheckedContinuation<Outcome, Never>?>(nil)
    let lane = Mutex(DeliveryLane())

    init(_ request: HTTPRequest, into sink: any BodySink) {
        self.request = request
        self.sink = sink
    }

    func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
        waiting.withLock { $0 = continuation }
    }

    /// Ends the caller's wait; of several, the first counts.
    func complete(_ outcome: Outcome) {
        let continuation = waiting.withLock { $0.take() }
        continuation?.resume(returning: outcome)
    }

    /// Remembered, so that it also holds for a call that hasn't been started yet.
    func cancel() { cancellation.store(true, ordering: .releasing) }

    var isCancelled: Bool { cancellation.load(ordering: .acquiring) }
}
