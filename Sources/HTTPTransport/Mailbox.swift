import FeedCore
import Synchronization

/// What the other threads ask of the transfer thread.
struct Mail {
    var starts: [Call] = []
    /// Calls that were cancelled, or whose sink threw.
    var stops: [Call] = []
    /// Calls whose body isn't wanted.
    var declines: [Call] = []
    var hasRoom = false
    var isClosing = false

    fileprivate var isEmpty: Bool { starts.isEmpty && stops.isEmpty && declines.isEmpty && !hasRoom && !isClosing }
}

/// Where it is left. The thread is woken only when it is asleep, and only by the first to find it so: a wake-up is a
/// system call, and under load the thread looks in anyway.
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
        if !post({ $0.mail.starts.append(call) }) { call.complete(.done(.failure(.cancelled))) }
    }

    func stop(_ call: Call) { _ = post { $0.mail.stops.append(call) } }

    func decline(_ call: Call) { _ = post { $0.mail.declines.append(call) } }

    func announceRoom() { _ = post { $0.mail.hasRoom = true } }

    /// Ends the transfer thread; what is posted from now on is refused.
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

    /// For the transfer thread: everything since the last time.
    func collect() -> Mail {
        state.withLock { state in
            state.isAsleep = false
            guard !state.mail.isEmpty else { return Mail() }
            defer { state.mail = Mail() }
            return state.mail
        }
    }

    /// For the transfer thread: whether it may sleep. From then on the next to post wakes it.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.mail.isEmpty
            return state.isAsleep
        }
    }
}
