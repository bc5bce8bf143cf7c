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

    func add(_ part: ResponsePart, _ ending: TransferEnding? = nil, to call: Call) {
        heldBytes.add(part.chunk.count, ordering: .relaxed)
        guard call.pending.withLock({ $0.add(PendingParts.Item(part: part, ending: ending)) }) else { return }
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

    /// The next call that has parts; waits for one. Nil ends the worker.
    func next() -> Call? {
        readyCount.wait()
        return ready.withLock { $0.popFirst() }
    }

    /// Lets a worker go once the calls that are ready have been served.
    func dismissWorker() { readyCount.signal() }
}

/// A call's parts that wait for a worker, and how the sink took those before.
struct PendingParts {
    struct Item {
        let part: ResponsePart
        /// With the last one.
        let ending: TransferEnding?
    }

    private var items: [Item] = []
    private var isScheduled = false
    /// A worker has taken items and may be calling the sink.
    private(set) var isServed = false
    private var sinkState = Call.SinkState()

    /// Whether the call has to be given to a worker: false if one has it already.
    mutating func add(_ item: Item) -> Bool {
        items.append(item)
        defer { isScheduled = true }
        return !isScheduled
    }

    mutating func take() -> (items: [Item], sinkState: Call.SinkState) {
        defer { items = [] }
        isServed = true
        return (items, sinkState)
    }

    /// Whether the worker is done with this call for now; if not, more has come in the meantime.
    mutating func leave(_ sinkState: Call.SinkState) -> Bool {
        self.sinkState = sinkState
        isServed = false
        isScheduled = !items.isEmpty
        return !isScheduled
    }
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
            var (items, sinkState) = call.pending.withLock { $0.take() }
            for item in items { deliver(item, of: call, &sinkState) }
            items = []
            isDone = call.pending.withLock { $0.leave(sinkState) }
            if call.isCancelled { call.complete(.done(.failure(.cancelled))) }
        }
    }

    private func deliver(_ item: PendingParts.Item, of call: Call, _ sinkState: inout Call.SinkState) {
        let before = sinkState
        call.deliver(item.part, &sinkState)
        if queue.release(item.part.chunk.count) { mailbox.announceRoom() }
        if let ending = item.ending {
            call.complete(.done(call.outcome(of: ending, after: sinkState)))
        } else if sinkState.failure != nil, before.failure == nil {
            mailbox.stop(call)
        } else if !sinkState.isWanted, before.isWanted {
            mailbox.decline(call)
        }
    }
}
