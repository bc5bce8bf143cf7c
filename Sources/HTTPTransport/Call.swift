import FeedCore
import Synchronization

/// One request, as the threads pass it among them: the caller who waits, the transfer thread, and the workers.
final class Call: Sendable {
    typealias Outcome = Result<HTTPResponse, FeedError>

    /// What the caller waits for.
    enum Delivery {
        /// The sink has been given nothing yet: the caller does that.
        case whole(Parcel, Ending)
        case done(Outcome)
    }

    let request: HTTPRequest
    private let sink: any BodySink
    private let cancellation = Atomic(false)
    private let waiting = Mutex<CheckedContinuation<Delivery, Never>?>(nil)
    let lane = Mutex(DeliveryLane())

    init(_ request: HTTPRequest, into sink: any BodySink) {
        self.request = request
        self.sink = sink
    }

    func wait(_ continuation: CheckedContinuation<Delivery, Never>) {
        waiting.withLock { $0 = continuation }
    }

    /// Ends the caller's wait; of several, the first counts.
    func complete(_ delivery: Delivery) {
        let continuation = waiting.withLock { $0.take() }
        continuation?.resume(returning: delivery)
    }

    /// Remembered, so that it also holds for a call that hasn't been started yet.
    func cancel() { cancellation.store(true, ordering: .releasing) }

    var isCancelled: Bool { cancellation.load(ordering: .acquiring) }
}

/// How the sink takes what it is given.
extension Call {
    struct Progress {
        var isWanted = true
        var failure: FeedError?
    }

    func give(_ parcel: Parcel, _ progress: inout Progress) {
        if isCancelled || progress.failure != nil { return }
        do throws(FeedError) {
            if let head = parcel.head { progress.isWanted = try sink.begin(head) }
            if progress.isWanted, !parcel.chunk.isEmpty { try sink.receive(parcel.chunk) }
        } catch {
            progress.failure = error
        }
    }

    func outcome(of ending: Ending, after progress: Progress) -> Outcome {
        if isCancelled { return .failure(.cancelled) }
        if let failure = progress.failure { return .failure(failure) }
        if !progress.isWanted, let response = ending.responseIfUnwanted { return .success(response) }
        return ending.outcome
    }
}
