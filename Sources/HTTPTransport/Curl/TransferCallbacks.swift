import CCurl
import FeedCore
import Glibc

/// The functions that libcurl calls, each with the transfer that it is about.
extension Transfer {
    func connectCallbacks() throws(FeedError) {
        try easy.connect(
            to: Unmanaged.passUnretained(self).toOpaque(),
            body: { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Transfer.with(context) { $0.receive(bytes) }?.code(bytes.count) ?? 0
            },
            header: { line, size, count, context in
                let line = UnsafeRawBufferPointer(start: line, count: size * count)
                return Transfer.with(context) { $0.receiveHeader(line) }?.code(line.count) ?? 0
            },
            connected: { context, address, _, _, _ in
                let mayAsk = Transfer.with(context) { $0.connected(to: address) } ?? false
                return Int32(mayAsk ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
            },
            opening: { context, _, address in
                guard let address, Transfer.with(context, { $0.mayConnect(to: NetworkAddress(address)) }) == true
                else { return CURL_SOCKET_BAD }
                let (family, type) = (address.pointee.family, address.pointee.socktype)
                let socket = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
                if socket >= 0 { Transfer.with(context) { $0.context.floodGuard.add(socket) } }
                return socket
            })
        // Not to the transfer: a connection may outlive it.
        try easy.close(by: Unmanaged.passUnretained(context.floodGuard).toOpaque()) { floodGuard, socket in
            guard let floodGuard else { return close(socket) }
            return Unmanaged<FloodGuard>.fromOpaque(floodGuard).takeUnretainedValue().close(socket)
        }
    }

    /// Unretained: a transfer outlives its handle's last callback, as it owns the handle.
    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// As `from`, without counting a reference: an answer has a callback for each of its lines.
    private static func with<Outcome>(
        _ context: UnsafeMutableRawPointer?, _ work: (Transfer) -> Outcome
    ) -> Outcome? {
        context.map { Unmanaged<Transfer>.fromOpaque($0)._withUnsafeGuaranteedRef(work) }
    }
}

extension Transfer.Answer {
    /// As libcurl has it: all bytes, the number that means a pause, or any other for a failure.
    fileprivate func code(_ bytes: Int) -> Int {
        switch self {
        case .taken: bytes
        case .pause: Int(CURL_WRITEFUNC_PAUSE)
        case .end: bytes == 0 ? 1 : 0
        }
    }
}

extension NetworkAddress {
    /// Of what libcurl is about to connect to; nil if it is neither IPv4 nor IPv6.
    init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        // What is declared as a `sockaddr` is as long as the family makes it.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let bytes = UnsafeRawPointer(address) + offset
        switch address.pointee.family {
        case AF_INET:
            self.init(bytes: withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            self.init(bytes: withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
        default: return nil
        }
    }
}
