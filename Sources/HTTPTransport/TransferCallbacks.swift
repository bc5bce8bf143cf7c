import CCurl
import FeedCore
import Glibc

/// The functions that libcurl calls, each with the transfer that it is about.
extension Transfer {
    func connectCallbacks() throws(FeedError) {
        try easy.connect(
            to: Unmanaged.passUnretained(self).toOpaque(),
            body: { bytes, size, count, context in
                guard let transfer = Transfer.from(context) else { return 0 }
                return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count)).code(size * count)
            },
            header: { line, size, count, context in
                guard let transfer = Transfer.from(context) else { return 0 }
                let line = UnsafeRawBufferPointer(start: line, count: size * count)
                return transfer.receiveHeader(line).code(line.count)
            },
            connected: { context, address, _, _, _ in
                let mayAsk = Transfer.from(context)?.connected(to: address) ?? false
                return Int32(mayAsk ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
            },
            opening: { context, _, address in
                guard let address, let transfer = Transfer.from(context),
                    transfer.mayConnect(to: NetworkAddress(address))
                else { return CURL_SOCKET_BAD }
                let (family, type) = (address.pointee.family, address.pointee.socktype)
                return socket(family, type | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
            })
    }

    /// Unretained: a transfer outlives its handle's last callback, as it owns the handle.
    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
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
