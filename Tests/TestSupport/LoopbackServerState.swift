import Glibc
import Synchronization

/// The state that a server's threads share.
///
/// It keeps no reference to the server, so the server can be released while they run.
final class LoopbackServerState: Sendable {
    private struct State {
        var routes: [String: LoopbackServer.Route]
        var requests: [LoopbackServer.Request] = []
        var connections: Set<Int32> = []
        var connectionCount = 0
        var gates: [Gate] = []
        var isStopped = false
    }

    private let listener: Int32
    /// The reply to the first bytes of each connection, which are not read as a request.
    let greeting: Reply?
    private let state: Mutex<State>
    let arrivals = Tally()
    let sent = Tally()
    let blocked = Tally()

    init(listener: Int32, routes: [String: LoopbackServer.Route], greeting: Reply?) {
        self.greeting = greeting
        self.listener = listener
        state = Mutex(State(routes: routes))
    }

    deinit { close(listener) }

    var requests: [LoopbackServer.Request] { state.withLock { $0.requests } }

    var connectionCount: Int { state.withLock { $0.connectionCount } }

    func setRoute(_ path: String, _ route: @escaping LoopbackServer.Route) {
        state.withLock { $0.routes[path] = route }
    }

    func acceptConnections() {
        while true {
            let descriptor = accept(listener, nil, nil)
            if descriptor < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let number: Int? = state.withLock { state in
                guard !state.isStopped else { return nil }
                state.connections.insert(descriptor)
                state.connectionCount += 1
                return state.connectionCount
            }
            guard let number else {
                close(descriptor)
                return
            }
            do {
                try BlockingThread.start { LoopbackConnection(descriptor, number: number, server: self).serve() }
            } catch {
                end(descriptor)
            }
        }
    }

    /// Closes a connection once.
    ///
    /// Afterwards its number may belong to another one.
    func end(_ descriptor: Int32) {
        state.withLock { state in
            guard state.connections.remove(descriptor) != nil else { return }
            // This also ends the connection in a child process that has inherited it.
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }
    }

    /// Closes a connection in such a way that the client sees a reset.
    func reset(_ descriptor: Int32) {
        state.withLock { state in
            guard state.connections.remove(descriptor) != nil else { return }
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            close(descriptor)
        }
    }

    func answer(_ request: LoopbackServer.Request) -> Reply {
        let route = state.withLock { state in
            state.requests.append(request)
            let path = request.path.prefix { $0 != "?" }
            return state.routes[request.path] ?? state.routes[String(path)]
        }
        arrivals.add(1)
        return route?(request) ?? Reply(404, body: Array("not found".utf8))
    }

    /// Waits at a gate until it opens or the server ends.
    func pass(_ gate: Gate?) {
        guard let gate else { return }
        let isStopped = state.withLock { state in
            state.gates.append(gate)
            return state.isStopped
        }
        if !isStopped { gate.pass() }
    }

    func stop() {
        let gates = state.withLock { state in
            guard !state.isStopped else { return [Gate]() }
            state.isStopped = true
            // This ends the calls that block in the threads; each thread closes its own connection.
            shutdown(listener, Int32(SHUT_RDWR))
            for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return state.gates
        }
        for gate in gates { gate.open() }
    }
}
