import Synchronization

/// Holds in memory what is to be delivered rather than stored: the body of a 200, or an image that is staged here.
final class CollectedBytes: BodySink, StagedImage {
    /// What an answer announces is believed so far: room that nothing comes for.
    private static let mostReserved = 64 << 20

    private struct State {
        var bytes: [UInt8] = []
        /// How many there will be, as far as is known.
        var expected = 0
    }

    private let state = Mutex(State())

    var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// Hands over what there is, so that nobody holds it any longer than need be.
    func take() -> [UInt8] {
        state.withLock { state in
            defer { state = State() }
            return state.bytes
        }
    }

    func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        let announced = head[.contentLength].flatMap { Int($0) } ?? 0
        state.withLock { $0 = State(expected: min(max(announced, 0), Self.mostReserved)) }
        return head.status == HTTPStatus.ok
    }

    func receive(_ chunk: [UInt8]) throws(FeedError) { try append(chunk) }

    func append(_ chunk: [UInt8]) throws(FeedError) {
        state.withLock { state in
            guard !state.bytes.isEmpty else {
                state.bytes = chunk
                return
            }
            // At once: to grow again and again takes fresh memory each time, which costs more than to copy into it.
            state.bytes.reserveCapacity(state.expected)
            state.bytes += chunk
        }
    }

    func discard() { state.withLock { $0 = State() } }
}
