import FeedCore
import Synchronization

/// Feeds bodies to their sinks, where hashing and writing may take their time. Workers share the queue; what one sink
/// is called with still comes in order, as a call is with one worker at a time.
struct DeliveryWorker: Sendable {
    let queue: DeliveryQueue
    let mailbox: Mailbox

    func run() {
        while let call = queue.next() { serve(call) }
    }

    private func serve(_ call: Call) {
        var isDone = false
        while !isDone {
            var (parcels, progress) = call.lane.withLock { $0.take() }
            for parcel in parcels { deliver(parcel, of: call, &progress) }
            parcels = []
            isDone = call.lane.withLock { $0.leave(progress) }
        }
    }

    private func deliver(_ parcel: Parcel, of call: Call, _ progress: inout DeliveryLane.Progress) {
        if !call.isCancelled, progress.failure == nil {
            do throws(FeedError) {
                if let head = parcel.head {
                    progress.isWanted = try call.sink.begin(head)
                    if !progress.isWanted, parcel.outcome == nil { mailbox.decline(call) }
                }
                if progress.isWanted, !parcel.chunk.isEmpty { try call.sink.receive(parcel.chunk) }
            } catch {
                progress.failure = error
                if parcel.outcome == nil { mailbox.stop(call) }
            }
        }
        if queue.release(parcel.chunk.count) { mailbox.announceRoom() }
        guard let outcome = parcel.outcome else { return }
        if call.isCancelled {
            call.complete(.failure(.cancelled))
        } else if let failure = progress.failure {
            call.complete(.failure(failure))
        } else if !progress.isWanted, let response = parcel.responseIfUnwanted {
            call.complete(.success(response))
        } else {
            call.complete(outcome)
        }
    }
}
