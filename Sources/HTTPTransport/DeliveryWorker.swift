import FeedCore
import Synchronization

/// Feeds bodies that come in parts, or compressed, to their sinks, where writing may take its time. Workers share the
/// queue; what one sink is called with still comes in order, as a call is with one worker at a time.
struct DeliveryWorker: Sendable {
    let queue: DeliveryQueue
    let mailbox: Mailbox

    func run() {
        while let call = queue.next() { serve(call) }
    }

    private func serve(_ call: Call) {
        var isDone = false
        while !isDone {
            var (items, reception) = call.lane.withLock { $0.take() }
            for item in items { deliver(item, of: call, &reception) }
            items = []
            isDone = call.lane.withLock { $0.leave(reception) }
        }
    }

    private func deliver(_ item: DeliveryLane.Item, of call: Call, _ reception: inout Call.Reception) {
        let before = reception
        call.give(item.parcel, &reception)
        if queue.release(item.parcel.chunk.count) { mailbox.announceRoom() }
        if let ending = item.ending {
            call.complete(.done(call.outcome(of: ending, after: reception)))
        } else if reception.failure != nil, before.failure == nil {
            mailbox.stop(call)
        } else if !reception.isWanted, before.isWanted {
            mailbox.decline(call)
        }
    }
}
