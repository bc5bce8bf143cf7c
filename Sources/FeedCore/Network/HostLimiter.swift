import Synchronization

/// Lets no more than `perHost` requests to one origin be in flight, whatever they are for: images, redirects to it, and
/// further tries. Who comes first goes first.
package final class HostLimiter: HTTPClient {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Host {
        var inFlight = 0
        var waiting: [Waiter] = []
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var waiters = 0
    }

    private let client: any HTTPClient
    private let perHost: Int
    private let state = Mutex(State())

    package init(_ client: any HTTPClient, perHost: Int) {
        self.client = client
        self.perHost = max(1, perHost)
    }

    package var executors: [any TaskExecutor] { client.executors }

    package func get(_ request: HTTPRequest, into sink: any BodySink) async throws(FeedError) -> HTTPResponse {
        guard request.url.isRemote else { return try await client.get(request, into: sink) }
        let origin = request.origin
        guard await enter(origin) else { throw .cancelled }
        defer { leave(origin) }
        return try await client.get(request, into: sink)
    }

    /// How many wait, for tests to know when they do.
    package var waitingCount: Int { state.withLock { $0.hosts.values.reduce(0) { $0 + $1.waiting.count } } }

    /// False if the task is cancelled before it is its turn; then it holds no place.
    private func enter(_ origin: String) async -> Bool {
        let number: Int? = state.withLock { state in
            if state.hosts[origin, default: Host()].inFlight < perHost {
                state.hosts[origin, default: Host()].inFlight += 1
                return nil
            }
            state.waiters += 1
            return state.waiters
        }
        guard let number else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let hasPlace = wait(as: number, continuation, origin) { continuation.resume(returning: hasPlace) }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.hosts[origin]?.waiting.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return state.hosts[origin]?.waiting.remove(at: index)
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// Nil if it has to wait. A place may have become free in the meantime; and a cancellation that came before this is
    /// seen here, one that comes after it finds the waiter.
    private func wait(as number: Int, _ continuation: CheckedContinuation<Bool, Never>, _ origin: String) -> Bool? {
        state.withLock { state in
            if Task.isCancelled { return false }
            var host = state.hosts[origin, default: Host()]
            defer { state.hosts[origin] = host }
            if host.inFlight < perHost {
                host.inFlight += 1
                return true
            }
            host.waiting.append(Waiter(number: number, continuation: continuation))
            return nil
        }
    }

    /// The place goes to who has waited longest.
    private func leave(_ origin: String) {
        let next: Waiter? = state.withLock { state in
            guard var host = state.hosts[origin] else { return nil }
            defer { state.hosts[origin] = host.inFlight == 0 ? nil : host }
            guard host.waiting.isEmpty else { return host.waiting.removeFirst() }
            host.inFlight -= 1
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}
