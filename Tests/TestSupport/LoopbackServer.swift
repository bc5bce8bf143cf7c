import Glibc
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that does as a test tells it, right or wrong. A thread for each connection; all end
/// with `stop` or when the server is let go of.
package final class LoopbackServer: Sendable {
    package struct Request: Hashable, Sendable {
        package struct Header: Hashable, Sendable {
            /// In lower case.
            package let name: String
            package let value: String
        }

        package let method: String
        /// With the query.
        package let path: String
        package let headers: [Header]
        /// Counted from 1, in the order they were accepted.
        package let connection: Int

        /// `name` in lower case; of several, the first.
        package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    }

    package typealias Route = @Sendable (Request) -> Reply

    package let port: UInt16
    private let state: LoopbackServerState

    /// By path, the query included; a path without its query answers for those that aren't named. All else is 404.
    package convenience init(_ routes: [String: Route] = [:], onAllOfLoopback: Bool = false) throws {
        try self.init(routes, greeting: nil, onAllOfLoopback: onAllOfLoopback)
    }

    /// Answers the first bytes of each connection, which needn't be HTTP, and closes it.
    package convenience init(greeting: Reply) throws { try self.init([:], greeting: greeting) }

    private init(_ routes: [String: Route], greeting: Reply?, onAllOfLoopback: Bool = false) throws {
        let listener = try newSocket()
        port = try bindToFreePort(listener, onAllOfLoopback: onAllOfLoopback)
        guard listen(listener, 128) == 0 else { throw SystemFailure.last("listen") }
        let state = LoopbackServerState(listener: listener, routes: routes, greeting: greeting)
        self.state = state
        try BlockingThread.start { state.acceptConnections() }
    }

    package convenience init(_ path: String, _ reply: Reply) throws { try self.init([path: { _ in reply }]) }

    deinit { stop() }

    package func stop() { state.stop() }

    package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    package func route(_ path: String, _ route: @escaping Route) { state.setRoute(path, route) }

    package func route(_ path: String, _ reply: Reply) { state.setRoute(path) { _ in reply } }

    /// In the order they arrived.
    package var requests: [Request] { state.requests }

    /// Returns when this many requests have arrived since the start.
    package func waitForRequests(_ count: Int) async { await state.arrivals.wait(for: count) }

    /// How many were made since the start.
    package var connections: Int { state.connectionCount }

    /// Bytes given to the kernel to send.
    package var bytesSent: Int { state.sent.count }

    /// Returns when a connection's other side has stopped reading, as far as can be told: nothing more went out for a
    /// while.
    package func waitUntilBlocked() async { await state.blocked.wait(for: 1) }
}
