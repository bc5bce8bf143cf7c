import Dispatch
import FeedCore
import Synchronization

/// What the transfer thread hands over at once of an answer: of a small body, all there is.
struct Parcel {
    /// With the first parcel of an answer.
    var head: HTTPHead?
    /// With the head: what the body is to be decoded as.
    var coding: BodyCodings.Coding?
    var chunk: [UInt8] = []
}

/// How a transfer has ended.
struct Ending {
    let outcome: Call.Outcome
    /// Stands in for the outcome when the sink doesn't want the body: that it is too large is then nobody's concern.
    var responseIfUnwanted: HTTPResponse?
}

/// A call's parcels that wait for a worker, and how the sink took those before.
struct DeliveryLane {
    struct Item {
        let parcel: Parcel
        /// With the last one.
        let ending: Ending?
    }

    private var items: [Item] = []
    private var isScheduled = false
    private var reception = Call.Reception()

    /// Whether the call has to be given to a worker: false if one has it already.
    mutating func add(_ item: Item) -> Bool {
        items.append(item)
        defer { isScheduled = true }
        return !isScheduled
    }

    mutating func take() -> (items: [Item], reception: Call.Reception) {
        defer { items = [] }
        return (items, reception)
    }

    /// Whether the worker is done with this call for now; if not, more has come in the meantime.
    mutating func leave(_ reception: Call.Reception) -> Bool {
        self.reception = reception
        isScheduled = !items.isEmpty
        return !isScheduled
    }
}

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
