import Glibc
import Synchronization

/// A SOCKS proxy, version 4 or 5, that records the targets of connections and then reports a failure.
package final class SocksRecorder: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let record = Record()

    private final class Record: Sendable {
        let destinations = Mutex<[String]>([])
    }

    package init() throws {
        let listener = try newSocket()
        port = try bindToFreePort(listener)
        guard listen(listener, 128) == 0 else { throw SystemFailure.last("listen") }
        self.listener = listener
        try BlockingThread.start { [record] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                if let destination = Self.serve(client) { record.destinations.withLock { $0.append(destination) } }
                close(client)
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The targets in order, as `address:port` or `name:port`.
    package var destinations: [String] { record.destinations.withLock { $0 } }

    private static func serve(_ client: Int32) -> String? {
        guard let version = read(1, from: client)?.first else { return nil }
        return version == 4 ? serveFour(client) : serveFive(client)
    }

    private static func serveFour(_ client: Int32) -> String? {
        guard let request = read(7, from: client) else { return nil }
        _ = readText(from: client)
        // Such an address announces a name in version 4a.
        let isName = request[3...5].allSatisfy { $0 == 0 } && request[6] != 0
        let host = isName ? readText(from: client) : dotted(request[3...])
        write([0, 0x5B, 0, 0, 0, 0, 0, 0], to: client)
        return host + ":" + port(request[1...2])
    }

    /// Reads a text that ends with a zero byte.
    private static func readText(from client: Int32) -> String {
        var bytes: [UInt8] = []
        while let byte = read(1, from: client)?.first, byte != 0 { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func serveFive(_ client: Int32) -> String? {
        guard let count = read(1, from: client)?.first, read(Int(count), from: client) != nil else { return nil }
        write([5, 0], to: client)
        guard let kind = read(4, from: client)?.last else { return nil }
        var host: String?
        switch kind {
        case 1: host = read(4, from: client).map { dotted($0[...]) }
        case 3:
            let length = read(1, from: client)?.first ?? 0
            host = read(Int(length), from: client).map { String(decoding: $0, as: UTF8.self) }
        default: host = read(16, from: client).map { "\($0)" }
        }
        guard let host, let end = read(2, from: client) else { return nil }
        write([5, 5, 0, 1, 0, 0, 0, 0, 0, 0], to: client)
        return host + ":" + port(end[...])
    }

    private static func dotted(_ bytes: ArraySlice<UInt8>) -> String { bytes.map { "\($0)" }.joined(separator: ".") }

    private static func port(_ bytes: ArraySlice<UInt8>) -> String { "\(bytes.reduce(0) { $0 << 8 | Int($1) })" }

    private static func read(_ count: Int, from client: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(client, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    private static func write(_ bytes: [UInt8], to client: Int32) {
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
