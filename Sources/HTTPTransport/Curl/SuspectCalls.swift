import FeedCore

/// Calls that were under way to a host when one got no answer: with HTTP/2 they may share its connection, which may be
/// dead. Until they have ended, others are not sent on it.
struct SuspectCalls {
    private var calls: [String: Set<ObjectIdentifier>] = [:]

    func areAny(like call: Call) -> Bool { !calls.isEmpty && calls[call.request.origin] != nil }

    /// Those to the same host as the one without an answer, unless there are suspects already: later ones have connections
    /// of their own.
    mutating func add(_ running: [Call], besides silent: Call) {
        let origin = silent.request.origin
        guard calls[origin] == nil else { return }
        let others = running.filter { $0 !== silent && $0.request.origin == origin }
        if !others.isEmpty { calls[origin] = Set(others.map(ObjectIdentifier.init)) }
    }

    mutating func remove(_ call: Call) {
        guard areAny(like: call) else { return }
        calls[call.request.origin]?.remove(ObjectIdentifier(call))
        if calls[call.request.origin]?.isEmpty == true { calls[call.request.origin] = nil }
    }
}
