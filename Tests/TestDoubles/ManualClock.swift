package import FeedCore
import Synchronization

/// A clock whose time passes only during a sleep, which returns at once.
package final class ManualClock: Sendable {
    private struct State {
        var now = Timestamp(microseconds: 1_000_000)
        var sleeps: [Duration] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Timestamp { state.withLock { $0.now } }

    /// The durations of all sleeps, in order.
    package var sleeps: [Duration] { state.withLock { $0.sleeps } }

    package func sleep(_ span: Duration) {
        state.withLock { state in
            state.sleeps.append(span)
            state.now = state.now + span
        }
    }
}
