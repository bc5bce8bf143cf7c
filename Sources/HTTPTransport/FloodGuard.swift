import CCurl
import Glibc
import Synchronization

/// Cuts connections that keep libcurl inside one call.
///
/// An HTTP/2 server can send frames without content faster than libcurl reads them: `curl_multi_perform` then runs on,
/// and every time limit is suspended. The guard checks twice a second, from another thread. If libcurl is in the same
/// call as at the last check, and has since read much more from a socket than it has delivered from all sockets, the
/// guard shuts that socket down. libcurl then fails the requests of that connection and continues.
final class FloodGuard: Sendable {
    private static let interval = Duration.milliseconds(500)
    /// The tolerated number of bytes: a TLS handshake reads less than this, and a flood reads more.
    private static let leastBytes: Int64 = 64 << 10

    private struct State {
        var sockets: Set<Int32> = []
        /// The bytes that were read from each socket at the last check; empty if libcurl has returned since.
        var read: [Int32: Int64] = [:]
        var call = 0
        var content: Int64 = 0
    }

    private let state = Mutex(State())
    private let call = Atomic(0)
    private let deliveredBytes = Atomic<Int64>(0)
    private let cutCount = Atomic(0)
    private let watch = Mutex<Task<Void, Never>?>(nil)

    init() {
        watch.withLock { watch in
            watch = Task { [weak self] in
                do {
                    while true {
                        try await Task.sleep(for: Self.interval)
                        guard let self else { return }
                        self.check()
                    }
                } catch {
                    return  // The guard is gone.
                }
            }
        }
    }

    deinit { watch.withLock { $0?.cancel() } }

    /// Records that the transfer thread is about to call libcurl.
    func begin() { call.add(1, ordering: .relaxed) }

    /// Records that libcurl has delivered this many bytes of a head or a body.
    func delivered(_ bytes: Int) { deliveredBytes.add(Int64(bytes), ordering: .relaxed) }

    /// The number of connections that the guard has cut.
    var cuts: Int { cutCount.load(ordering: .acquiring) }

    func add(_ socket: Int32) { state.withLock { _ = $0.sockets.insert(socket) } }

    /// Closes the socket.
    ///
    /// The lock keeps the guard from shutting down a new file with the same number.
    func close(_ socket: Int32) -> Int32 {
        state.withLock { state in
            state.sockets.remove(socket)
            state.read[socket] = nil
            return Glibc.close(socket)
        }
    }

    private func check() {
        let (call, content) = (call.load(ordering: .relaxed), deliveredBytes.load(ordering: .relaxed))
        state.withLock { state in
            let delivered = content - state.content
            if call != state.call { state.read = [:] }
            (state.call, state.content) = (call, content)
            for socket in state.sockets {
                let read = ccurl_bytes_read(socket)
                let before = state.read.updateValue(read, forKey: socket)
                guard let before, read - before > 2 * delivered + Self.leastBytes else { continue }
                cutCount.add(1, ordering: .releasing)
                shutdown(socket, Int32(SHUT_RDWR))
            }
        }
    }
}
