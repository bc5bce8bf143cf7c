import Synchronization

/// The memory for the bodies of feeds, which are read as a whole.
///
/// The bodies of a process may total `total` bytes.
///
/// A body takes memory for each chunk when the chunk arrives. A slow server thus holds as much memory as it has sent. Two
/// bodies that waited for memory halfway could wait for each other forever. Therefore a body that finds too little memory
/// gives back its own, and is requested again when memory for the largest allowed body is free. It takes this memory at the
/// beginning and keeps it until its end. A single body may be larger than `total`.
///
/// Reading a body takes about as much memory again as the body has bytes. Bodies of up to half of `total` are read at the
/// same time, and a larger body by itself.
package final class FeedBodies: Sendable {
    /// The feeds of a process share its memory.
    package static let shared = FeedBodies(total: 128 << 20)

    private let held: MemoryShare
    private let read: MemoryShare

    private convenience init(total: Int) {
        self.init(held: MemoryShare(total: total), read: MemoryShare(total: total / 2))
    }

    init(held: MemoryShare, read: MemoryShare) { (self.held, self.read) = (held, read) }

    /// Requests a body.
    ///
    /// The caller hands it to `reading` or drops it with `discard`. A response that `accepts` refuses has no body.
    func get(
        _ request: HTTPRequest, from client: any HTTPClient,
        accepting accepts: @escaping @Sendable (HTTPHead) -> Bool = { _ in true }
    ) async throws(FeedError) -> (HTTPResponse, CollectedBytes) {
        let body = CollectedBytes(within: held, accepting: accepts)
        do {
            return (try await client.get(request, into: body), body)
        } catch {
            body.discard()
            guard body.lackedMemory, !error.isCancellation else { throw error }
        }
        let claim = try await held.take(Int(clamping: request.maxBytes))
        let claimed = CollectedBytes(within: held, claiming: claim, accepting: accepts)
        do {
            return (try await client.get(request, into: claimed), claimed)
        } catch {
            claimed.discard()
            throw error
        }
    }

    /// Reads a body, and drops it.
    func reading<Result>(
        _ body: CollectedBytes, _ read: ([UInt8]) throws(FeedError) -> Result
    ) async throws(FeedError) -> Result {
        defer { body.discard() }
        let turn = try await self.read.take(body.count)
        defer { self.read.give(turn) }
        return try read(body.bytes)
    }
}

/// An amount of memory that several holders share.
final class MemoryShare: Sendable {
    private struct State {
        var taken = 0
        var waiting: [(id: Int, amount: Int, turn: CheckedContinuation<Bool, Never>)] = []
        var count = 0
    }

    private let total: Int
    private let state = Mutex(State())

    init(total: Int) { self.total = total }

    /// Takes more memory for a holder that has `own`, and returns whether enough was left.
    ///
    /// The only holder may take any amount.
    func takeMore(_ amount: Int, own: Int) -> Bool {
        state.withLock { state in
            guard state.taken + amount <= total || state.taken == own else { return false }
            state.taken += amount
            return true
        }
    }

    /// Waits for its turn until this much is left.
    ///
    /// Returns the amount to give back, which is at most `total`.
    func take(_ amount: Int) async throws(FeedError) -> Int {
        let amount = min(amount, total)
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        let isTaken = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                state.withLock { $0.waiting.append((id, amount, turn)) }
                // Handles a cancellation that came before the call was in the list.
                if Task.isCancelled { cancel(id) }
                serve()
            }
        } onCancel: {
            cancel(id)
        }
        guard isTaken else { throw .cancelled }
        return amount
    }

    func give(_ amount: Int) {
        state.withLock { $0.taken -= amount }
        serve()
    }

    /// The number of waiting calls and the amount in use, for tests.
    var waitingCount: Int { state.withLock { $0.waiting.count } }
    var takenCount: Int { state.withLock { $0.taken } }

    private func serve() {
        let served = state.withLock { state in
            var served: [CheckedContinuation<Bool, Never>] = []
            while let first = state.waiting.first, state.taken + first.amount <= total {
                state.taken += first.amount
                served.append(first.turn)
                state.waiting.removeFirst()
            }
            return served
        }
        for turn in served { turn.resume(returning: true) }
    }

    private func cancel(_ id: Int) {
        let turn = state.withLock { state in
            let index = state.waiting.firstIndex { $0.id == id }
            return index.map { state.waiting.remove(at: $0).turn }
        }
        turn?.resume(returning: false)
        serve()
    }
}

/// Holds bytes in memory that are delivered rather than stored: the body of a 200, or an image that is staged here.
final class CollectedBytes: BodySink, StagedImage {
    /// The most bytes that are reserved for an announced size, because an announcement may be a lie.
    private static let mostReserved = 64 << 20

    private struct State {
        var bytes: [UInt8] = []
        /// The announced size, as far as memory is reserved for it.
        var expected = 0
        /// The part of `memory` that this body holds.
        var held = 0
        var lackedMemory = false
    }

    private let state: Mutex<State>
    private let memory: MemoryShare?
    /// Whether the body holds enough of `memory` from the beginning.
    private let isClaimed: Bool
    private let accepts: @Sendable (HTTPHead) -> Bool

    /// The body takes its bytes from `memory`; nil means no limit.
    ///
    /// `claim` is the part of it that the body has already.
    init(
        within memory: MemoryShare? = nil, claiming claim: Int? = nil,
        accepting accepts: @escaping @Sendable (HTTPHead) -> Bool = { _ in true }
    ) {
        self.memory = memory
        self.accepts = accepts
        isClaimed = claim != nil
        state = Mutex(State(held: claim ?? 0))
    }

    deinit { discard() }

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var count: Int { state.withLock { $0.bytes.count } }
    /// Whether the body was cut off because memory ran out.
    var lackedMemory: Bool { state.withLock { $0.lackedMemory } }

    /// Hands over the bytes, and keeps none of them.
    func take() -> [UInt8] {
        state.withLock { state in
            defer { empty(&state) }
            return state.bytes
        }
    }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        let announced = head[.contentLength].flatMap { Int($0) } ?? 0
        state.withLock { state in
            empty(&state)
            state.expected = min(max(announced, 0), Self.mostReserved)
        }
        return head.status == HTTPStatus.ok && accepts(head)
    }

    func receive(_ chunk: [UInt8]) throws(FeedError) { try append(chunk) }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        try state.withLock { state throws(FeedError) in
            if let memory, !isClaimed {
                guard memory.takeMore(chunk.count, own: state.held) else {
                    state.lackedMemory = true
                    throw .storage(.limited, "no memory is left for the feed")
                }
                state.held += chunk.count
            }
            guard !state.bytes.isEmpty else {
                state.bytes = chunk
                return
            }
            // Reserves the whole size at once, because growing takes fresh memory each time, which costs more than a
            // copy.
            state.bytes.reserveCapacity(state.expected)
            state.bytes += chunk
        }
    }

    /// Drops the bytes, and gives their memory back.
    func discard() {
        state.withLock { state in
            empty(&state)
            giveBack(&state)
        }
    }

    private func empty(_ state: inout State) {
        state.bytes = []
        state.expected = 0
        if !isClaimed { giveBack(&state) }
    }

    private func giveBack(_ state: inout State) {
        if state.held > 0 { memory?.give(state.held) }
        state.held = 0
    }
}
