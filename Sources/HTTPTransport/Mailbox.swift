import FeedCore
import Synchronization

/// The requests of other threads to the transfer thread.
struct Mail {
    var starts: [Call] = []
    /// The calls that were cancelled or whose sink threw.
    var stops: [Call] = []
    /// The calls whose sink declined the body.
    var declines: [Call] = []
    var hasRoom = false
    var isClosing = false

    fileprivate var isEmpty: Bool { starts.isEmpty && stops.isEmpty && declines.isEmpty && !hasRoom && !isClosing }
}

/// Holds the mail for the transfer thread.
///
/// It wakes the thread only if the thread sleeps, and only once: a wake-up is a system call, and under load the thread
/// collects its mail anyway.
final class Mailbox: Sendable {
    private struct State {
        var mail = Mail()
        var isAsleep = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let multi: MultiHandle

    init(multi: MultiHandle) { self.multi = multi }

    func start(_ call: Call) {
        if !post({ $0.mail.starts.append(call) }) { call.fail(.cancelled) }
    }

    func stop(_ call: Call) { _ = post { $0.mail.stops.append(call) } }

    func decline(_ call: Call) { _ = post { $0.mail.declines.append(call) } }

    func announceRoom() { _ = post { $0.mail.hasRoom = true } }

    /// Tells the transfer thread to end.
    ///
    /// Later mail is refused.
    func close() { _ = post(isLast: true) { $0.mail.isClosing = true } }

    private func post(isLast: Bool = false, _ change: (inout State) -> Void) -> Bool {
        let (isAccepted, wasAsleep) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.isClosed = isLast
            change(&state)
            defer { state.isAsleep = false }
            return (true, state.isAsleep)
        }
        if wasAsleep { multi.wake() }
        return isAccepted
    }

    /// Returns all mail since the last call, for the transfer thread.
    func collect() -> Mail {
        state.withLock { state in
            state.isAsleep = false
            guard !state.mail.isEmpty else { return Mail() }
            defer { state.mail = Mail() }
            return state.mail
        }
    }

    /// Returns whether the transfer thread may sleep.
    ///
    /// The next mail then wakes it.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.mail.isEmpty
            return state.isAsleep
        }
    }
}
