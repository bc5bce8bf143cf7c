import CCurl
import FeedCore

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
            connected: { context, _, _, _, _ in
                Transfer.from(context)?.connected()
                return Int32(CURL_PREREQFUNC_OK)
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
