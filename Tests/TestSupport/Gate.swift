import Dispatch
import Synchronization

/// Holds up threads until a test opens it.
///
/// From then on all threads pass.
package final class Gate: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let arrivals = Tally()

    package init() {}

    /// Blocks the calling thread, which must not be one of the cooperative pool.
    package func pass() {
        arrivals.add(1)
        opened.wait()
        opened.signal()
    }

    package func open() { opened.signal() }

    /// Returns when this many threads have reached the gate since it was made.
    package func waitForArrivals(_ count: Int = 1) async { await arrivals.wait(for: count) }
}

/// A number that only grows, and for which a test can wait.
package final class Tally: Sendable {
    private struct State {
        var count = 0
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    package func add(_ number: Int) {
        let due = state.withLock { state in
            state.count += number
            let due = state.waiting.filter { $0.count <= state.count }
            state.waiting.removeAll { $0.count <= state.count }
            return due
        }
        for waiter in due { waiter.continuation.resume() }
    }

    package func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count < count { state.waiting.append((count, continuation)) }
                return state.count >= count
            }
            if isThere { continuation.resume() }
        }
    }
}
