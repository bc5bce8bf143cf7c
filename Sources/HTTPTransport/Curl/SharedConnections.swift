import FeedCore

/// A host that speaks HTTP/2 gets one connection. libcurl would open a second when the first is full or the server has
/// announced its end; here the request waits until another has ended.
struct SharedConnections {
    private struct Host {
        var isMultiplexed = false
        /// Requests that were sent and haven't ended.
        var inUse = 0
        var waiting: [Call] = []
    }

    private var hosts: [String: Host] = [:]

    mutating func sent(to origin: String) { hosts[origin, default: Host()].inUse += 1 }

    mutating func answered(_ origin: String, isMultiplexed: Bool) { hosts[origin]?.isMultiplexed = isMultiplexed }

    /// Whether there is a connection that all requests are to share.
    func isShared(_ origin: String) -> Bool { hosts[origin].map { $0.isMultiplexed && $0.inUse > 0 } ?? false }

    mutating func wait(_ call: Call) { hosts[call.request.origin, default: Host()].waiting.append(call) }

    /// A request that was sent has ended: these may try again. The last to end makes way for another connection.
    mutating func ended(at origin: String) -> [Call] {
        guard var host = hosts[origin] else { return [] }
        host.inUse -= 1
        let next = host.inUse == 0 ? host.waiting : Array(host.waiting.prefix(1))
        host.waiting.removeFirst(next.count)
        hosts[origin] = host
        return next
    }
}
