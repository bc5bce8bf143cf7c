import Synchronization

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

    /// The body takes its bytes from `memory`; nil means no limit. `claim` is the part of it that the body has already.
    init(within memory: MemoryShare? = nil, claiming claim: Int? = nil) {
        self.memory = memory
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
        return head.status == HTTPStatus.ok
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
