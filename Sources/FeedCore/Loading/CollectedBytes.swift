import Synchronization

/// Holds in memory what is delivered rather than stored: the body of a 200, or an image that is staged here.
final class CollectedBytes: BodySink, StagedImage {
    /// The most that is reserved because a response announces so much: an announcement may be a lie.
    private static let mostReserved = 64 << 20

    private struct State {
        var bytes: [UInt8] = []
        /// The announced size, as far as room is reserved for it.
        var expected = 0
        /// The part of `memory` that this body holds.
        var held = 0
        var lackedMemory = false
    }

    private let state: Mutex<State>
    private let memory: MemoryShare?
    /// Whether the body holds enough of `memory` from the beginning.
    private let isClaimed: Bool

    /// `memory` is what the body takes its bytes from; nil for no limit. `claim` is the part of it that was taken already.
    init(within memory: MemoryShare? = nil, claiming claim: Int? = nil) {
        self.memory = memory
        isClaimed = claim != nil
        state = Mutex(State(held: claim ?? 0))
    }

    deinit { discard() }

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var count: Int { state.withLock { $0.bytes.count } }
    /// Whether the body was broken off because no memory was left.
    var lackedMemory: Bool { state.withLock { $0.lackedMemory } }

    /// Hands over the bytes, so that they are held no longer than necessary.
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
            // Reserves the whole at once: each growth takes fresh memory, which costs more than to copy into it.
            state.bytes.reserveCapacity(state.expected)
            state.bytes += chunk
        }
    }

    /// Drops the bytes, and gives their memory back.
    func discard() {
        state.withLock { state in
            empty(&state)
            if state.held > 0 { memory?.give(state.held) }
            state.held = 0
        }
    }

    private func empty(_ state: inout State) {
        state.bytes = []
        state.expected = 0
        if !isClaimed, state.held > 0 {
            memory?.give(state.held)
            state.held = 0
        }
    }
}
