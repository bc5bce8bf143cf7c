internal import CEpoll
import Glibc
import Synchronization

/// Relays connections to a server on this machine as if it were far away: a byte arrives `delay` milliseconds after it
/// was sent, and making a connection takes a round trip.
///
/// It simulates neither loss nor slow start.
package final class Relay: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let state = RelayState()

    package init(to server: UInt16, delay: Int = 0, onAllOfLoopback: Bool = false) throws(SystemFailure) {
        listener = try newSocket(isBlocking: false)
        port = try bindToFreePort(listener, onAllOfLoopback: onAllOfLoopback)
        guard listen(listener, 4096) == 0 else { throw .last("listen") }
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .last("epoll_create1") }
        try BlockingThread.start { [listener, state] in
            var loop = RelayLoop(epoll, listener, to: server, delay: delay, state)
            loop.run()
        }
    }

    /// Stops the relay.
    ///
    /// Its thread notices and closes everything.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Stalls the existing connections: they stay open and carry no bytes from now on.
    ///
    /// New connections work.
    package func freeze() { state.freeze() }
}

/// The number of connections so far.
final class RelayState: Sendable {
    private let state = Mutex((connections: 0, dead: 0))

    func begin() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections
        }
    }

    func freeze() { state.withLock { $0.dead = $0.connections } }

    func isDead(_ connection: Int) -> Bool { state.withLock { $0.dead >= connection } }
}
