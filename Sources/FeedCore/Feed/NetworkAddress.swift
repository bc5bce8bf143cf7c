internal import Glibc

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable {
    /// The 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads the strict notation. It refuses `127.1`, `0177.0.0.1`, `[::1]` and `fe80::1%eth0`.
    package init?(presentation text: String) {
        // The C library reads a text up to its first NUL.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            bytes.removeLast(12)
        } else if inet_pton(AF_INET6, text, &bytes) != 1 {
            return nil
        }
        self.bytes = bytes
    }

    package var isIPv4: Bool { bytes.count == 4 }
    var isIPv6: Bool { bytes.count == 16 }
}

extension NetworkAddress: CustomStringConvertible {
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
