import Glibc
import Synchronization

/// Passes connections on to a server on this machine, and lets some go dead: they stay open, and nothing comes through.
package final class Relay: Sendable {
    package let port: UInt16
    private let state = RelayState()

    package init(to server: UInt16) throws {
        let listener = try newSocket()
        port = try bindToFreePort(listener)
        guard listen(listener, 128) == 0 else { throw SystemFailure.last("listen") }
        try BlockingThread.start { [state] in
            while state.waits(for: listener) {
                let client = accept(listener, nil, nil)
                guard client >= 0, let upstream = connected(to: server) else { break }
                let number = state.begin()
                do {
                    try BlockingThread.start { state.pass(client, upstream, number) }
                } catch {
                    break  // Whoever connected finds nobody there.
                }
            }
            close(listener)
        }
    }

    deinit { state.stop() }

    /// Those that there are; others will live.
    package func freeze() { state.freeze() }

    package var connections: Int { state.connections }
}

private final class RelayState: Sendable {
    private struct State {
        var isStopped = false
        var connections = 0
        /// Up to which of them are dead.
        var dead = 0
    }

    private let state = Mutex(State())

    var connections: Int { state.withLock { $0.connections } }

    func stop() { state.withLock { $0.isStopped = true } }

    func freeze() { state.withLock { $0.dead = $0.connections } }

    func begin() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections
        }
    }

    /// False when all is over.
    func waits(for descriptors: Int32...) -> Bool {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while !state.withLock({ $0.isStopped }) {
            if poll(&polled, nfds_t(polled.count), 10) > 0 { return true }
        }
        return false
    }

    func pass(_ client: Int32, _ server: Int32, _ number: Int) {
        while waits(for: client, server), state.withLock({ $0.dead < number }) {
            guard move(client, server), move(server, client) else { break }
        }
        // A dead one stays open, and nobody looks at it.
        while state.withLock({ !$0.isStopped && $0.dead >= number }) { usleep(10_000) }
        close(client)
        close(server)
    }

    /// What there is. False at the end.
    private func move(_ from: Int32, _ to: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(from, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        return count > 0 && send(to, bytes, count, Int32(MSG_NOSIGNAL)) == count
    }
}
