import Glibc
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that responds as a test says, correctly or wrongly.
///
/// Each connection has a thread; all threads end with `stop` or when the server is released.
package final class LoopbackServer: Sendable {
    package struct Request: Hashable, Sendable {
        package struct Header: Hashable, Sendable {
            /// The name in lower case.
            package let name: String
            package let value: String
        }

        package let method: String
        /// The path with the query.
        package let path: String
        package let headers: [Header]
        /// The number of the connection, counted from 1 in the order in which connections were accepted.
        package let connection: Int

        /// Returns the first header of a name, which is given in lower case.
        package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    }

    package typealias Route = @Sendable (Request) -> Reply

    package let port: UInt16
    private let state: LoopbackServerState

    /// Sets the reply for a path, which includes the query.
    ///
    /// A path without a query also covers the queries that have no route. All other paths give 404.
    package convenience init(_ routes: [String: Route] = [:], onAllOfLoopback: Bool = false) throws {
        try self.init(routes, greeting: nil, onAllOfLoopback: onAllOfLoopback)
    }

    /// Sends this reply to the first bytes of each connection, which may be anything, and then closes it.
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

    /// The requests in the order in which they arrived.
    package var requests: [Request] { state.requests }

    /// Returns when this many requests have arrived since the start.
    package func waitForRequests(_ count: Int) async { await state.arrivals.wait(for: count) }

    /// The number of connections since the start.
    package var connections: Int { state.connectionCount }

    /// The number of bytes that were handed to the kernel.
    package var bytesSent: Int { state.sent.count }

    /// Returns when the kernel has taken this many bytes since the start.
    package func waitForBytes(_ count: Int) async { await state.sent.wait(for: count) }

    /// Returns when the client of a connection has probably stopped reading: for a while, the kernel has accepted no
    /// further bytes.
    package func waitUntilBlocked() async { await state.blocked.wait(for: 1) }
}
