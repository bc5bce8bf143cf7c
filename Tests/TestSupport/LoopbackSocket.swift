import Glibc

/// An address of this machine that other machines can't reach.
func loopbackAddress(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    return address
}

private let addressSize = socklen_t(MemoryLayout<sockaddr_in>.size)

private func withSocketAddress<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
}

func newSocket(isBlocking: Bool = true) throws(SystemFailure) -> Int32 {
    let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_INET, Int32(flags), 0)
    guard descriptor >= 0 else { throw .last("socket") }
    return descriptor
}

/// Binds a socket to a port that the kernel picks, on 127.0.0.1 or on all of 127.0.0.0/8.
func bindToFreePort(_ descriptor: Int32, onAllOfLoopback: Bool = false) throws(SystemFailure) -> UInt16 {
    var address = loopbackAddress(port: 0)
    if onAllOfLoopback {
        // Other machines can't reach a socket of the loopback device.
        guard setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2) == 0 else { throw .last("setsockopt") }
        address.sin_addr.s_addr = 0
    }
    guard withSocketAddress(&address, { bind(descriptor, $0, addressSize) }) == 0 else { throw .last("bind") }
    var size = addressSize
    guard withSocketAddress(&address, { getsockname(descriptor, $0, &size) }) == 0 else {
        throw .last("getsockname")
    }
    return UInt16(bigEndian: address.sin_port)
}

/// Returns a port without a listener.
///
/// Another process may take it at any time.
package func freePort() throws(SystemFailure) -> UInt16 {
    let descriptor = try newSocket()
    defer { close(descriptor) }
    return try bindToFreePort(descriptor)
}

package func connects(to port: UInt16) -> Bool {
    guard let descriptor = connected(to: port) else { return false }
    close(descriptor)
    return true
}

/// Connects to a port; nil if it has no listener.
func connected(to port: UInt16) -> Int32? {
    guard let descriptor = try? newSocket() else { return nil }
    var address = loopbackAddress(port: port)
    if withSocketAddress(&address, { connect(descriptor, $0, addressSize) }) == 0 { return descriptor }
    close(descriptor)
    return nil
}

/// Starts to connect without waiting.
///
/// A failure shows when the socket is used.
func connecting(to port: UInt16) throws(SystemFailure) -> Int32 {
    let descriptor = try newSocket(isBlocking: false)
    var address = loopbackAddress(port: port)
    _ = withSocketAddress(&address) { connect(descriptor, $0, addressSize) }
    return descriptor
}

/// A port without responses: connections are refused or, if `isSilent`, stay pending for ever.
package final class DeadPort: Sendable {
    package let port: UInt16
    private let descriptors: [Int32]

    package init(isSilent: Bool = false) throws(SystemFailure) {
        let listener = try newSocket()
        port = try bindToFreePort(listener)
        guard isSilent else {
            descriptors = [listener]
            return
        }
        // The queue of connections is full and is never emptied, so the kernel silently drops further ones.
        guard listen(listener, 0) == 0 else { throw .last("listen") }
        descriptors = [listener, try connecting(to: port), try connecting(to: port)]
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
}
