package import FeedCore
import Synchronization

/// A sink that collects all bytes and records its calls.
///
/// It accepts the statuses that the test names.
package final class RecordedBody: BodySink {
    package enum Call: Hashable, Sendable {
        case begin(Int)
        case receive(Int)
    }

    private struct State {
        var calls: [Call] = []
        var bytes: [UInt8] = []
    }

    private let wanted: Set<Int>
    private let state = Mutex(State())

    package init(wanting statuses: Set<Int> = [200]) { wanted = statuses }

    package var calls: [Call] { state.withLock { $0.calls } }
    /// The bytes of the body that began last.
    package var bytes: [UInt8] { state.withLock { $0.bytes } }

    package func begin(_ head: HTTPHead) throws(FeedError) -> Bool {
        state.withLock { state in
            state.calls.append(.begin(head.status))
            state.bytes = []
        }
        return wanted.contains(head.status)
    }

    package func receive(_ chunk: [UInt8]) throws(FeedError) {
        state.withLock { state in
            state.calls.append(.receive(chunk.count))
            state.bytes += chunk
        }
    }
}
