import Dispatch
import FeedCore
import Synchronization

/// Passes large or compressed bodies from the transfer thread to the workers.
///
/// The queue limits the bytes that all calls together hold.
final class DeliveryQueue: Sendable {
    /// The limit for one run.
    static let mostBytes = 8 << 20

    private let mostBytes: Int
    private var resumeThreshold: Int { mostBytes / 2 }
    private let ready = Mutex(FIFO<Call>())
    private let readyCount = DispatchSemaphore(value: 0)
    private let heldBytes = Atomic(0)
    private let isRoomAwaited = Atomic(false)
    /// Empty chunks that have room.
    ///
    /// Fresh memory costs a page fault for each 4 KB.
    private let spareChunks = Mutex<[[UInt8]]>([])
    private static let mostSpareChunks = 64

    init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// Tells the transfer thread whether it may hand over more of an incomplete body.
    var hasRoom: Bool { heldBytes.load(ordering: .relaxed) < mostBytes }

    func add(_ part: ResponsePart, _ ending: TransferEnding? = nil, to call: Call) {
        heldBytes.add(part.chunk.count, ordering: .relaxed)
        guard call.pending.withLock({ $0.add(PendingParts.Item(part: part, ending: ending)) }) else { return }
        ready.withLock { $0.append(call) }
        readyCount.signal()
    }

    /// Tells the transfer thread whether its paused transfers can resume.
    ///
    /// If it returns false, `release` returns true once they can.
    func awaitRoom() -> Bool {
        isRoomAwaited.store(true, ordering: .sequentiallyConsistent)
        guard heldBytes.load(ordering: .sequentiallyConsistent) <= resumeThreshold else { return false }
        return isRoomAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Subtracts bytes that a sink has received.
    ///
    /// It returns true once when the transfer thread waits for room.
    func release(_ bytes: Int) -> Bool {
        let held = heldBytes.subtract(bytes, ordering: .sequentiallyConsistent).newValue
        return held <= resumeThreshold && isRoomAwaited.load(ordering: .sequentiallyConsistent)
            && isRoomAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Returns an empty chunk with room for at least `bytes`.
    func emptyChunk(for bytes: Int) -> [UInt8] {
        var chunk = spareChunks.withLock { $0.popLast() } ?? []
        chunk.reserveCapacity(bytes)
        return chunk
    }

    /// Takes the memory of a chunk that a sink has received.
    func reuse(_ chunk: inout [UInt8]) {
        guard chunk.capacity > 0 else { return }
        chunk.removeAll(keepingCapacity: true)
        spareChunks.withLock { spare in
            guard spare.count < Self.mostSpareChunks else { return }
            // A swap, because a second reference to the memory would make the next owner copy it.
            spare.append([])
            swap(&spare[spare.count - 1], &chunk)
        }
    }

    /// Waits for the next call with parts, and returns it; nil tells the worker to end.
    func next() -> Call? {
        readyCount.wait()
        return ready.withLock { $0.popFirst() }
    }

    /// Ends one worker after the calls that are ready.
    func dismissWorker() { readyCount.signal() }
}

/// A first-in, first-out queue with constant cost per element.
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

/// Passes queued parts to their sinks, whose writes may block.
///
/// Only one worker at a time serves a call, so that its sink receives the parts in order.
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
            for index in items.indices { deliver(&items[index], of: call, &sinkState) }
            isDone = call.pending.withLock { $0.leave(sinkState) }
            if call.isCancelled { call.complete(.done(.failure(.cancelled))) }
        }
    }

    private func deliver(_ item: inout PendingParts.Item, of call: Call, _ sinkState: inout Call.SinkState) {
        let before = sinkState
        call.deliver(item.part, &sinkState)
        if queue.release(item.part.chunk.count) { mailbox.announceRoom() }
        queue.reuse(&item.part.chunk)
        if let ending = item.ending {
            call.complete(.done(call.outcome(of: ending, after: sinkState)))
        } else if sinkState.failure != nil, before.failure == nil {
            mailbox.stop(call)
        } else if !sinkState.isWanted, before.isWanted {
            mailbox.decline(call)
        }
    }
}
