import Dispatch
import FeedCore
import Synchronization

/// Bodies that come in parts, or compressed, on their way from the transfer thread to the workers; bounded in bytes over
/// all calls.
final class DeliveryQueue: Sendable {
    /// In one run.
    static let mostBytes = 8 << 20

    private let mostBytes: Int
    private var bytesToGoOn: Int { mostBytes / 2 }
    private let ready = Mutex(FIFO<Call>())
    private let readyCount = DispatchSemaphore(value: 0)
    private let heldBytes = Atomic(0)
    private let roomIsAwaited = Atomic(false)

    init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// For the transfer thread, before it hands over more of a body that isn't complete.
    var hasRoom: Bool { heldBytes.load(ordering: .relaxed) < mostBytes }

    func add(_ parcel: Parcel, _ ending: Ending? = nil, to call: Call) {
        heldBytes.add(parcel.chunk.count, ordering: .relaxed)
        guard call.lane.withLock({ $0.add(DeliveryLane.Item(parcel: parcel, ending: ending)) }) else { return }
        ready.withLock { $0.append(call) }
        readyCount.signal()
    }

    /// For the transfer thread when it has paused transfers: whether they can go on. If not, `release` says so once
    /// they can.
    func awaitRoom() -> Bool {
        roomIsAwaited.store(true, ordering: .sequentiallyConsistent)
        guard heldBytes.load(ordering: .sequentiallyConsistent) <= bytesToGoOn else { return false }
        return roomIsAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// For the workers: bytes that the sink has taken. True once when the transfer thread waits to hear of room.
    func release(_ bytes: Int) -> Bool {
        let held = heldBytes.subtract(bytes, ordering: .sequentiallyConsistent).newValue
        return held <= bytesToGoOn && roomIsAwaited.load(ordering: .sequentiallyConsistent)
            && roomIsAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// The next call that has parcels; waits for one. Nil ends the worker.
    func next() -> Call? {
        readyCount.wait()
        return ready.withLock { $0.popFirst() }
    }

    /// Lets a worker go once the calls that are ready have been served.
    func dismissWorker() { readyCount.signal() }
}

/// First in, first out, at a cost that doesn't depend on how much is in it.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var first = 0

    mutating func append(_ element: Element) {
        if first > 64, first > elements.count / 2 {
            elements.removeFirst(first)
            first = 0
        }
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        defer {
            first += 1
            if first == elements.count {
                elements.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return elements[first].take()
    }
}

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
            if call.isCancelled { call.complete(.done(.failure(.cancelled))) }
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
